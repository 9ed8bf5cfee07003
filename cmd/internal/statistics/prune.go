package statistics

import (
	"context"
	"fmt"

	"github.com/polya-classifier/polya/classify/calibration"
	"github.com/polya-classifier/polya/classify/term"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/internal/numeric"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// Pruning is the result of 'polya prune'.
type Pruning struct {
	Database   string          `json:"database"`
	Done       bool            `json:"done"` // false for a dry run
	Terms      uint64          `json:"terms"`
	Vocabulary uint64          `json:"vocabulary"` // before
	Tokens     uint64          `json:"tokens"`
	Share      terminal.Number `json:"token_share"`
	Before     int64           `json:"size_before"`
	After      int64           `json:"size_after"`
	Most       []*termInfo     `json:"most_frequent"` // the dropped terms in the most documents

	Calibrated *calibration.Calibration // the new calibration, nil if there was none
}

// mostFrequent is how many of the dropped terms are listed.
const mostFrequent = 20

// Run drops the terms that fewer than df documents have or, unless r.Done, only counts them.
func (r *Pruning) Run(ctx context.Context, db *store.DB, df uint64) error {
	all := uint64(0)
	err := db.View(func(s *store.Snapshot) error {
		r.Vocabulary = s.Vocabulary()
		for _, c := range s.Classes() {
			all += c.Tokens
		}
		return nil
	})
	if err != nil {
		return err
	}
	most := numeric.Shortlist[*termInfo]{Limit: mostFrequent, Compare: compareTerms}
	out, err := db.Prune(ctx, !r.Done, func(name []byte, cells []count.Cell) bool {
		if count.OfChannel(name) {
			r.Vocabulary++ // the database's own count is after dropping
		}
		if term.Frequency(cells) >= df {
			return false
		}
		t := countTerm(nil, nil, 0, cells)
		t.Term, t.value = string(name), float64(t.Documents)
		most.Add(t)
		return true
	})
	if err != nil {
		return err
	}
	r.Most = most.First()
	r.Terms, r.Tokens, r.Before, r.After = out.Terms, out.Tokens, out.Before, out.After
	if all > 0 {
		r.Share = terminal.Number(float64(out.Tokens) / float64(all))
	}
	return nil
}

// Print prints what was dropped, or would be.
func (r *Pruning) Print(p *terminal.Streams) error {
	if r.Terms == 0 {
		p.Printf("%s: no term to drop, of %s\n", terminal.Printable(r.Database), terminal.Grouped(r.Vocabulary))
		return nil
	}
	what := fmt.Sprintf("%s of %s terms, %.1f %% of all occurrences", terminal.Grouped(r.Terms), terminal.Grouped(r.Vocabulary), 100*float64(r.Share))
	if r.Done {
		p.Printf("%s: dropped %s; %s bytes before, %s bytes now\n", terminal.Printable(r.Database), what, terminal.Grouped(r.Before), terminal.Grouped(r.After))
		if r.Calibrated != nil {
			p.Printf("calibrated anew: %s\n", Choice(r.Calibrated))
		}
		return nil
	}
	p.Printf("%s: would drop %s; %s bytes now, %s bytes then; --yes does it\n", terminal.Printable(r.Database), what, terminal.Grouped(r.Before), terminal.Grouped(r.After))
	if r.Terms == r.Vocabulary {
		p.Printf("note: these are all terms: no document could be told from another until more are learned\n")
	}
	if p.Quiet {
		return nil
	}
	return terminal.TableOf(r.Most).Write(p.Stdout)
}
