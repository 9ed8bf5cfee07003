package sum

import (
	"fmt"
	"testing"

	"github.com/polya-classifier/polya/classify/model"
	"github.com/polya-classifier/polya/store/count"
)

// rows is a Reader of some rows.
type rows map[string][]count.Cell

func (r rows) AppendRows(memory []count.Cell, terms []count.TermCount, levels bool, f func(int, []count.Cell) error) ([]count.Cell, error) {
	for i, t := range terms {
		first := len(memory)
		for _, cell := range r[string(t.Term)] {
			if !levels {
				cell.U = nil
			}
			memory = append(memory, cell)
		}
		if len(memory) > first {
			if err := f(i, memory[first:len(memory):len(memory)]); err != nil {
				return memory, err
			}
		}
	}
	return memory, nil
}

func (rows) CategoryCounts(_, _ string, counts []uint64) (bool, error) {
	for c := range counts {
		counts[c] = uint64(c + 1)
	}
	return true, nil
}

func (rows) GreatestWithout(string, int, float64) (float64, bool, error) { return 0, false, nil }

// TestRows holds that rows and totals are those of the base and, times over, of the user,
// with the classes of both in order of name.
func TestRows(t *testing.T) {
	t.Parallel()
	base := model.Totals{Documents: 1000, Vocabulary: 9, Classes: []*count.Class{
		{ID: 7, Name: "ham", Docs: 600, Tokens: 5000, Weight: 100},
		{ID: 3, Name: "spam", Docs: 400, Tokens: 4000, Weight: 90},
	}}
	own := model.Totals{Documents: 5, Vocabulary: 3, Classes: []*count.Class{
		{ID: 1, Name: "kids", Docs: 2, Tokens: 20, Weight: 5},
		{ID: 2, Name: "spam", Docs: 3, Tokens: 30, Weight: 6},
	}}
	s := New(base, own)
	n := s.Times
	if n != 16 {
		t.Errorf("each of 5 lessons counts %d times", n)
	}
	for i, want := range []string{"ham 600 600 100", "kids 2 32 80", "spam 403 448 186"} {
		all, scored := s.Classes[i], s.Totals.Classes[i]
		if got := fmt.Sprint(all.Name, " ", all.Docs, " ", scored.Docs, " ", scored.Weight); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	if s.Totals.Documents != 1000+5*n || s.Prior[2].Docs != 400 || s.Prior[1].Docs != 2 || s.Classes[2].ID != 3 || s.Classes[1].ID != noClass {
		t.Errorf("%+v", s)
	}
	r := &Reader{Sum: s,
		Shared: rows{"a": {{Class: 0, DF: 5, TF: 6, W: 7, U: []uint32{5, 1}}}, "b": {{Class: 0, DF: 1, TF: 1, W: 1, U: []uint32{1}}, {Class: 1, DF: 2, TF: 3, W: 4, U: []uint32{2, 1}}}},
		User:   rows{"b": {{Class: 1, DF: 1, TF: 3, W: 2, U: []uint32{1, 1, 1}}}, "c": {{Class: 0, DF: 2, TF: 2, W: 1, U: []uint32{2}}}},
	}
	var got []string
	_, err := r.AppendRows(nil, []count.TermCount{{Term: []byte("c")}, {Term: []byte("a")}, {Term: []byte("no")}, {Term: []byte("b")}, {Term: []byte("c")}}, false,
		func(i int, cells []count.Cell) error {
			got = append(got, fmt.Sprint(i, cells, len(r.Own())))
			return nil
		})
	want := "[0 [{1 32 32 16 []}] 1 1 [{0 5 6 7 []}] 0 3 [{0 1 1 1 []} {2 18 51 36 []}] 1 4 [{1 32 32 16 []}] 1]"
	if s := fmt.Sprint(got); s != want || err != nil {
		t.Errorf("%s, want %s; %v", s, want, err)
	}
	counts := make([]uint64, 3)
	if known, err := r.CategoryCounts("x", "y", counts); !known || err != nil || fmt.Sprint(counts) != "[1 0 2]" {
		t.Errorf("%v %v %v", counts, known, err)
	}
}
