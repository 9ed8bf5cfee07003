package statistics

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/polya-classifier/polya/classify/term"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// This file chooses the terms that 'polya prune' drops.

// UnseenSince drops the terms that occur in no document learned since a moment. A
// document of unknown time counts as learned since then.
func UnseenSince(ctx context.Context, db *store.DB, since time.Time) (Goes, error) {
	seen := make(map[string]bool)
	unknown := uint64(0)
	recent := func(t time.Time) bool { return t.IsZero() || !t.Before(since) }
	err := db.View(func(s *store.Snapshot) error {
		for _, c := range s.Classes() {
			unknown += c.Untracked
		}
		err := s.Entries(func(e *store.Entry) error {
			if e.Keep != count.LedgerFull && recent(e.Time) {
				unknown++
			}
			return ctx.Err()
		})
		if err != nil || unknown > 0 {
			return err
		}
		return s.Learned(nil, func(d *count.Document) error {
			if recent(d.Time) {
				for _, t := range d.Terms {
					seen[string(t.Term)] = true
				}
			}
			return ctx.Err()
		})
	})
	if err == nil && unknown > 0 {
		err = fmt.Errorf("%s: which terms %s documents have that may have been learned since then is not in the ledger; prune by --df or --size", db.Path(), terminal.Grouped(unknown))
	}
	return func(term []byte, _ []count.Cell) bool { return !seen[string(term)] }, err
}

// evidence returns the measure of rows by which terms are kept: the mutual information
// between having the term and the class.
func evidence(s *store.Snapshot) func([]count.Cell) float64 {
	return term.Information(s.Classes())
}

// ranked is a term in the order of dropping.
type ranked struct {
	evidence float64
	bytes    float64 // approximate size in the file
	term     string
}

func compareRanked(a, b ranked) int {
	return cmp.Or(cmp.Compare(a.evidence, b.evidence), cmp.Compare(a.term, b.term))
}

// search finds how many of the least informative terms must go for the file to fit.
type search struct {
	ctx   context.Context
	db    *store.DB
	by    func([]count.Cell) float64
	terms []ranked // in order; bytes are cumulative
}

// The search ends when the file has at least closeEnough of the size asked for, or after
// writing it mostTries times.
const (
	closeEnough = 0.98
	mostTries   = 8
)

// Fitting drops the least informative terms, as many as are needed for the file to have
// at most limit bytes.
func Fitting(ctx context.Context, db *store.DB, limit int64) (Goes, error) {
	s := &search{ctx: ctx, db: db}
	if err := db.View(s.rank); err != nil {
		return nil, err
	}
	if size, err := db.Size(); err != nil || size <= limit || len(s.terms) == 0 {
		return s.first(0), err
	}
	one, err := s.size(1)
	if err == nil && one <= limit {
		return nil, fmt.Errorf("%s: it fits without dropping a term: 'polya compact' makes it %s bytes", db.Path(), terminal.Grouped(one))
	}
	none, err2 := s.size(len(s.terms))
	if err := cmp.Or(err, err2); err != nil {
		return nil, err
	}
	if none > limit {
		return nil, fmt.Errorf("%s: cannot be as small as %s bytes: without any term it has %s", db.Path(), terminal.Grouped(limit), terminal.Grouped(none))
	}
	n, err := s.between(1, one, len(s.terms), none, limit)
	return s.first(n), err
}

func (s *search) rank(snap *store.Snapshot) error {
	s.by = evidence(snap)
	err := snap.Scan(false, func(name []byte, cells []count.Cell) error {
		df := float64(term.Frequency(cells))
		// A row and its slot, and its mention in each document of the ledger.
		bytes := float64(8+len(name)+6*len(cells)) + df*float64(3+len(name)/2)
		s.terms = append(s.terms, ranked{s.by(cells), bytes, string(name)})
		return s.ctx.Err()
	})
	slices.SortFunc(s.terms, compareRanked)
	sum := 0.0
	for i := range s.terms {
		sum += s.terms[i].bytes
		s.terms[i].bytes = sum
	}
	return err
}

func (s *search) first(n int) Goes {
	if n == len(s.terms) {
		return func([]byte, []count.Cell) bool { return true }
	}
	return func(term []byte, cells []count.Cell) bool {
		return compareRanked(ranked{s.by(cells), 0, string(term)}, s.terms[n]) < 0
	}
}

// size returns the size of the file without the first n terms.
func (s *search) size(n int) (int64, error) {
	out, err := s.db.Prune(s.ctx, true, s.first(n))
	return out.After, err
}

// between returns how many terms must go: more than low, where the file is too large, and
// at most high, where it fits. It interpolates the size by the bytes of the terms.
func (s *search) between(low int, tooLarge int64, high int, fits, limit int64) (int, error) {
	for range mostTries {
		if high-low < 2 || float64(fits) >= closeEnough*float64(limit) {
			break
		}
		// A little below the limit, so that the result fits.
		goal := float64(limit) * (1 + closeEnough) / 2
		share := (float64(tooLarge) - goal) / float64(tooLarge-fits)
		from, to := s.terms[low-1].bytes, s.terms[high-1].bytes
		n, _ := slices.BinarySearchFunc(s.terms, from+share*(to-from), func(t ranked, bytes float64) int { return cmp.Compare(t.bytes, bytes) })
		n = min(max(n+1, low+1), high-1)
		size, err := s.size(n)
		if err != nil {
			return 0, err
		}
		if size > limit {
			low, tooLarge = n, size
		} else {
			high, fits = n, size
		}
	}
	return high, nil
}
