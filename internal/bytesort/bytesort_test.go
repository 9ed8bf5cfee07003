package bytesort

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"
)

// Lists of bytes with long common beginnings, zeros, and nothing, against slices.SortFunc.
func TestSort(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	var s Sorter[[]byte]
	for _, n := range []int{0, 1, 2, 13, 40, 1000, maxPacked, maxPacked + 1, 7} {
		list := make([][]byte, n)
		for i := range list {
			b := bytes.Repeat([]byte{'a'}, rng.IntN(20))
			for range rng.IntN(12) {
				b = append(b, byte(rng.IntN(3))*127)
			}
			list[i] = b
		}
		want := slices.SortedFunc(slices.Values(list), bytes.Compare)
		s.Sort(list, func(b *[]byte) []byte { return *b })
		if !slices.EqualFunc(list, want, bytes.Equal) {
			t.Errorf("%d elements are not in order", n)
		}
		for _, left := range s.sorted[:cap(s.sorted)] {
			if left != nil {
				t.Fatalf("after %d elements %q is kept", n, left)
			}
		}
	}
}
