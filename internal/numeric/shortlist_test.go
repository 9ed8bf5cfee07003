package numeric

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

// What is kept is what sorting all of it puts first.
func TestShortlist(t *testing.T) {
	t.Parallel()
	type thing struct{ rank, number int }
	compare := func(a, b thing) int { return cmp.Compare(b.rank, a.rank) }
	rng := rand.New(rand.NewPCG(8, 9))
	for _, limit := range []int{0, 1, 2, 7, 100, 1000} {
		l := Shortlist[thing]{Limit: limit, Compare: compare}
		var all []thing
		for i := range 100 {
			x := thing{rng.IntN(20), i} // equals among them
			all = append(all, x)
			l.Add(x)
			if limit > 0 && len(l.list) >= 2*limit {
				t.Fatalf("%d are kept, want %d", len(l.list), limit)
			}
		}
		slices.SortStableFunc(all, compare)
		if limit > 0 {
			all = all[:min(limit, len(all))]
		}
		if !slices.Equal(l.First(), all) {
			t.Errorf("the first %d are %v, want %v", limit, l.list, all)
		}
	}
}
