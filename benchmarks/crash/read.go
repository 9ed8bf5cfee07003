package crash

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"

	"github.com/polya-classifier/polya/benchmarks/harness"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// found is the content of a file for each trainer.
type found []moment

// read opens a file, checks it and sums its content. A missing file, or one in which
// nothing was learned, is empty.
func (m *Model) read(folder, name string, goOn bool) (found, error) {
	f := make(found, len(m.trainers))
	db, err := store.Open(filepath.Join(folder, name), store.Options{MustExist: true})
	if errors.Is(err, store.ErrNotExist) || errors.Is(err, store.ErrEmpty) {
		return f, nil
	}
	if err == nil {
		defer db.Close()
		err = harness.Try(func() {
			check(db)
			harness.Check(db.View(func(s *store.Snapshot) error { return harness.Try(func() { f.sum(s, m.plan.Ledger) }) }))
			if goOn {
				m.trainAfter(db)
			}
		})
	}
	if err != nil {
		return nil, &FaultError{Damaged, name, fmt.Sprintf("%s: %v", m.plan, err)}
	}
	return f, nil
}

func check(db *store.DB) {
	var wrong error
	harness.Must(db.Check(context.Background(), func(p error) { wrong = errors.Join(wrong, p) }))
	harness.Check(wrong)
}

// trainAfter learns one more document.
func (m *Model) trainAfter(db *store.DB) {
	doc := m.plan.content(len(m.trainers), 0)
	doc.Class = "after"
	var d store.Delta
	harness.Check(d.Add(doc))
	if a := harness.Must(db.Apply(&d)); a.Learned != 1 {
		harness.Failf("training after it: %v", a)
	}
	check(db)
}

// sum adds up the content of a snapshot.
func (f found) sum(s *store.Snapshot, ledger count.Ledger) {
	classes := s.Classes()
	of, number := make([]*Sums, len(classes)), make([]int, len(classes))
	for i, c := range classes {
		k, class, ok := parseClass(c.Name)
		if !ok || k >= len(f) {
			harness.Failf("class %q is nobody's", c.Name)
		}
		of[i], number[i] = &f[k].sums, class
		if class == renamed && c.Docs > 0 {
			f[k].name += c.Name
		}
		of[i].Docs += c.Docs
		of[i].class(class, c.Docs, c.Tokens, c.Weight, c.Dropped, c.DroppedWeight)
		for _, l := range c.Lengths {
			of[i].length(class, l.N, l.Count)
		}
	}
	harness.Check(s.Scan(true, func(term []byte, cells []count.Cell) error {
		for i := range cells {
			c := &cells[i]
			of[c.Class].row(number[c.Class], string(term), c.W, len(c.U), func(j int) uint64 { return uint64(c.U[j]) })
		}
		return nil
	}))
	if len(harness.Must(s.Attributes())) > 0 {
		harness.Check(s.EachValue(attribute, func(value *count.Attribute, counts []uint64) error {
			for i, n := range counts {
				of[i].attribute(number[i], value.Category, n)
			}
			return nil
		}))
	}
	f.ledger(s, ledger)
	f[0].sums.Position = harness.Must(s.Position())
	for k := range f {
		if v := s.State(stateKey(k)); v != nil {
			f[k].sums.State = harness.Must(strconv.ParseUint(string(v), 10, 64))
		}
	}
}

func (f found) ledger(s *store.Snapshot, ledger count.Ledger) {
	sums := func(name string) (*Sums, int) {
		k, class, _ := parseClass(name)
		return &f[k].sums, class
	}
	entries, documents := 0, 0
	harness.Check(s.Entries(func(e *store.Entry) error {
		entries++
		if e.Keep == count.LedgerDigest {
			of, class := sums(e.Class)
			of.entry(class, e.ID, e.Time.Unix(), e.Source, 1)
		}
		return nil
	}))
	harness.Check(s.Learned(nil, func(d *count.Document) error {
		documents++
		of, class := sums(d.Class)
		of.document(class, d, 1)
		return nil
	}))
	if ledger == count.LedgerFull && entries != documents {
		harness.Failf("the ledger has %d entries and %d documents", entries, documents)
	}
}
