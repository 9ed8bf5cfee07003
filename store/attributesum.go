package store

import (
	"errors"
	"fmt"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/encoded"
	"github.com/polya-classifier/polya/store/internal/layout"
	"github.com/polya-classifier/polya/store/internal/stored"
	bolt "go.etcd.io/bbolt"
)

// attributeSums changes what is counted of attributes. The rows that it needs are
// read once, changed in memory, where they are absolute, and written once at the
// end of the transaction: unlike terms, of which a document has hundreds, they are
// few enough to be always as of the last record. Without a transaction it begins
// with nothing and is never written.
type attributeSums struct {
	tx         layout.Tx
	opened     bool
	attributes *bolt.Bucket // nil if the file has none
	values     *bolt.Bucket

	rows     map[string]*attributeRow // by name
	listed   map[string]*valueRow     // by key
	others   []attributeCounts        // see unchanged; nil until asked for
	changes  int                      // made and not undone
	undoable bool                     // keep what undo needs
	log      []attributeChange
}

// attributeChange is one that was made.
type attributeChange struct {
	attribute count.Attribute
	class     uint32
	sign      int64
}

func newAttributeSums(tx layout.Tx, undoable bool) *attributeSums {
	return &attributeSums{tx: tx, undoable: undoable}
}

// open makes the memory, and looks for the buckets, when the first attribute is
// seen: without attributes a training costs what it always did.
func (s *attributeSums) open() {
	if s.opened {
		return
	}
	s.opened = true
	s.rows, s.listed = make(map[string]*attributeRow), make(map[string]*valueRow)
	if s.tx.Tx != nil {
		s.attributes, s.values = s.tx.Bucket(stored.BucketAttribute), s.tx.Bucket(stored.BucketValue)
	}
}

// row returns what is counted of an attribute, to be changed.
func (s *attributeSums) row(name string) (*attributeRow, error) {
	s.open()
	if row, ok := s.rows[name]; ok {
		return row, nil
	}
	row := new(attributeRow)
	if s.attributes != nil {
		key := []byte(name)
		if v := s.attributes.Get(key); v != nil {
			if err := readAttributeRow(key, v, row); err != nil {
				return nil, err
			}
		}
	}
	s.rows[name] = row
	return row, nil
}

// value returns how many documents have a value, to be changed.
func (s *attributeSums) value(key string) (*valueRow, error) {
	if row, ok := s.listed[key]; ok {
		return row, nil
	}
	row := new(valueRow)
	if s.values != nil {
		if v := s.values.Get([]byte(key)); v != nil {
			var err error
			if *row, err = readValueRow([]byte(key), v, nil); err != nil {
				return nil, err
			}
		}
	}
	s.listed[key] = row
	return row, nil
}

// add adds the attributes of a document of class, or takes them away if sign is
// -1. It returns an *AttributeError if one was counted as another kind, and
// ErrNotLearned if a count would fall below zero; the attributes before that one
// are changed then.
func (s *attributeSums) add(doc *encoded.Document, class uint32, sign int64) error {
	for i := range doc.Attributes {
		if err := s.change(&doc.Attributes[i], class, sign); err != nil {
			return err
		}
	}
	return nil
}

// change adds one attribute, or does nothing and returns an error.
func (s *attributeSums) change(a *count.Attribute, class uint32, sign int64) error {
	row, err := s.row(a.Name)
	if err != nil {
		return err
	}
	if err := row.admits(a.Name, a.Kind, sign); err != nil {
		return err
	}
	var value *valueRow
	if isListed(a.Kind) {
		if value, err = s.value(valueKey(a.Name, valueBytes(a))); err != nil {
			return err
		}
		if sign < 0 && value.count(class) == 0 {
			return count.ErrNotLearned
		}
	}
	cell := cellOf(a)
	if err := row.add(a.Kind, class, &cell, sign); err != nil {
		return err
	}
	if value != nil {
		// No value has more documents than its attribute, so this cannot fail.
		_ = row.addValue(value, class, 1, sign)
	}
	s.changes++
	if s.undoable {
		s.log = append(s.log, attributeChange{*a, class, sign})
	}
	return nil
}

// undo takes back all changes but the first n of the log. It can fail only in a
// damaged file, and all of the transaction is useless then.
func (s *attributeSums) undo(n int) error {
	for len(s.log) > n {
		last := s.log[len(s.log)-1]
		if err := s.change(&last.attribute, last.class, -last.sign); err != nil {
			return &CorruptError{What: attributeName(last.attribute.Name), Err: errors.New("a change of it cannot be undone")}
		}
		s.log = s.log[:len(s.log)-2]
		s.changes -= 2
	}
	return nil
}

// addSum adds the attributes of a sum, whose classes have these ids. After an
// error everything is useless.
func (s *attributeSums) addSum(list []sumAttribute, ids []uint32) error {
	for i := range list {
		a := &list[i]
		row, err := s.row(a.name)
		if err != nil {
			return err
		}
		if err := row.admits(a.name, a.row.kind, 1); err != nil {
			return err
		}
		for k := range a.row.cells {
			c := &a.row.cells[k]
			if err := row.add(a.row.kind, ids[c.class], &c.AttributeCell, 1); err != nil {
				return fmt.Errorf("attribute %.40q: %w", a.name, err)
			}
		}
		for _, v := range a.values {
			value, err := s.value(valueKey(a.name, v.value))
			if err != nil {
				return err
			}
			for _, c := range v.row {
				if err := row.addValue(value, ids[c.class], c.n, 1); err != nil {
					return fmt.Errorf("attribute %.40q: %w", a.name, err)
				}
			}
		}
		s.changes++
	}
	return nil
}
