package store

import (
	"errors"
	"fmt"
	"testing"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/table"
)

// A mistake has the same message, whether documents are logged one by one or summed.
func TestSameRefusal(t *testing.T) {
	t.Parallel()
	fast(t)
	known, other := sample(1, "ham"), sample(2, "spam")
	changed := sample(3, "spam")
	changed.ID = known.ID
	mistakes := map[string]func(d *Delta){
		"forget unknown":     func(d *Delta) { d.Forget(other.ID) },
		"relabel unknown":    func(d *Delta) { d.Relabel(other.ID, "spam") },
		"move unknown":       func(d *Delta) { d.Move(other) },
		"take unknown":       func(d *Delta) { d.Take(other) },
		"take another class": func(d *Delta) { d.Take(changed) },
		"take changed":       func(d *Delta) { d.Take(withClass(changed, "ham")) },
		"forget":             func(d *Delta) { d.Forget(known.ID) },
		"relabel":            func(d *Delta) { d.Relabel(known.ID, "spam") },
		"move changed":       func(d *Delta) { d.Move(changed) },
		"add changed":        func(d *Delta) { d.Add(changed) },
	}
	for _, keep := range []count.Ledger{count.LedgerFull, count.LedgerDigest, count.LedgerNone} {
		for name, mistake := range mistakes {
			t.Run(keep.String()+" "+name, func(t *testing.T) {
				var said [2]string
				for i, steps := range []int{1, 1000} {
					tune(t).manySteps = steps
					db := open(t, tempDB(t), Options{Ledger: keep})
					add(t, db, known)
					var d Delta
					mistake(&d)
					applied, err := db.Apply(&d)
					if err != nil {
						err = errors.Unwrap(err) // without the path
					}
					said[i] = fmt.Sprint(applied, err)
				}
				if said[0] != said[1] {
					t.Errorf("summed: %s\nlogged: %s", said[0], said[1])
				}
			})
		}
	}
}

func withClass(d count.Document, class string) count.Document {
	d.Class = class
	return d
}

// No document gives a term more than a weight of 1, whatever is added or taken away.
func TestWeightBound(t *testing.T) {
	t.Parallel()
	row := func(docs uint32, w uint64) []table.Cell {
		return []table.Cell{{Class: 1, DF: uint64(docs), TF: uint64(docs), W: w, U: []uint32{docs}}}
	}
	fold := func(add []table.Cell, docs, w int64) error {
		sum := newTally(new(table.Key))
		c := sum.cell(sum.addCells([]byte("t"), add, func(c uint32) uint32 { return c }), 1)
		c.docs -= docs
		c.w -= w
		var f folder
		_, err := f.fold(nil, sum, 0, func(uint32, uint64, uint64) {})
		return err
	}
	untrain := func(w uint64) error {
		var e editor
		_, _, err := e.untrain(table.AppendRow(nil, row(2, 2*count.WeightUnit)), 1, 1, w)
		return err
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
