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

// Histograms sums the changes of records to the histograms of classes, before they are
// added to the totals: one by one, each change would move half of a histogram.
type Histograms struct{ classes map[count.ClassID]*histograms }

type histograms struct{ lengths, frequencies changes }

// NewHistograms returns empty sums.
func NewHistograms() *Histograms { return &Histograms{make(map[count.ClassID]*histograms)} }

// changes sums the changes of a sparse histogram.
type changes struct {
	blocks []*block         // of N below maxBlocks blocks; nil if nothing was added
	large  map[uint64]int64 // the others
}

// block is so small that a few records touch little memory.
type block [64]int64

// maxBlocks bounds the memory of changes.blocks.
const maxBlocks = 1 << 12

func (c *changes) add(n uint64, d int64) {
	at := n / uint64(len(block{}))
	if at >= maxBlocks {
		if c.large == nil {
			c.large = make(map[uint64]int64)
		}
		c.large[n] += d
		return
	}
	for uint64(len(c.blocks)) <= at {
		c.blocks = append(c.blocks, nil)
	}
	if c.blocks[at] == nil {
		c.blocks[at] = new(block)
	}
	c.blocks[at][n%uint64(len(block{}))] += d
}

// all returns the changes in order of N.
func (c *changes) all() (list []change) {
	for at, b := range c.blocks {
		if b == nil {
			continue
		}
		for i, d := range b {
			if d != 0 {
				list = append(list, change{uint64(at*len(b) + i), d})
			}
		}
	}
	for _, n := range slices.Sorted(maps.Keys(c.large)) {
		list = append(list, change{n, c.large[n]})
	}
	return list
}

// Add adds a record of class c.
func (h *Histograms) Add(c *count.Class, rec *stored.Record) {
	sums := h.classes[c.ID]
	if sums == nil {
		sums = new(histograms)
		h.classes[c.ID] = sums
	}
	sums.lengths.add(rec.Doc.Tokens, rec.Sign())
	rec.EachMove(func(before, after uint64, terms int64) {
		sums.frequencies.add(before, -terms)
		sums.frequencies.add(after, terms)
	})
}

// AddTo adds the sums to t and empties them. Classes of t with changes must be its own
// except for their histograms.
func (h *Histograms) AddTo(t *Totals) error {
	defer clear(h.classes)
	for id, sums := range h.classes {
		lengths, frequencies := sums.lengths.all(), sums.frequencies.all()
		if len(lengths)+len(frequencies) == 0 {
			continue // all changes were undone, and the class may be shared, or gone
		}
		c := t.ByID(id)
		if !addPairs(&c.Lengths, lengths) || !addFrequencies(c, frequencies) {
			return &fault.Error{What: "log", Err: fmt.Errorf("it takes more from class %q than that has", c.Name)}
		}
	}
	return nil
}

// addFrequencies changes the numbers of terms of a class by document frequency, and
// returns false if a count falls below zero. Terms of frequency 0 are not counted.
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
