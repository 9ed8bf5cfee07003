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

// all returns the changes in order of N.
func (c *changes) all() (list []change) {
	for n, d := range c.small {
		if d != 0 {
			list = append(list, change{uint64(n), d})
		}
	}
	for _, n := range slices.Sorted(maps.Keys(c.large)) {
		list = append(list, change{n, c.large[n]})
	}
	return list
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
		if !addPairs(&c.Lengths, tail.lengths.all()) || !addFrequencies(c, tail.frequencies.all()) {
			return &fault.Error{What: "log", Err: fmt.Errorf("it takes more from class %q than that has", c.Name)}
		}
	}
	return nil
}

// addFrequencies changes how many terms of a class have which document frequency, and
// returns false if a count falls below zero. The class does not have terms of frequency 0.
func addFrequencies(c *count.Class, changes []change) bool {
	if len(changes) > 0 && changes[0].n == 0 {
		changes = changes[1:]
	}
	terms := int64(0)
	for _, m := range changes {
		terms += m.d
	}
	return addPairs(&c.Frequencies, changes) && rows.AddTo(&c.Terms, terms)
}

// addPairs changes a histogram by changes in order of N, and returns false if a count falls
// below zero.
func addPairs(pairs *[]count.Pair, changes []change) bool {
	old := *pairs
	out := make([]count.Pair, 0, len(old)+len(changes))
	ok := true
	for _, m := range changes {
		same := 0
		for same < len(old) && old[same].N < m.n {
			same++
		}
		out, old = append(out, old[:same]...), old[same:]
		p := count.Pair{N: m.n}
		if len(old) > 0 && old[0].N == m.n {
			p, old = old[0], old[1:]
		}
		ok = rows.AddTo(&p.Count, m.d) && ok
		if p.Count > 0 {
			out = append(out, p)
		}
	}
	*pairs = append(out, old...)
	return ok
}
