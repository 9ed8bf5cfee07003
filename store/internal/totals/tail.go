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

// histograms are changes of counts by N.
type histograms struct{ lengths, frequencies map[uint64]int64 }

// usualChanges is how many frequencies a few documents change.
const usualChanges = 128

// NewHistograms returns empty sums.
func NewHistograms() *Histograms { return &Histograms{make(map[count.ClassID]*histograms)} }

// Add adds a record of class c.
func (h *Histograms) Add(c *count.Class, rec *stored.Record) {
	sums := h.classes[c.ID]
	if sums == nil {
		sums = &histograms{make(map[uint64]int64), make(map[uint64]int64, usualChanges)}
		h.classes[c.ID] = sums
	}
	sums.lengths[rec.Doc.Tokens] += rec.Sign()
	rec.EachMove(func(before, after uint64, terms int64) {
		sums.frequencies[before] -= terms
		sums.frequencies[after] += terms
	})
}

// AddTo adds the sums to t and empties them. Classes of t with changes must be its own
// except for their histograms.
func (h *Histograms) AddTo(t *Totals) error {
	defer clear(h.classes)
	for id, sums := range h.classes {
		c := t.ByID(id)
		delete(sums.frequencies, 0) // terms of frequency 0 are not counted
		terms := int64(0)
		for _, d := range sums.frequencies {
			terms += d
		}
		if !addPairs(&c.Lengths, sums.lengths) || !addPairs(&c.Frequencies, sums.frequencies) || !rows.AddTo(&c.Terms, terms) {
			return &fault.Error{What: "log", Err: fmt.Errorf("it takes more from class %q than that has", c.Name)}
		}
	}
	return nil
}

// addPairs replaces a histogram by one with changes, and returns false if a count falls below
// zero.
func addPairs(pairs *[]count.Pair, changes map[uint64]int64) bool {
	old := *pairs
	out := make([]count.Pair, 0, len(old)+len(changes))
	ok := true
	for _, n := range slices.Sorted(maps.Keys(changes)) {
		same := 0
		for same < len(old) && old[same].N < n {
			same++
		}
		out, old = append(out, old[:same]...), old[same:]
		p := count.Pair{N: n}
		if len(old) > 0 && old[0].N == n {
			p, old = old[0], old[1:]
		}
		ok = rows.AddTo(&p.Count, changes[n]) && ok
		if p.Count > 0 {
			out = append(out, p)
		}
	}
	*pairs = append(out, old...)
	return ok
}
