package totals

import (
	"slices"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/rows"
	"github.com/polya-classifier/polya/store/internal/stored"
)

// space is memory for histograms of a class, which one record after the other reuses.
type space struct{ changes, frequencies, lengths []count.Pair }

// addHistograms counts a record in new histograms of class c, made in s, which gets the memory of
// the old ones. It returns false if a count falls below zero.
func addHistograms(c *count.Class, rec *stored.Record, s *space) (ok bool) {
	changes, terms := s.changes[:0], int64(0)
	add := func(n uint64, d int64) {
		if n == 0 { // terms of frequency 0 are not counted
			return
		}
		terms += d
		if last := len(changes) - 1; last >= 0 && changes[last].N == n {
			changes[last].Count += uint64(d)
			return
		}
		changes = append(changes, count.Pair{N: n, Count: uint64(d)})
	}
	rec.EachMove(func(before, after uint64, n int64) {
		sign := int64(1)
		if after < before {
			before, after, sign = after, before, -1
		}
		add(before, -sign*n)
		add(after, sign*n)
	})
	frequencies, ok1 := added(s.frequencies, c.Frequencies, changes)
	lengths, ok2 := added(s.lengths, c.Lengths, []count.Pair{{N: rec.Doc.Tokens, Count: uint64(rec.Sign())}})
	*s = space{changes, c.Frequencies, c.Lengths}
	c.Frequencies, c.Lengths = frequencies, lengths
	return rows.AddTo(&c.Terms, terms) && ok1 && ok2
}

// added returns a histogram with changes, which ascend by N and wrap below zero: one by one, each
// would move half of it. It may take the place of space. ok is false if a count falls below zero.
func added(space, old, changes []count.Pair) (out []count.Pair, ok bool) {
	out, ok = slices.Grow(space[:0], len(old)+len(changes)), true
	for _, p := range changes {
		same := 0
		for same < len(old) && old[same].N < p.N {
			same++
		}
		out, old = append(out, old[:same]...), old[same:]
		d := int64(p.Count)
		if p.Count = 0; len(old) > 0 && old[0].N == p.N {
			p, old = old[0], old[1:]
		}
		ok = rows.AddTo(&p.Count, d) && ok
		if p.Count > 0 {
			out = append(out, p)
		}
	}
	return append(out, old...), ok
}
