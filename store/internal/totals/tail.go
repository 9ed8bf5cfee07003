package totals

import (
	"fmt"
	"maps"
	"slices"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/fault"
	"github.com/polya-classifier/polya/store/internal/rows"
	"github.com/polya-classifier/polya/store/internal/stored"
)

// tailSums sums the histograms of many records before they are added to the
// totals: one by one, each would move half of a histogram.
type tailSums struct {
	t       *Totals
	classes []struct{ lengths, frequencies *changes }
}

// changes sums the changes of a sparse histogram.
type changes struct {
	small []int64          // those of N below its length
	large map[uint64]int64 // the others
}

// maxSmall bounds the memory of changes.small.
const maxSmall = 1 << 15

// usualTail is how many records a tail may have that is not longer than it should be.
const usualTail = 4000

func (c *changes) add(n uint64, d int64) {
	if n < uint64(len(c.small)) {
		c.small[n] += d
		return
	}
	if c.large == nil {
		c.large = make(map[uint64]int64)
	}
	c.large[n] += d
}

// all yields the changes in order of N.
func (c *changes) all(yield func(n uint64, d int64) bool) {
	for n, d := range c.small {
		if d != 0 && !yield(uint64(n), d) {
			return
		}
	}
	for _, n := range slices.Sorted(maps.Keys(c.large)) {
		if !yield(n, c.large[n]) {
			return
		}
	}
}

func (s *tailSums) add(rec *stored.Record) error {
	i := s.t.At(rec.Class)
	if i < 0 {
		return rec.Damaged(ErrNoClass)
	}
	c := &s.classes[i]
	if c.lengths == nil {
		// No term is in more documents than there are; few documents are long.
		docs := min(s.t.Classes[i].Docs+usualTail, maxSmall)
		c.lengths = &changes{small: make([]int64, 1<<10)}
		c.frequencies = &changes{small: make([]int64, docs)}
	}
	c.lengths.add(rec.Doc.Tokens, rec.Sign())
	rec.EachMove(func(before, after uint64, terms int64) {
		c.frequencies.add(before, -terms)
		c.frequencies.add(after, terms)
	})
	bare := *rec
	bare.DropMoves()
	return s.t.count(s.t.Classes[i], &bare)
}

func (s *tailSums) finish() error {
	for i, tail := range s.classes {
		if tail.lengths == nil {
			continue
		}
		c := s.t.Classes[i]
		tail.frequencies.small[0] = 0 // terms that the class does not have
		ok := addPairs(&c.Lengths, tail.lengths) && addPairs(&c.Frequencies, tail.frequencies)
		for _, n := range tail.frequencies.all {
			ok = rows.AddTo(&c.Terms, n) && ok
		}
		if !ok {
			return &fault.Error{What: "log", Err: fmt.Errorf("it takes more from class %q than that has", c.Name)}
		}
	}
	return nil
}

// addPairs changes a histogram, and returns false if a count falls below zero.
func addPairs(pairs *[]count.Pair, c *changes) bool {
	old := *pairs
	out := make([]count.Pair, 0, 2*len(old))
	ok := true
	for n, d := range c.all {
		for len(old) > 0 && old[0].N < n {
			out, old = append(out, old[0]), old[1:]
		}
		p := count.Pair{N: n}
		if len(old) > 0 && old[0].N == n {
			p, old = old[0], old[1:]
		}
		ok = rows.AddTo(&p.Count, d) && ok
		if p.Count > 0 {
			out = append(out, p)
		}
	}
	*pairs = append(out, old...)
	return ok
}
