package layer

import (
	"fmt"
	"testing"

	"github.com/polya-classifier/polya/store/count"
)

// lengths has a row for every term but "gone", of as many documents as it has letters and one.
type lengths struct{}

func (lengths) AppendRows(memory []count.Cell, terms []count.TermCount, _ bool, f func(i int, cells []count.Cell) error) ([]count.Cell, error) {
	for i, t := range terms {
		if string(t.Term) == "gone" {
			continue
		}
		if err := f(i, []count.Cell{{Class: 0, DF: uint64(len(t.Term))}, {Class: 2, DF: 1}}); err != nil {
			return memory, err
		}
	}
	return memory, nil
}

func TestFrequencies(t *testing.T) {
	var x Terms
	for _, words := range [][]string{{"a", "bcd", "gone"}, {"gone", "bcd", "ef"}, {"ef", "a"}} {
		var terms []count.TermCount
		for _, w := range words {
			terms = append(terms, count.TermCount{Term: []byte(w), N: 1})
		}
		x.Numbers(nil, terms)
	}
	if df, err := x.Frequencies(lengths{}); err != nil || fmt.Sprint(df) != "[2 4 0 3]" {
		t.Errorf("frequencies %v, %v", df, err)
	}
	if !x.First(1) || x.First(1) || !x.First(0) {
		t.Error("a term is first once")
	}
}
