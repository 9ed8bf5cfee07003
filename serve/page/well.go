package page

import (
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/eval"
	"github.com/polya-classifier/polya/internal/numeric"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/store/count"
)

// well is the data of the screen about accuracy.
type well struct {
	Keeps    bool
	Since    string // of the form
	Record   record
	Measured *measurement // nil unless it was asked for
}

func (p *page) well(v *visit) (err error) {
	v.Screen, v.Title = "well", "Accuracy"
	since, text := v.moment("since", time.DateOnly)
	b := &well{Keeps: p.Admin.Keeps(), Since: text}
	if v.Body = b; v.Tags {
		return nil
	}
	if b.Record, err = p.Admin.record(v, v.User, since); err != nil {
		return err
	}
	if v.query.Has("measure") {
		b.Measured = new(measurement)
		*b.Measured, err = p.Admin.measure(v, v.User)
	}
	return err
}

const shownMistakes = 20

// mistake is how many of the documents of a class were taken for another.
type mistake struct {
	Class, Taken string
	N, Of        int
}

// Mistakes returns which classes are taken for which, the most frequent first.
func (w *well) Mistakes() (list []mistake) {
	c := &w.Measured.Confusion
	for i, counts := range c.Counts {
		for j, n := range counts {
			if i != j && n > 0 {
				list = append(list, mistake{c.Classes[i], c.Classes[j], n, c.Of(i).Docs})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b mistake) int { return b.N - a.N })
	return list[:min(len(list), shownMistakes)]
}

// record measures the answers of a period. An answer that nobody has corrected counts as
// right; of several answers to one message the first counts.
type record struct {
	Since   time.Time // the first answer that is counted; zero if there is none
	Answers int
	Unsure  int
	Checked int      // answers whose messages people have taught since
	Wrong   int      // of Checked, sure and of another class
	Error   estimate // Wrong of the sure answers
}

// estimate is a share and its interval of 95 % confidence.
type estimate struct{ Mean, Low, High float64 }

// record measures the answers since a moment against what people have taught since then.
func (d *Admin) record(ctx context.Context, user string, since time.Time) (record, error) {
	list := d.Decisions(user, 0)
	learned, err := d.learned(ctx, user, list)
	if err != nil {
		return record{}, err
	}
	var r record
	seen := make(map[string]bool)
	for i := range slices.Backward(list) { // oldest first
		x, e := list[i], learned[i]
		if seen[x.ID] || x.Time.Before(since) {
			continue
		}
		seen[x.ID] = true
		taught := e != nil && e.Source != backend.AutoSource && !e.Time.Before(x.Time.Truncate(time.Second)) // the ledger has seconds
		if r.Answers++; r.Since.IsZero() {
			r.Since = x.Time
		}
		if taught {
			r.Checked++
		}
		switch {
		case x.Unsure:
			r.Unsure++
		case taught && e.Class != x.Class:
			r.Wrong++
		}
	}
	r.Error = estimated(r.Wrong, r.Answers-r.Unsure)
	return r, nil
}

func estimated(some, all int) estimate {
	if all == 0 {
		return estimate{Mean: math.NaN(), Low: math.NaN(), High: math.NaN()}
	}
	f := float64(some) / float64(all)
	low, high := eval.Wilson(f, all)
	return estimate{Mean: f, Low: low, High: high}
}

// measurement is the leave-one-out accuracy of a database on what it has learned.
type measurement struct {
	Documents   int
	Error       estimate
	Reliability []eval.Bin
	Confusion   eval.Confusion
}

// measured is the number of documents left out, one at a time.
const measured = 1000

// measure classifies learned documents, each left out of training. The answer is the most probable
// class, whatever the decision rule. While another measurement runs the error is backend.ErrBusy.
func (d *Admin) measure(ctx context.Context, user string) (m measurement, err error) {
	if !d.measuring.TryLock() {
		return m, backend.ErrBusy
	}
	defer d.measuring.Unlock()
	err = d.Read(ctx, user, func(c *classify.Classifier) error { return leaveOut(ctx, c, &m) })
	return m, err
}

func leaveOut(ctx context.Context, c *classify.Classifier, m *measurement) error {
	var names []string
	var results *eval.Results
	err := c.LeaveOut(ctx, measured, func(_ count.DocID, class string, posterior []classify.ClassProbability) error {
		if results == nil {
			for _, p := range posterior {
				names = append(names, p.Class)
			}
			results = &eval.Results{Classes: names}
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
	m.Documents = confusion.All().Docs
	m.Error = estimated(m.Documents-confusion.All().Right, m.Documents)
	m.Confusion, m.Reliability = confusion, results.Reliability(10)
	return nil
}
