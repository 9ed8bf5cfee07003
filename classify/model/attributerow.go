package model

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/polya-classifier/polya/store/count"
)

// ReadAttributes sets e.Attributes to the document's attributes that are among the totals
// and that use, indexed as the totals, does not leave out; nil uses all. The error wraps
// count.ErrInvalid for an attribute that cannot be counted, and is a
// *count.AttributeError for one of another kind than was counted.
func (e *Evidence) ReadAttributes(r Reader, totals []*count.AttributeTotals, use []bool, attributes []count.Attribute) error {
	e.Attributes = e.Attributes[:0]
	if len(attributes) == 0 {
		return nil
	}
	if err := checkAttributes(attributes); err != nil {
		return err
	}
	counts := e.counted[:0]
	for i := range attributes {
		a := &attributes[i]
		at := attributeNamed(totals, a.Name)
		if at < 0 {
			continue
		}
		row := AttributeRow{Attribute: *a, At: at}
		if a.Kind != totals[at].Kind {
			return &count.AttributeError{Name: a.Name, Have: totals[at].Kind, Want: a.Kind}
		}
		if use != nil && !use[at] {
			continue
		}
		if a.Kind == count.Category {
			from, n := len(counts), len(totals[at].Classes)
			counts = slices.Grow(counts, n)[:from+n]
			row.Counts = counts[from : from+n : from+n]
			known, err := r.CategoryCounts(a.Name, a.Category, row.Counts)
			if err != nil {
				return err
			}
			if !known {
				counts = counts[:from]
				continue
			}
			for _, n := range row.Counts {
				row.All += n
			}
		}
		e.Attributes = append(e.Attributes, row)
	}
	e.counted = counts
	// In order of name, so that sums do not depend on the order given.
	slices.SortStableFunc(e.Attributes, func(a, b AttributeRow) int { return a.At - b.At })
	return nil
}

// checkAttributes refuses attributes that no document can have.
func checkAttributes(attributes []count.Attribute) error {
	seen := make(map[string]bool, len(attributes))
	for i := range attributes {
		a := &attributes[i]
		if err := a.Check(); err != nil {
			return err
		}
		if seen[a.Name] {
			return fmt.Errorf("attribute %.40q: %w: given twice", a.Name, count.ErrInvalid)
		}
		seen[a.Name] = true
	}
	return nil
}

// attributeNamed returns the index of the attribute with this name, -1 if there is none.
func attributeNamed(attributes []*count.AttributeTotals, name string) int {
	at, found := slices.BinarySearchFunc(attributes, name, func(a *count.AttributeTotals, name string) int {
		return cmp.Compare(a.Name, name)
	})
	if !found {
		return -1
	}
	return at
}
