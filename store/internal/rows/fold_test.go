package rows

import (
	"errors"
	"testing"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/table"
)

// Rows are bounded by themselves too, should totals disagree with them.
func TestManyInRows(t *testing.T) {
	t.Parallel()
	cell := table.Cell{DF: count.MaxDocs, TF: count.MaxDocs, W: 7, U: []uint32{count.MaxDocs}}
	row := table.AppendRow(nil, []table.Cell{cell})
	if _, err := new(Folder).Apply(row, []Change{{Docs: 1, W: 1}}, nil); !errors.Is(err, count.ErrInvalid) {
		t.Errorf("a document: %v", err)
	}
	sum := NewTally(&table.Key{})
	i := sum.AddCells([]byte("t"), []table.Cell{{DF: 1, TF: 1, W: 1, U: []uint32{1}}}, 1, func(uint32) uint32 { return 0 })
	if _, err := new(Folder).Apply(row, sum.Changes(i), nil); !errors.Is(err, count.ErrInvalid) {
		t.Errorf("a sum: %v", err)
	}
}

// No document gives a term more than a weight of 1, whatever is added or taken away.
func TestWeightBound(t *testing.T) {
	t.Parallel()
	row := func(docs uint32, w uint64) []table.Cell {
		return []table.Cell{{Class: 1, DF: uint64(docs), TF: uint64(docs), W: w, U: []uint32{docs}}}
	}
	fold := func(add []table.Cell, docs, w int64) error {
		sum := NewTally(new(table.Key))
		c := sum.cell(sum.AddCells([]byte("t"), add, 1, func(c uint32) uint32 { return c }), 1)
		c.Docs -= docs
		c.W -= w
		_, err := new(Folder).Apply(nil, sum.Changes(0), nil)
		return err
	}
	untrain := func(w uint64) error {
		return Holds(row(2, 2*count.WeightUnit), 1, 1, w)
	}
	for name, err := range map[string]error{
		"fold":           fold(row(2, 2*count.WeightUnit), 0, 0),
		"fold and take":  fold(row(2, 2*count.WeightUnit), 1, count.WeightUnit),
		"untrain":        untrain(count.WeightUnit),
		"untrain beyond": untrain(count.WeightUnit + 1),
	} {
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, err := range map[string]error{
		"fold":          fold(row(2, 2*count.WeightUnit+1), 0, 0),
		"fold and take": fold(row(2, 2*count.WeightUnit), 1, count.WeightUnit-1),
		"untrain":       untrain(count.WeightUnit - 1),
	} {
		if err != count.ErrNotLearned {
			t.Errorf("%s with too much weight: %v", name, err)
		}
	}
}
