package tokenize

import (
	"cmp"
	"math"
	"slices"
)

// Strongest returns, for each of the Parts, the places of terms that have a weight, in order
// and without overlaps: a byte of two terms belongs to the one with the larger absolute
// weight, and to the later one of equal weights. So only some pieces of a Span may be left.
func (t *Trace) Strongest(weights map[string]float64) [][]Span {
	of := make([][]Span, len(t.Parts))
	for _, s := range t.Spans {
		if s.End > s.Start && weights[s.Term] != 0 {
			of[s.Part] = append(of[s.Part], s)
		}
	}
	for part, spans := range of {
		slices.SortStableFunc(spans, func(x, y Span) int {
			return cmp.Compare(math.Abs(weights[x.Term]), math.Abs(weights[y.Term]))
		})
		of[part] = painted(spans, len(t.Parts[part].Text))
	}
	return of
}

// painted returns the visible parts of spans in a text of n bytes if each covers the ones
// before. It visits each byte once, however many spans cover it.
func painted(spans []Span, n int) (seen []Span) {
	owner := make([]int32, n)  // index into spans plus one
	free := make([]int32, n+1) // that byte if no span has it, or a byte on the way to the next free one
	for at := range free {
		free[at] = int32(at)
	}
	next := func(at int32) int32 {
		for free[at] != at {
			free[at] = free[free[at]]
			at = free[at]
		}
		return at
	}
	for i, s := range slices.Backward(spans) {
		for at := next(int32(s.Start)); at < int32(s.End); at = next(at) {
			owner[at], free[at] = int32(i+1), at+1
		}
	}
	for at := 0; at < n; {
		start := at
		for at < n && owner[at] == owner[start] {
			at++
		}
		if i := owner[start]; i > 0 {
			s := spans[i-1]
			s.Start, s.End = start, at
			seen = append(seen, s)
		}
	}
	return seen
}
