package main

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// The best of what is read are those that sorting all of it puts first.
func TestBestCandidates(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(8, 9))
	for _, limit := range []int{1, 2, 7, 100, 1000} {
		b := best{limit: limit}
		var all []candidate
		for i := range 100 {
			c := candidate{Terms: i, rank: float64(rng.IntN(20) - 10)} // equals among them
			all = append(all, c)
			if b.wants(c.rank) {
				b.add(c)
			}
			if len(b.list) > limit {
				t.Fatalf("%d candidates kept, want %d", len(b.list), limit)
			}
		}
		slices.SortStableFunc(all, func(x, y candidate) int { return int(y.rank - x.rank) })
		all = all[:min(limit, len(all))]
		if !slices.EqualFunc(b.sorted(), all, func(x, y candidate) bool { return x.Terms == y.Terms }) {
			t.Errorf("the best %d are %v, want %v", limit, b.list, all)
		}
	}
}
