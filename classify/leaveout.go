package classify

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/polya-classifier/polya/classify/internal/odds"
	"github.com/polya-classifier/polya/classify/model"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/tokenize"
)

// LeaveOut calls f for about limit learned documents, a sample that depends on their ids
// alone, with the class of each and the posterior that it would have if it had never been
// learned, in order of the names of the classes. Weights are fitted to the other half of
// the documents, or are those by default where there are too few.
//
// Only documents are left out of which the ledger keeps the counts, and whose class has at
// least two others in the sample. With one class there is one posterior, 1. The Decision
// changes nothing; doc is valid only during the call.
func (c *Classifier) LeaveOut(ctx context.Context, limit int, f func(doc Document, class string, posterior []ClassProbability) error) error {
	return c.db.Aside(func(s *store.Snapshot) error {
		t, err := c.totals(s)
		if err != nil {
			return err
		}
		stack, ok := asStack(c.model)
		if !ok {
			bound, _ := c.bind(s, t, Auto{})
			stack, _ = stackOf(bound.Label)
		}
		stack = stack.WithAttributes(c.attributes, t, false)
		j, err := gather(ctx, s, t, []model.Stack{stack}, readFits(s), limit, nil)
		if err != nil {
			return err
		}
		l := leaving{s: s, f: f}
		shrunk := stack.Shrunk(t).Weights()
		all := j.sample(stack, j.at[0])
		if len(j.judged) < fewest(t.Classes) || withDocuments(t.Classes) < 2 || slices.Contains(j.infinite, true) {
			return l.each(j, all, shrunk, nil)
		}
		halves := crossFit(all, shrunk)
		halves.each(all, func(judged sample, weights, bias []float64) {
			if err == nil {
				err = l.each(j, judged, weights, bias)
			}
		})
		return err
	})
}

// leaving gives documents that were left out to f.
type leaving struct {
	s   *store.Snapshot
	f   func(Document, string, []ClassProbability) error
	bag tokenize.Bag
}

func (l *leaving) each(j *judge, judged sample, weights, bias []float64) error {
	scores := make([]float64, judged.Classes)
	for d, label := range judged.Labels {
		doc, err := l.s.Document(judged.ids[d])
		if errors.Is(err, store.ErrNoCounts) || doc == nil && err == nil {
			continue
		}
		if err != nil {
			return err
		}
		judged.Weigh(scores, d, weights, bias)
		if err := l.f(l.document(doc), j.t.Classes[label].Name, posteriorByName(j.t.Classes, scores)); err != nil {
			return err
		}
	}
	return nil
}

// document returns what was counted as it was given.
func (l *leaving) document(doc *count.Document) Document {
	l.bag.Reset()
	for _, t := range doc.Terms {
		l.bag.AddN(t.Term, int(t.N))
	}
	return Document{ID: doc.ID, Bag: &l.bag, Attributes: doc.Attributes, Time: doc.Time, Source: doc.Source}
}

// posteriorByName returns the posterior for scores, of which those of classes that are no
// part of it are -Inf.
func posteriorByName(classes []*count.Class, scores []float64) []ClassProbability {
	p := odds.Posterior(scores)
	var list []ClassProbability
	for c, class := range classes {
		if !math.IsInf(scores[c], -1) {
			list = append(list, ClassProbability{class.Name, p[c], odds.LogOdds(scores, c)})
		}
	}
	return list
}
