package statistics

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/polya-classifier/polya/classify/term"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// This file chooses the terms that 'polya prune' drops.

// evidence returns the measure of rows by which terms are kept: the mutual information
// between having the term and the class.
func evidence(s *store.Snapshot) func([]count.Cell) float64 {
	return term.Information(s.Classes())
}

// ranked is a term in the order of dropping.
type ranked struct {
	evidence float64
	bytes    float64 // approximate size in the file, of it and those before it
	term     string
}

func compareRanked(a, b ranked) int {
	return cmp.Or(cmp.Compare(a.evidence, b.evidence), cmp.Compare(a.term, b.term))
}

// Fitting ends when the file has at least closeEnough of the size asked for, or after writing it
// mostTries times, each of which halves what is not known of the terms.
const (
	closeEnough = 0.98
	mostTries   = 10
)

// Fitting drops the least informative terms, as many as are needed for the file to have
// at most limit bytes.
func Fitting(ctx context.Context, db *store.DB, limit int64) (Goes, error) {
	var by func([]count.Cell) float64
	var terms []ranked
	err := db.View(func(s *store.Snapshot) (err error) {
		by = evidence(s)
		terms, err = rank(ctx, s, by)
		return err
	})
	if err != nil {
		return nil, err
	}
	first := func(n int) Goes {
		return func(term []byte, cells []count.Cell) bool {
			return n == len(terms) || compareRanked(ranked{by(cells), 0, string(term)}, terms[n]) < 0
		}
	}
	if size, err := db.Size(); err != nil || size <= limit || len(terms) == 0 {
		return func([]byte, []count.Cell) bool { return false }, err
	}
	size := func(n int) (int64, error) {
		out, err := db.Prune(ctx, true, first(n))
		return out.After, err
	}
	one, err := size(1)
	if err == nil && one <= limit {
		return nil, fmt.Errorf("%s: it fits without dropping a term: 'polya compact' makes it %s bytes", db.Path(), terminal.Grouped(one))
	}
	low, high := 1, len(terms) // too large, and fits
	fits, err2 := size(high)
	if err := cmp.Or(err, err2); err != nil {
		return nil, err
	}
	if fits > limit {
		return nil, fmt.Errorf("%s: cannot be as small as %s bytes: without any term it has %s", db.Path(), terminal.Grouped(limit), terminal.Grouped(fits))
	}
	for range mostTries {
		if high-low < 2 || float64(fits) >= closeEnough*float64(limit) {
			break
		}
		n, _ := slices.BinarySearchFunc(terms, (terms[low-1].bytes+terms[high-1].bytes)/2, func(t ranked, bytes float64) int { return cmp.Compare(t.bytes, bytes) })
		n = min(max(n+1, low+1), high-1)
		now, err := size(n)
		if err != nil {
			return nil, err
		}
		if now > limit {
			low = n
		} else {
			high, fits = n, now
		}
	}
	return first(high), nil
}

// rank returns the terms in the order of dropping.
func rank(ctx context.Context, s *store.Snapshot, by func([]count.Cell) float64) (terms []ranked, err error) {
	err = s.Scan(false, func(name []byte, cells []count.Cell) error {
		df := float64(term.Frequency(cells))
		// A row and its slot, and its mention in each document of the ledger.
		bytes := float64(8+len(name)+6*len(cells)) + df*float64(3+len(name)/2)
		terms = append(terms, ranked{by(cells), bytes, string(name)})
		return ctx.Err()
	})
	slices.SortFunc(terms, compareRanked)
	for i := 1; i < len(terms); i++ {
		terms[i].bytes += terms[i-1].bytes
	}
	return terms, err
}
