package layer

import (
	"fmt"
	"testing"

	"github.com/polya-classifier/polya/store/count"
)

// countingReader has a row for every term but "gone", and counts how often it was read.
type countingReader struct{ read map[string]int }

func (r countingReader) AppendRows(memory []count.Cell, terms []count.TermCount, _ bool, f func(i int, cells []count.Cell) error) ([]count.Cell, error) {
	for i, t := range terms {
		r.read[string(t.Term)]++
		if string(t.Term) == "gone" {
			continue
		}
		n := uint64(len(t.Term))
		if err := f(i, []count.Cell{{Class: 0, DF: n, TF: 2 * n, W: 3 * n}, {Class: 2, DF: 1, TF: 1, W: 1}}); err != nil {
			return memory, err
		}
	}
	return memory, nil
}

// Rows are those of the reader, which reads each term once as long as there is room.
func TestAppendRows(t *testing.T) {
	for _, full := range []bool{false, true} {
		var x Terms
		r := countingReader{map[string]int{}}
		if full {
			x.rows.cells = make([]cell, mostCells)
		}
		for _, words := range [][]string{{"a", "bcd", "gone"}, {"gone", "bcd", "ef"}, {"ef", "a"}} {
			var terms []count.TermCount
			for _, w := range words {
				terms = append(terms, count.TermCount{Term: []byte(w), N: 1})
			}
			want, got := "", ""
			add := func(to *string) func(int, []count.Cell) error {
				return func(i int, cells []count.Cell) error { *to += fmt.Sprintln(words[i], cells); return nil }
			}
			_, _ = countingReader{map[string]int{}}.AppendRows(nil, terms, false, add(&want))
			if _, err := x.AppendRows(r, nil, terms, x.Numbers(nil, terms), add(&got)); err != nil || got != want {
				t.Errorf("full %v: %v\n%swant\n%s", full, err, got, want)
			}
		}
		if twice := r.read["bcd"] == 2 && r.read["gone"] == 2; twice != full || !full && r.read["a"] != 1 {
			t.Errorf("full %v: read %v", full, r.read)
		}
		if df, err := x.Frequencies(r); err != nil || fmt.Sprint(df) != "[2 4 0 3]" {
			t.Errorf("full %v: frequencies %v, %v", full, df, err)
		}
		if !full && r.read["a"]+r.read["bcd"]+r.read["ef"] != 3 {
			t.Errorf("frequencies read rows again: %v", r.read)
		}
		if !x.First(1) || x.First(1) || !x.First(0) {
			t.Error("a term is first once")
		}
	}
}
