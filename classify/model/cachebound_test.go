package model

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/polya-classifier/polya/store/count"
)

// oneCell is a Reader of which every third term is unknown.
type oneCell struct{}

func (oneCell) AppendRows(memory []count.Cell, terms []count.TermCount, _ bool, f func(i int, cells []count.Cell) error) ([]count.Cell, error) {
	for i := range terms {
		n, _ := strconv.Atoi(string(terms[i].Term))
		if n%3 == 0 {
			continue
		}
		first := len(memory)
		for class := range 3 {
			if n>>class&1 == 0 {
				memory = append(memory, count.Cell{Class: class, DF: uint64(1 + n%7), TF: uint64(1 + n%7), W: uint64(1000 * (1 + n%7))})
			}
		}
		if len(memory) > first {
			if err := f(i, memory[first:len(memory):len(memory)]); err != nil {
				return memory, err
			}
		}
	}
	return memory, nil
}

func (oneCell) CategoryCounts(string, string, []uint64) (bool, error) { return false, nil }

func (oneCell) GreatestWithout(string, int, float64) (float64, bool, error) { return 0, false, nil }

// The cache stays within its bounds, and says what a scorer says without it.
func TestCacheIsBounded(t *testing.T) {
	t.Parallel()
	totals := Totals{Documents: 300, Vocabulary: 40_000}
	for class := range 3 {
		totals.Classes = append(totals.Classes, &count.Class{
			ID: count.ClassID(class), Docs: 100, Tokens: 60_000, Weight: 5 << 20, Terms: 20_000,
			Frequencies: []count.Pair{{N: 3, Count: 20_000}},
		})
	}
	for _, m := range []Stack{testStack(), Single(Multinomial{}), Single(Ratio{}), Single(Normalised{})} {
		m.Components = slices.DeleteFunc(slices.Clone(m.Components), func(c Component) bool {
			_, complement := c.Model.(Complement)
			return complement
		})
		scorer := m.Prepare(totals)
		sums := NewTermSums(scorer, 3)
		if sums == nil {
			t.Fatalf("%s has no sums", m.Name())
		}
		rng, cache, turns := rand.New(rand.NewPCG(3, 1)), new(Cache), 0
		for range 40 {
			var e Evidence
			var hashes []uint32
			for _, n := range rng.Perm(40_000)[:1_500] {
				e.Terms = append(e.Terms, count.TermCount{Term: strconv.AppendInt(nil, int64(n), 10), N: uint8(1 + n%5)})
				hashes = append(hashes, uint32(n)*0x9e3779b1)
			}
			old := cache.old.used
			known, _, err := cache.ReadTerms(oneCell{}, sums, &e, hashes)
			if err != nil {
				t.Fatal(err)
			}
			if cache.old.used != old {
				turns++
			}
			got, want := make([]float64, 3), make([]float64, 3)
			cache.Score(sums, &e, got, known)
			if err := e.ReadTerms(oneCell{}, false); err != nil {
				t.Fatal(err)
			}
			scorer.Score(&e, want)
			if known != len(e.Rows) || !slices.Equal(got, want) {
				t.Fatalf("%s: %v of %d terms, want %v of %d", m.Name(), got, known, want, len(e.Rows))
			}
			for _, g := range []*generation{&cache.young, &cache.old} {
				if g.used > maxCachedTerms+MaxCached || 3*g.used > 2*cacheSlots || len(g.data) > maxCachedBytes+1<<20 {
					t.Fatalf("%s: %d terms, %d bytes", m.Name(), g.used, len(g.data))
				}
			}
		}
		if turns < 2 {
			t.Errorf("%s: the generations have changed places %d times", m.Name(), turns)
		}
	}
}
