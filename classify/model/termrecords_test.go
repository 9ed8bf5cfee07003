package model

import (
	"context"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/polya-classifier/polya/classify/internal/layer"
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

// What is kept of terms stays within its bounds, and says what a scorer says without it,
// however many ask at a time.
func TestRecordsAreBounded(t *testing.T) {
	t.Parallel()
	kept.Add(maxAll) // as if other models had all the memory
	defer kept.Add(-maxAll)
	totals := Totals{Documents: 300, Vocabulary: 40_000}
	for class := range 3 {
		totals.Classes = append(totals.Classes, &count.Class{
			ID: count.ClassID(class), Docs: 100, Tokens: 60_000, Weight: 5 << 20, Terms: 20_000,
			Frequencies: []count.Pair{{N: 3, Count: 20_000}},
		})
	}
	layered := Stack{Label: "layered", Components: append(testStack().Components, Component{Model: someLayer(), Weight: .8})}
	for _, m := range []Stack{testStack(), layered, Single(Multinomial{}), Single(Ratio{}), Single(Normalised{})} {
		m.Components = slices.DeleteFunc(slices.Clone(m.Components), func(c Component) bool {
			_, complement := c.Model.(Complement)
			return complement
		})
		scorer := m.Prepare(totals)
		sums := NewTermSums(scorer, 3)
		if sums == nil {
			t.Fatalf("%s has no sums", m.Name())
		}
		sums.Strong = func(row *Row) float64 { return float64(row.DF % 3) }
		sums.FieldsOf = func(term []byte) Fields {
			if len(term) > 5 {
				return SubjectFields
			}
			return TextFields
		}
		var group sync.WaitGroup
		var turns atomic.Int64
		for seed := range uint64(4) {
			group.Go(func() {
				rng, reading := rand.New(rand.NewPCG(3, seed)), new(Reading)
				for range 20 {
					e := Evidence{FieldsOf: sums.FieldsOf}
					var hashes []uint64
					first := rng.IntN(200_000)
					for i := range maxFresh {
						n := (first + 37*i) % 200_000
						e.Terms = append(e.Terms, count.TermCount{Term: strconv.AppendInt(nil, int64(n), 10), N: uint8(1 + n%5)})
						hashes = append(hashes, uint64(n)*0x9e3779b97f4a7c15)
					}
					before := sums.records.table()
					var found, strong []strongTerm
					known, err := reading.ReadTerms(oneCell{}, sums, &e, hashes, func(ratio float64, field bool) { found = append(found, strongTerm{ratio, field}) })
					if err != nil {
						t.Error(err)
						return
					}
					now := sums.records.table()
					if now != before {
						turns.Add(1)
					}
					got, want := make([]float64, 3), make([]float64, 3)
					reading.Score(sums, &e, got, known)
					if err := e.ReadTerms(oneCell{}, false); err != nil {
						t.Error(err)
						return
					}
					scorer.Score(&e, want)
					if known != len(e.Rows) || !slices.Equal(got, want) {
						t.Errorf("%s: %v of %d terms, want %v of %d", m.Name(), got, known, want, len(e.Rows))
						return
					}
					for i := range e.Rows {
						if ratio := sums.Strong(&e.Rows[i]); ratio != 0 {
							strong = append(strong, strongTerm{ratio, sums.FieldsOf(e.Rows[i].Term) > TextFields})
						}
					}
					if !slices.Equal(found, strong) {
						t.Errorf("%s: strong terms %v, want %v", m.Name(), found, strong)
						return
					}
					if now != before && before.filled != sureBlocks {
						t.Errorf("%s: a full table has %d blocks", m.Name(), before.filled)
						return
					}
				}
			})
		}
		group.Wait()
		if turns.Load() < 1 {
			t.Errorf("%s: no table was ever full", m.Name())
		}
	}
}

type strongTerm struct {
	ratio float64
	field bool
}

// someLayer has weights of some of the terms of oneCell in three classes.
func someLayer() Layer {
	rng, terms, df := rand.New(rand.NewPCG(4, 4)), new(layer.Terms), []uint64(nil)
	learner := layer.New(3, terms)
	for i := range 600 {
		doc := count.Document{ID: count.DocID{byte(i), byte(i >> 8)}}
		for k := range 20 {
			n := 10_000*k + 3*rng.IntN(100) + 1 + i%2
			doc.Terms = append(doc.Terms, count.TermCount{Term: strconv.AppendInt(nil, int64(n), 10), N: 1})
		}
		numbers := terms.Numbers(nil, doc.Terms)
		df = append(df, make([]uint64, terms.Len()-len(df))...)
		for _, n := range numbers {
			df[n]++
		}
		learner.Add(&doc, numbers, rng.IntN(3), nil, nil)
	}
	weights := learner.Learn(context.Background(), 600, df)
	return Layer{Weights: layer.Parse(weights.Marshal([]count.ClassID{2, 0, 1}))}
}

// Tables that nobody has any more give their memory back.
func TestRecordsGo(t *testing.T) {
	before := kept.Load()
	func() {
		table := newRecordTable()
		for table.reserve(maxRecord) && table.filled < 5 {
			table.free = nil
		}
		if kept.Load() < before+5 {
			t.Errorf("%d blocks are kept, %d before", kept.Load(), before)
		}
	}()
	for range 1000 {
		if runtime.GC(); kept.Load() <= before {
			return
		}
		runtime.Gosched()
	}
	t.Errorf("%d blocks are kept, %d before", kept.Load(), before)
}
