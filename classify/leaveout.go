package classify

import (
	"context"
	"math"

	"github.com/polya-classifier/polya/classify/model"
	"github.com/polya-classifier/polya/internal/numeric"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// LeaveOut calls f for about limit learned documents, a sample that depends only on their
// ids, with the class of each and its leave-one-out posterior, in order of the names of
// the classes. Weights are fitted to the other half of the documents, or are the defaults
// if there are too few.
//
// It uses only documents whose counts the ledger keeps, and whose class has at least two
// others in the sample, and no recent lessons. With one class the posterior is as in Result. The Decision has no
// effect.
func (c *Classifier) LeaveOut(ctx context.Context, limit int, f func(id count.DocID, class string, posterior []ClassProbability) error) error {
	return c.db.Detached(func(s *store.Snapshot) error {
		t, err := allTotals(s)
		if err != nil {
			return err
		}
		stack := c.dcm.fill(asStack(c.options.Model).WithAttributes(t, false), s, t.Classes, false)
		loo := newLooScores(s, t, []model.Stack{stack})
		if err := loo.gather(ctx, limit, nil, false); err != nil {
			return err
		}
		give := func(d *scored, scores []float64) {
			if err == nil {
				err = f(d.id, t.Classes[d.label].Name, posteriorByName(t.Classes, d.whole(scores, len(t.Classes))))
			}
		}
		all := loo.sample(loo.docs, 0)
		if len(loo.docs) < fewest(t.Classes) || count.WithDocuments(t.Classes) < 2 {
			loo.drop(optionalWords)
			byDefault := weighing{weights: loo.stacks[0].Shrunk(t).Weights()}
			loo.sample(loo.docs, 0).each(byDefault, 0, 1, func(d *scored, _ int, scores []float64) { give(d, scores) })
		} else {
			crossFit(all, loo.stacks[0].Shrunk(t).Weights(), loo.seen).each(all, func(d *scored, scores, _ []float64) { give(d, scores) })
		}
		return err
	})
}

// posteriorByName returns the posterior for scores; classes that are not part of it have
// -Inf.
func posteriorByName(classes []*count.Class, scores []float64) []ClassProbability {
	if learned, _ := learnedOf(classes, scores); len(learned) == 1 {
		return onlyLearned(learned[0], 0, nil)
	}
	p := numeric.Posterior(scores)
	var list []ClassProbability
	for c, class := range classes {
		if !math.IsInf(scores[c], -1) {
			list = append(list, ClassProbability{class.Name, p[c], numeric.LogOdds(scores, c)})
		}
	}
	return list
}
