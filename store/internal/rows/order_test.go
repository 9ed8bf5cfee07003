package rows

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

// Hashes that agree in all of their first bits, or altogether.
func TestByHash(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 2, 3, 64, 1000} {
		hashes := make([]uint64, n)
		for i := range hashes {
			hashes[i] = uint64(rng.IntN(3))<<62 | uint64(rng.IntN(50))
		}
		compare := func(a, b int32) int { return cmp.Or(cmp.Compare(hashes[a], hashes[b]), cmp.Compare(b, a)) }
		want := make([]int32, n)
		for i := range want {
			want[i] = int32(i)
		}
		slices.SortFunc(want, compare)
		if got := ByHash(n, func(i int) uint64 { return hashes[i] }, compare); !slices.Equal(got, want) {
			t.Errorf("%d hashes: %v, want %v", n, got, want)
		}
	}
}
