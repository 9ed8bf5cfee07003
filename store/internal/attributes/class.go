package attributes

import (
	"fmt"
	"maps"
	"slices"
)

// all reads the rows of all attributes.
func (s *Changes) all() error {
	s.open()
	if s.whole || s.attributes == nil {
		return nil
	}
	s.whole = true
	return EachRow(s.attributes, func(name string, row *Row) error {
		if _, known := s.rows[name]; !known {
			s.rows[name] = &Row{Kind: row.Kind, Values: row.Values, Cells: slices.Clone(row.Cells)}
		}
		return nil
	})
}

// Beyond looks for a class with fewer documents than one of its attributes. docs returns
// the number of documents of a class. If there are several it returns the least.
func (s *Changes) Beyond(docs func(class uint32) uint64) (class uint32, found bool, err error) {
	if err := s.all(); err != nil {
		return 0, false, err
	}
	for _, row := range s.rows {
		for i := range row.Cells {
			if c := &row.Cells[i]; (!found || c.Class < class) && c.N > docs(c.Class) {
				class, found = c.Class, true
			}
		}
	}
	return class, found, nil
}

// MoveClass adds the counts of class from to class into, nil for none, and removes from
// from all rows. Nothing may have been changed before.
func (s *Changes) MoveClass(from uint32, into *uint32) error {
	if err := s.all(); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(s.rows)) {
		row := s.rows[name]
		if at, found := row.Find(from); found {
			if err := s.moveCell(name, row, at, into); err != nil {
				return err
			}
		}
	}
	return nil
}

// moveCell is MoveClass for the cell at a place of the row of an attribute.
func (s *Changes) moveCell(name string, row *Row, at int, into *uint32) (err error) {
	from := row.Cells[at].Class
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
