package store

import (
	"errors"
	"fmt"
	"testing"

	"github.com/polya-classifier/polya/store/count"
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
