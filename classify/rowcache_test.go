package classify

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/polya-classifier/polya/classify/model"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// A rowCache reads what the Snapshot reads, whether it has read a term before, has forgotten
// it, or nobody has it; and it counts in how many documents each is.
func TestRowCacheIsTheSnapshot(t *testing.T) {
	t.Parallel()
	c := layered(t, Options{}, 3)
	rng := rand.New(rand.NewPCG(7, 7))
	for i := range 60 {
		trainDocuments(t, c, fmt.Sprint("class", i%3), someWords(rng, i%3, 20, 100))
	}
	rows := func(r model.Reader, terms []count.TermCount, levels bool) (list []string) {
		_, err := r.AppendRows(nil, terms, levels, func(i int, cells []count.Cell) error {
			list = append(list, fmt.Sprintf("%s %+v", terms[i].Term, cells))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	err := c.Store().View(func(s *store.Snapshot) error {
		cache := &rowCache{Snapshot: s, known: model.Numbered{FieldsOf: fieldsOf}}
		n := 0
		err := s.Learned(nil, func(doc *count.Document) error {
			terms := append(slices.Clone(doc.Terms), count.TermCount{Term: fmt.Append(nil, "unknown", n%7), N: 1})
			if n++; n%20 == 0 {
				cache.known.Forget()
			}
			levels := n%5 == 0
			if got, want := rows(cache, terms, levels), rows(s, terms, levels); !slices.Equal(got, want) {
				t.Errorf("document %d: %v, want %v", n, got, want)
			}
			got, want := model.Evidence{Terms: terms, FieldsOf: fieldsOf}, model.Evidence{Terms: terms, FieldsOf: fieldsOf}
			if err := errors.Join(cache.evidence(&got, levels), want.ReadTerms(s, levels)); err != nil {
				return err
			}
			for _, list := range [][]model.Row{want.Rows, want.Channel} {
				for i := range list {
					if !levels {
						list[i].Term = nil
					}
				}
			}
			if got.Tokens != want.Tokens || !reflect.DeepEqual(got.Rows, want.Rows) || !reflect.DeepEqual(got.Channel, want.Channel) {
				t.Fatalf("document %d: evidence %v, want %v", n, got.Rows, want.Rows)
			}
			return nil
		})
		if err != nil || n < 60 {
			t.Fatalf("%d documents: %v", n, err)
		}
		df, err := cache.terms.Frequencies(cache.known.DF, cache.Rows)
		if err != nil {
			return err
		}
		for i, got := range df {
			want := uint64(0)
			term := []count.TermCount{{Term: cache.terms.Term(i), N: 1}}
			err := s.Rows(term, false, func(_ int, cells []count.Cell) error {
				for _, cell := range cells {
					want += cell.DF
				}
				return nil
			})
			if err != nil || got != want {
				t.Errorf("%s is in %d documents, want %d: %v", term[0].Term, got, want, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
