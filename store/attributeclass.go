package store

import (
	"bytes"
	"cmp"
	"fmt"
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/wire"
	"slices"
)

// This file is what is asked, class by class, of all attributes: of those that have
// changed, in memory, and of the others, of whose rows the numbers of documents are
// read once.

// attributeCounts is how many documents have an attribute, by class id.
type attributeCounts struct {
	name string
	docs valueRow
}

// unchanged returns the counts of the attributes that are in the file and were not
// in s.rows when it was first asked. Who reads them must look into s.rows first.
func (s *attributeSums) unchanged() ([]attributeCounts, error) {
	s.open()
	if s.others != nil || s.attributes == nil {
		return s.others, nil
	}
	others := []attributeCounts{}
	var last []byte
	err := s.attributes.ForEach(func(k, v []byte) error {
		if bytes.Compare(k, last) <= 0 || len(k) > count.MaxNameBytes {
			return &CorruptError{What: "list of attributes"} // or it may have no end
		}
		last = k
		if _, changed := s.rows[string(k)]; changed {
			return nil
		}
		docs, err := decodeCounts(wire.CheckCRC(v, k))
		if err != nil {
			return &CorruptError{What: attributeName(string(k))}
		}
		others = append(others, attributeCounts{string(k), docs})
		return nil
	})
	if err == nil {
		s.others = others
	}
	return s.others, err
}

// within returns ErrNotLearned if more documents of c have an attribute than there
// are: who takes away a document that no ledger knows may have given another.
func (s *attributeSums) within(c *count.Class) error {
	others, err := s.unchanged()
	if err != nil {
		return err
	}
	for _, row := range s.rows {
		if at, found := row.find(uint32(c.ID)); found && row.cells[at].N > c.Docs {
			return count.ErrNotLearned
		}
	}
	for i := range others {
		if _, changed := s.rows[others[i].name]; !changed && others[i].docs.count(uint32(c.ID)) > c.Docs {
			return count.ErrNotLearned
		}
	}
	return nil
}

// beyond is within for all classes at once, of which docs gives the documents by
// id. It returns whether there is a class with too few of them, and the least one.
func (s *attributeSums) beyond(docs func(class uint32) uint64) (class uint32, found bool, err error) {
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
		for i := range row.cells {
			look(row.cells[i].class, row.cells[i].N)
		}
	}
	for i := range others {
		if _, changed := s.rows[others[i].name]; !changed {
			for _, c := range others[i].docs {
				look(c.class, c.n)
			}
		}
	}
	return class, found, nil
}

// dropClass takes a class out of all rows. Nothing may have been changed before.
func (s *attributeSums) dropClass(class uint32) error {
	others, err := s.unchanged()
	if err != nil {
		return err
	}
	for i := range others {
		if others[i].docs.count(class) == 0 {
			continue
		}
		if err := s.dropCell(others[i].name, class); err != nil {
			return err
		}
	}
	return nil
}

// dropCell takes a class out of the row of an attribute, and out of its values.
func (s *attributeSums) dropCell(name string, class uint32) error {
	row, err := s.row(name)
	if err != nil {
		return err
	}
	at, found := row.find(class)
	if !found {
		return &CorruptError{What: attributeName(name)}
	}
	s.changes++
	row.cells = slices.Delete(row.cells, at, at+1)
	if isListed(row.kind) {
		err = eachValueRow(s.values, name, func(key []byte, v valueRow) error {
			if n := v.count(class); n > 0 {
				changed := slices.Clone(v)
				s.listed[string(key)] = &changed
				return row.addValue(&changed, class, n, -1)
			}
			return nil
		})
	}
	if len(row.cells) == 0 {
		*row = attributeRow{}
	}
	return err
}

// mergeClass adds what is counted of class from to class into, and takes from out
// of all rows. Nothing may have been changed before.
func (s *attributeSums) mergeClass(from, into uint32) error {
	others, err := s.unchanged()
	if err != nil {
		return err
	}
	for i := range others {
		if others[i].docs.count(from) == 0 {
			continue
		}
		if err := s.mergeCell(others[i].name, from, into); err != nil {
			return fmt.Errorf("%s: %w", attributeName(others[i].name), err)
		}
	}
	return nil
}

// mergeCell is mergeClass for one attribute.
func (s *attributeSums) mergeCell(name string, from, into uint32) error {
	row, err := s.row(name)
	if err != nil {
		return err
	}
	at, found := row.find(from)
	if !found {
		return &CorruptError{What: attributeName(name)}
	}
	s.changes++
	moved := row.cells[at].AttributeCell
	row.cells = slices.Delete(row.cells, at, at+1)
	if err := row.add(row.kind, into, &moved, 1); err != nil || !isListed(row.kind) {
		return err
	}
	return eachValueRow(s.values, name, func(key []byte, v valueRow) error {
		n := v.count(from)
		if n == 0 {
			return nil
		}
		changed := slices.Clone(v)
		s.listed[string(key)] = &changed
		// In this order the value keeps a document, and the count of values stays.
		return cmp.Or(row.addValue(&changed, into, n, 1), row.addValue(&changed, from, n, -1))
	})
}
