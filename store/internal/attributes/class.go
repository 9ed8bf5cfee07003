package attributes

import (
	"fmt"
	"math"
	"slices"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/fault"
)

// docCounts is how many documents have an attribute, by class.
type docCounts struct {
	name string
	docs Row
}

// unchanged returns the counts of the attributes that are in the file and were not in
// s.rows at its first call. A caller must look into s.rows first.
func (s *Changes) unchanged() ([]docCounts, error) {
	s.open()
	if s.others != nil || s.attributes == nil {
		return s.others, nil
	}
	others := []docCounts{}
	err := EachRow(s.attributes, func(name string, row *Row) error {
		if _, changed := s.rows[name]; changed {
			return nil
		}
		others = append(others, docCounts{name, Row{Cells: slices.Clone(row.Cells)}})
		return nil
	})
	if err == nil {
		s.others = others
	}
	return s.others, err
}

// Within returns count.ErrNotLearned if more documents of c have an attribute than there
// are: a document that no ledger knows was taken away in place of another.
func (s *Changes) Within(c *count.Class) error {
	_, found, err := s.Beyond(func(class uint32) uint64 {
		if class == uint32(c.ID) {
			return c.Docs
		}
		return math.MaxUint64
	})
	if err == nil && found {
		err = count.ErrNotLearned
	}
	return err
}

// Beyond looks for a class with fewer documents than one of its attributes. docs returns
// the number of documents of a class. If there are several it returns the least.
func (s *Changes) Beyond(docs func(class uint32) uint64) (class uint32, found bool, err error) {
	others, err := s.unchanged()
	if err != nil {
		return 0, false, err
	}
	look := func(id uint32, n uint64) {
		if (!found || id < class) && n > docs(id) {
			class, found = id, true
		}
	}
	for _, row := range s.rows {
		for i := range row.Cells {
			look(row.Cells[i].Class, row.Cells[i].N)
		}
	}
	for i := range others {
		if _, changed := s.rows[others[i].name]; !changed {
			for _, c := range others[i].docs.Cells {
				look(c.Class, c.N)
			}
		}
	}
	return class, found, nil
}

// MoveClass adds the counts of class from to class into, nil for none, and removes from
// from all rows. Nothing may have been changed before.
func (s *Changes) MoveClass(from uint32, into *uint32) error {
	others, err := s.unchanged()
	if err != nil {
		return err
	}
	for i := range others {
		if others[i].docs.N(from) > 0 {
			if err := s.moveCell(others[i].name, from, into); err != nil {
				return err
			}
		}
	}
	return nil
}

// moveCell is MoveClass for one attribute.
func (s *Changes) moveCell(name string, from uint32, into *uint32) error {
	row, err := s.Row(name)
	if err != nil {
		return err
	}
	at, found := row.Find(from)
	if !found {
		return &fault.Error{What: NameOf(name)}
	}
	s.changed = true
	moved, kind := row.Cells[at].AttributeCell, row.Kind
	row.Cells = slices.Delete(row.Cells, at, at+1)
	if into != nil {
		if err := row.Add(kind, *into, &moved, 1); err != nil {
			return fmt.Errorf("%s: %w", NameOf(name), err)
		}
	}
	if Listed(kind) {
		err = EachValueRow(s.values, name, func(key []byte, v *Row) error {
			n := v.N(from)
			if n == 0 {
				return nil
			}
			changed := Row{Cells: slices.Clone(v.Cells)}
			s.listed[string(key)] = &changed
			if into != nil { // before from goes, so that the value keeps a document and its place
				if err := row.AddValue(&changed, *into, n, 1); err != nil {
					return err
				}
			}
			return row.AddValue(&changed, from, n, -1)
		})
	}
	if len(row.Cells) == 0 {
		*row = Row{}
	}
	return err
}
