package rows

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/polya-classifier/polya/store/internal/table"
)

// The cells of a tally equal the entries of a map, whichever classes there are and in
// whatever order they come.
func TestTallyCells(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.SampledFrom([]uint32{1, 5, 30, 200, 5000, 1<<32 - 1}).Draw(t, "largest class")
		sum := NewTally(new(table.Key))
		want := map[string]map[uint32]int64{}
		for range rapid.IntRange(0, 400).Draw(t, "additions") {
			term := rapid.SampledFrom([]string{"a", "b"}).Draw(t, "term")
			class := rapid.Uint32Range(0, most).Draw(t, "class")
			sum.cell(sum.Find(sum.key.Hash([]byte(term)), []byte(term)), class).Docs++
			if want[term] == nil {
				want[term] = map[uint32]int64{}
			}
			want[term][class]++
		}
		for i := range sum.terms {
			cells := want[string(sum.Term(i))]
			for _, c := range sum.Changes(i) {
				if cells[c.Class] != c.Docs {
					t.Fatalf("class %d has %d, want %d", c.Class, c.Docs, cells[c.Class])
				}
				delete(cells, c.Class)
			}
			if len(cells) > 0 {
				t.Fatalf("no cell for %v", cells)
			}
		}
	})
}
