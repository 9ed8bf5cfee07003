package attributes

import (
	"fmt"

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
	if b != nil {
		if v := b.Get([]byte(key)); v != nil {
			if err := read([]byte(key), v, row); err != nil {
				return nil, err
			}
		}
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
