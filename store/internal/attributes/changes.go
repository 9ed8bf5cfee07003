package attributes

import (
	"fmt"
	"maps"
	"slices"

	bolt "go.etcd.io/bbolt"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/encoded"
	"github.com/polya-classifier/polya/store/internal/layout"
	"github.com/polya-classifier/polya/store/internal/stored"
)

// Changes changes the counts of attributes. The rows that it needs are read once, changed
// in memory, and written once at the end of the transaction: unlike terms, of which a
// document has hundreds, they are few enough to be kept current in the file with each
// record. Without a transaction it begins empty and is never written.
type Changes struct {
	tx         layout.Tx
	opened     bool
	attributes *bolt.Bucket // nil if the file has none
	values     *bolt.Bucket

	rows    map[string]*Row // by name
	listed  map[string]*Row // by key
	whole   bool            // rows has all rows of the file
	changed bool
}

// NewChanges returns an empty set of changes to the rows in tx, which may be without a
// transaction.
func NewChanges(tx layout.Tx) *Changes { return &Changes{tx: tx} }

// open allocates the memory, and looks for the buckets, when the first attribute is seen:
// without attributes a training pays nothing.
func (s *Changes) open() {
	if s.opened {
		return
	}
	s.opened = true
	s.rows, s.listed = make(map[string]*Row), make(map[string]*Row)
	if s.tx.Tx != nil {
		s.attributes, s.values = s.tx.Bucket(stored.BucketAttribute), s.tx.Bucket(stored.BucketValue)
	}
}

// Row returns the counts of an attribute, to be changed.
func (s *Changes) Row(name string) (*Row, error) {
	s.open()
	return get(s.rows, s.attributes, name, ReadRow)
}

// value returns the numbers of documents that have a value, to be changed.
func (s *Changes) value(key string) (*Row, error) { return get(s.listed, s.values, key, ReadValueRow) }

// get returns a row as changed, or as the bucket, which may be nil, has it.
func get(rows map[string]*Row, b *bolt.Bucket, key string, read func(key, value []byte, row *Row) error) (*Row, error) {
	row, known := rows[key]
	if known {
		return row, nil
	}
	row = new(Row)
	if _, err := Get(b, key, row, read); err != nil {
		return nil, err
	}
	rows[key] = row
	return row, nil
}

// Admit returns a *count.AttributeError if Add would do so, before anything is changed.
func (s *Changes) Admit(doc *encoded.Document) error {
	for i := range doc.Attributes {
		a := &doc.Attributes[i]
		row, err := s.Row(a.Name)
		if err == nil {
			err = row.admits(a.Name, a.Kind, 1)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Add adds the attributes of a document of class, or takes them away if sign is
// -1. It returns a *count.AttributeError if one was counted as another kind, and
// count.ErrNotLearned if a count would fall below zero; the attributes before that one
// are changed then.
func (s *Changes) Add(doc *encoded.Document, class uint32, sign int64) error {
	for i := range doc.Attributes {
		if err := s.change(&doc.Attributes[i], class, sign); err != nil {
			return err
		}
	}
	return nil
}

// change adds one attribute, or does nothing and returns an error.
func (s *Changes) change(a *count.Attribute, class uint32, sign int64) error {
	row, err := s.Row(a.Name)
	if err != nil {
		return err
	}
	if err := row.admits(a.Name, a.Kind, sign); err != nil {
		return err
	}
	var value *Row
	if Listed(a.Kind) {
		if value, err = s.value(ValueKey(a.Name, ValueBytes(a))); err != nil {
			return err
		}
		if sign < 0 && value.N(class) == 0 {
			return count.ErrNotLearned
		}
	}
	cell := cellOf(a)
	if err := row.Add(a.Kind, class, &cell, sign); err != nil {
		return err
	}
	if value != nil {
		// No value has more documents than its attribute, so this cannot fail.
		_ = row.AddValue(value, class, 1, sign)
	}
	s.changed = true
	return nil
}

// AddSum adds the attributes of a sum, of classes with these ids. After an error all
// changes are useless.
func (s *Changes) AddSum(list []Attribute, ids []uint32) error {
	for i := range list {
		a := &list[i]
		row, err := s.Row(a.Name)
		if err != nil {
			return err
		}
		if err := row.admits(a.Name, a.Row.Kind, 1); err != nil {
			return err
		}
		for k := range a.Row.Cells {
			c := &a.Row.Cells[k]
			if err := row.Add(a.Row.Kind, ids[c.Class], &c.AttributeCell, 1); err != nil {
				return fmt.Errorf("attribute %.40q: %w", a.Name, err)
			}
		}
		for _, v := range a.Values {
			value, err := s.value(ValueKey(a.Name, v.Value))
			if err != nil {
				return err
			}
			for _, c := range v.Row.Cells {
				if err := row.AddValue(value, ids[c.Class], c.N, 1); err != nil {
					return fmt.Errorf("attribute %.40q: %w", a.Name, err)
				}
			}
		}
		s.changed = true
	}
	return nil
}

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

// Overcounted looks for a class with fewer documents than one of its attributes. docs returns
// the number of documents of a class. If there are several it returns the least.
func (s *Changes) Overcounted(docs func(class uint32) uint64) (class uint32, found bool, err error) {
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
