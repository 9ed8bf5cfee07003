package overview

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/eval"
	"github.com/polya-classifier/polya/serve/backend"
)

// measured is the number of documents left out, one at a time: they take some seconds.
const measured = 1000

// Measure classifies learned documents, each left out of training. The answer is the most probable
// class, whatever the decision rule. While another measurement runs the error is backend.ErrBusy.
func (d *Desk) Measure(ctx context.Context, user string) (m backend.Measured, err error) {
	if !d.measuring.TryLock() {
		return m, backend.ErrBusy
	}
	defer d.measuring.Unlock()
	m.Time = time.Now()
	err = d.read(ctx, user, func(c *classify.Classifier) error { return leaveOut(ctx, c, &m) })
	return m, err
}

// leaveOut measures the leave-one-out answers.
func leaveOut(ctx context.Context, c *classify.Classifier, m *backend.Measured) error {
	var names []string
	var results *eval.Results
	var losses []float64
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
		a.Said = eval.Top(a.Posterior)
		losses = append(losses, a.ClippedLoss())
		return errors.Join(results.Add(a), ctx.Err())
	})
	if err != nil || results == nil {
		return err
	}
	confusion := results.Confusion()
	m.Documents = confusion.Docs()
	m.Error, m.LogLoss = share(m.Documents-confusion.Right(), m.Documents), mean(losses)
	m.Confusion = backend.Confusion{Classes: confusion.Classes, Counts: confusion.Counts}
	for _, b := range results.Reliability(10) {
		if b.Docs > 0 {
			m.Reliability = append(m.Reliability, backend.Bin{Probability: b.Probability, Documents: b.Docs, Right: estimate(b)})
		}
	}
	return nil
}
