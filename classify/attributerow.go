package classify

import (
	"fmt"
	"slices"

	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// AttributeRow is one attribute of a document with what was counted of its value.
type AttributeRow struct {
	// Attribute is the document's.
	Attribute count.Attribute

	// At is the place of its totals in Totals.Attributes.
	At int

	// Counts are, of a category, the documents of each class that have it, and All
	// their sum.
	Counts []uint64
	All    uint64
}

// lookAttributes sets e.Attributes to those of the document that are among the totals
// and have a say, by their place there; nil is all of them. What cannot be counted, or
// is of another kind than was counted, is an error.
func (e *Evidence) lookAttributes(s *store.Snapshot, totals []*count.AttributeTotals, say []bool, attributes []count.Attribute) error {
	e.Attributes, e.asked = e.Attributes[:0], len(attributes)
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
		if say != nil && !say[at] {
			continue
		}
		if a.Kind == count.Category {
			from, n := len(counts), len(totals[at].Classes)
			counts = slices.Grow(counts, n)[:from+n]
			row.Counts = counts[from : from+n : from+n]
			known, err := s.CategoryCounts(a.Name, a.Category, row.Counts)
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

// checkAttributes refuses what no document can have.
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

// leaveAttributes takes the attributes of a learned document of that class away from
// what e and the totals say, as leaveOut does its terms. ok is false if they do not
// fit the counts.
func leaveAttributes(s *store.Snapshot, t *Totals, e *Evidence, class int) (ok bool, err error) {
	if len(e.Attributes) == 0 {
		return true, nil
	}
	t.Attributes = slices.Clone(t.Attributes)
	rows := e.Attributes[:0]
	for _, row := range e.Attributes {
		left := *t.Attributes[row.At]
		left.Classes = slices.Clone(left.Classes)
		cell := &left.Classes[class]
		if cell.N == 0 {
			return false, nil
		}
		cell.N--
		keep := true
		switch x := row.Attribute.Number; left.Kind {
		case count.Category:
			if row.Counts[class] == 0 {
				return false, nil
			}
			row.Counts[class]--
			row.All--
			if keep = row.All > 0; !keep {
				left.Values--
			}
		case count.YesNo:
			if cell.Yes < uint64(x) || cell.Yes-uint64(x) > cell.N {
				return false, nil
			}
			cell.Yes -= uint64(x)
		case count.Real:
			one := count.ExactOf(x)
			cell.Sum, cell.Squares = cell.Sum.Sub(one), cell.Squares.Sub(one.Mul(one))
			if cell.N == 0 && (cell.Sum.Sign() != 0 || cell.Squares.Sign() != 0) || cell.Deviations() < 0 {
				return false, nil
			}
		case count.Uniform:
			if cell.Greatest, _, err = s.GreatestWithout(left.Name, class, x); err != nil {
				return false, err
			}
		}
		t.Attributes[row.At] = &left
		if keep {
			rows = append(rows, row)
		}
	}
	e.Attributes = rows
	return true, nil
}
