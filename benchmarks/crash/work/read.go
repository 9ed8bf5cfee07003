package work

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"

	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// found is the content of a file.
type found struct {
	plan     *Plan
	trainers []moment
}

func (f *found) of(k int) moment { return f.trainers[k] }

// read opens a file, checks it and sums its content. A missing file, or one in which
// nothing was learned, is empty.
func (m *Model) read(folder, name string, goOn bool) (*found, error) {
	f := &found{&m.plan, make([]moment, len(m.trainers))}
	damaged := func(err error) error { return &FaultError{Damaged, name, fmt.Sprintf("%s: %v", m.plan, err)} }
	db, err := store.Open(filepath.Join(folder, name), store.Options{MustExist: true})
	if errors.Is(err, store.ErrNotExist) || errors.Is(err, store.ErrEmpty) {
		return f, nil
	}
	if err != nil {
		return nil, damaged(err)
	}
	defer db.Close()
	check := func() error {
		var wrong error
		_, err := db.Check(context.Background(), func(p error) { wrong = errors.Join(wrong, p) })
		return errors.Join(err, wrong)
	}
	if err := check(); err != nil {
		return nil, damaged(err)
	}
	if err := db.View(f.sum); err != nil {
		return nil, damaged(err)
	}
	if !goOn {
		return f, nil
	}
	doc := m.plan.content(len(m.trainers), 0)
	doc.Class = "after"
	var d store.Delta
	if err := d.Add(doc); err != nil {
		return nil, err
	}
	if a, err := db.Apply(&d); err != nil || a.Learned != 1 {
		return nil, damaged(fmt.Errorf("training after it: %v, %w", a, err))
	}
	if err := check(); err != nil {
		return nil, damaged(err)
	}
	return f, nil
}

// sum adds up the content of a snapshot.
func (f *found) sum(s *store.Snapshot) error {
	classes := s.Classes()
	of, number := make([]*Sums, len(classes)), make([]int, len(classes))
	for i, c := range classes {
		k, class, ok := parseClass(c.Name)
		if !ok || k >= len(f.trainers) {
			return fmt.Errorf("class %q is nobody's", c.Name)
		}
		of[i], number[i] = &f.trainers[k].sums, class
		if class == renamed && c.Docs > 0 {
			f.trainers[k].name += c.Name
		}
		of[i].Docs += c.Docs
		of[i].class(class, c.Docs, c.Tokens, c.Weight, c.Dropped, c.DroppedWeight)
		for _, l := range c.Lengths {
			of[i].length(class, l.N, l.Count)
		}
	}
	err := s.Scan(true, func(term []byte, cells []count.Cell) error {
		for i := range cells {
			c := &cells[i]
			of[c.Class].row(number[c.Class], string(term), c.W, len(c.U), func(j int) uint64 { return uint64(c.U[j]) })
		}
		return nil
	})
	if err != nil {
		return err
	}
	known, err := s.Attributes()
	if err != nil {
		return err
	}
	if len(known) > 0 {
		err = s.EachValue(attribute, func(value *count.Attribute, counts []uint64) error {
			for i, n := range counts {
				of[i].attribute(number[i], value.Category, n)
			}
			return nil
		})
	}
	if err != nil {
		return err
	}
	return errors.Join(f.ledger(s), f.beside(s))
}

func (f *found) ledger(s *store.Snapshot) error {
	sums := func(name string) (*Sums, int) {
		k, class, _ := parseClass(name)
		return &f.trainers[k].sums, class
	}
	entries, documents := 0, 0
	err := s.Entries(func(e *store.Entry) error {
		entries++
		if e.Keep == count.LedgerDigest {
			of, class := sums(e.Class)
			of.entry(class, e.ID, e.Time.Unix(), e.Source, 1)
		}
		return nil
	})
	if err != nil {
		return err
	}
	err = s.Learned(func(d *count.Document) error {
		documents++
		of, class := sums(d.Class)
		of.document(class, d, 1)
		return nil
	})
	if f.plan.Ledger == count.LedgerFull && err == nil && entries != documents {
		err = fmt.Errorf("the ledger has %d entries and %d documents", entries, documents)
	}
	return err
}

// beside reads the data other than counts.
func (f *found) beside(s *store.Snapshot) (err error) {
	if f.trainers[0].sums.Position, err = s.Position(); err != nil {
		return err
	}
	for k := range f.trainers {
		if v := s.State(stateKey(k)); v != nil {
			if f.trainers[k].sums.State, err = strconv.ParseUint(string(v), 10, 64); err != nil {
				return err
			}
		}
	}
	return nil
}
