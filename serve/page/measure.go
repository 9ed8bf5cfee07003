package page

import (
	"bytes"
	"context"
	"errors"
	"math"
	"slices"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/eval"
	"github.com/polya-classifier/polya/internal/numeric"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/tokenize"
)

// measurement is the leave-one-out accuracy of a database on what it has learned.
type measurement struct {
	Documents   int
	Error       estimate
	Reliability []eval.Bin
	Confusion   eval.Confusion
	Curve       []curvePoint // by the number of documents learned
}

// curvePoint is the error of a database of that many documents.
type curvePoint struct {
	Documents int
	Error     estimate
}

const (
	// measured is the number of documents left out, one at a time, and curved the number of
	// documents of the learning curve, a quarter of them for testing: they take some seconds.
	measured, curved = 1000, 1600
	// perDecade is the number of points of the learning curve per factor of ten.
	perDecade = 3
)

// measure classifies learned documents, each left out of training. The answer is the most probable
// class, whatever the decision rule. While another measurement runs the error is backend.ErrBusy.
func (d *Admin) measure(ctx context.Context, user string) (m measurement, err error) {
	if !d.measuring.TryLock() {
		return m, backend.ErrBusy
	}
	defer d.measuring.Unlock()
	err = d.read(ctx, user, func(c *classify.Classifier) error {
		if err := leaveOut(ctx, c, &m); err != nil {
			return err
		}
		m.Curve, err = curve(ctx, c)
		return err
	})
	return m, err
}

func leaveOut(ctx context.Context, c *classify.Classifier, m *measurement) error {
	var names []string
	var results *eval.Results
	err := c.LeaveOut(ctx, measured, func(_ classify.Document, class string, posterior []classify.ClassProbability) error {
		if results == nil {
			for _, p := range posterior {
				names = append(names, p.Class)
			}
			results = eval.NewResults(names...)
		}
		a := eval.Answer{Class: slices.Index(names, class)}
		for _, p := range posterior {
			a.Posterior = append(a.Posterior, p.Probability)
		}
		a.Said = numeric.Top(a.Posterior)
		return errors.Join(results.Add(a), ctx.Err())
	})
	if err != nil || results == nil {
		return err
	}
	confusion := results.Confusion()
	m.Documents = confusion.Docs()
	m.Error = estimated(m.Documents-confusion.Right(), m.Documents)
	m.Confusion, m.Reliability = confusion, results.Reliability(10)
	return nil
}

// lesson is a document of the learning curve.
type lesson struct {
	doc   classify.Document
	class string
}

// curve trains databases of growing size, and tests each on the same held-out documents.
func curve(ctx context.Context, c *classify.Classifier) (points []curvePoint, err error) {
	lessons, err := lessons(c)
	asked := len(lessons) / 4
	if err != nil || asked < 5 {
		return nil, err
	}
	asks, lessons := lessons[:asked], lessons[asked:]
	small, err := classify.OpenMemory(nil, classify.Options{Analyzer: c.Analyzer().Spec(), Fitting: classify.FitByHand})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, small.Close()) }()
	taught := 0
	for _, size := range eval.LogSizes(10, len(lessons), perDecade) {
		var b classify.Batch
		for ; taught < size; taught++ {
			if err := b.Train(lessons[taught].class, lessons[taught].doc); err != nil {
				return nil, err
			}
		}
		if _, err := small.Apply(ctx, &b); err != nil {
			return nil, err
		}
		if err := small.Refit(ctx); err != nil {
			return nil, err
		}
		wrong := 0
		for _, a := range asks {
			r, err := small.Classify(ctx, a.doc)
			if err != nil {
				return nil, err
			}
			if r.Class != a.class {
				wrong++
			}
		}
		points = append(points, curvePoint{Documents: size, Error: estimated(wrong, asked)})
	}
	return points, nil
}

// lessons returns documents of the ledger, in an order given by their ids.
func lessons(c *classify.Classifier) (list []lesson, err error) {
	err = c.Store().View(func(s *store.Snapshot) error {
		part := math.MaxUint8 + 1.0
		if all := s.Documents(); all > curved {
			part *= curved / float64(all)
		}
		return s.Learned(func(id count.DocID) bool { return float64(id[len(id)-1]) < part }, func(d *count.Document) error {
			doc := classify.Document{ID: d.ID, Bag: new(tokenize.Bag), Attributes: slices.Clone(d.Attributes)}
			for _, t := range d.Terms {
				doc.Bag.AddN(t.Term, int(t.N))
			}
			list = append(list, lesson{doc, d.Class})
			return nil
		})
	})
	slices.SortFunc(list, func(a, b lesson) int { return bytes.Compare(a.doc.ID[:], b.doc.ID[:]) })
	return list, err
}
