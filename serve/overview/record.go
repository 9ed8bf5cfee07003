package overview

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/eval"
	"github.com/polya-classifier/polya/serve/backend"
)

// A Record measures the answers of a period. An answer that nobody has corrected counts as
// right; of several answers to one message the first counts.
type Record struct {
	Since   time.Time // the first answer that is counted; zero if there is none
	Answers int
	Unsure  int
	Checked int      // answers whose messages people have taught since
	Wrong   int      // of Checked, sure and of another class
	Error   Estimate // Wrong of the sure answers
	Earned  []Earned // by precision, ascending; nil unless the database is calibrated
}

// Earned is what a precision would have cost in answers: the learned documents that were
// asked, each without its own counts, the answers that had earned the precision, and the
// share of these that were right.
type Earned struct {
	Precision       float64
	Asked, Answered int
	Right           float64 // 0 if none was answered
}

// An Estimate is a share and its interval of 95 % confidence.
type Estimate struct{ Mean, Low, High float64 }

// Record measures the answers since a moment against what people have taught since then.
func (d *Admin) Record(ctx context.Context, user string, since time.Time) (Record, error) {
	list, err := d.Decisions(user, 0)
	if err != nil {
		return Record{}, err
	}
	learned, err := d.Learned(ctx, user, list)
	if err != nil {
		return Record{}, err
	}
	var r Record
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
	r.Error = share(r.Wrong, r.Answers-r.Unsure)
	r.Earned, err = d.earned(ctx, user)
	return r, err
}

// precisions are those of which a Record says what they cost.
var precisions = [...]float64{.8, .9, .95, .99}

func (d *Admin) earned(ctx context.Context, user string) (list []Earned, err error) {
	err = d.read(ctx, user, func(c *classify.Classifier) error {
		r, err := c.Record()
		if err != nil || r.Documents() == 0 {
			return err
		}
		for _, precision := range precisions {
			e := r.Answered(precision)
			list = append(list, Earned{Precision: precision, Asked: e.Documents, Answered: e.Filed, Right: e.Right / float64(max(1, e.Filed))})
		}
		return nil
	})
	return list, err
}

func share(some, all int) Estimate {
	if all == 0 {
		return Estimate{Mean: math.NaN(), Low: math.NaN(), High: math.NaN()}
	}
	f := float64(some) / float64(all)
	low, high := eval.Wilson(f, all)
	return Estimate{Mean: f, Low: low, High: high}
}
