package store

import (
	"github.com/polya-classifier/polya/store/count"
	"slices"
)

// This file is how the counts of an attribute change, in memory.

// admits returns an error if the row cannot have documents of that kind added, or
// taken away.
func (r *attributeRow) admits(name string, kind count.Kind, sign int64) error {
	switch {
	case r.kind == kind, r.kind == 0 && sign > 0:
		return nil
	case sign < 0:
		return count.ErrNotLearned
	}
	return &count.AttributeError{Name: name, Have: r.kind, Want: kind}
}

// cellOf is what one document counts.
func cellOf(a *count.Attribute) count.AttributeCell {
	c := count.AttributeCell{N: 1}
	switch a.Kind {
	case count.YesNo:
		c.Yes = uint64(a.Number)
	case count.Real:
		c.Sum = count.ExactOf(a.Number)
		c.Squares = c.Sum.Mul(c.Sum)
	case count.Uniform:
		c.Least, c.Greatest = a.Number, a.Number
	}
	return c
}

// add adds d to the cell of class, or takes it away if sign is -1. It does nothing
// and returns ErrNotLearned if the cell does not hold that, or ErrTooMany if it
// cannot hold more.
func (r *attributeRow) add(kind count.Kind, class uint32, d *count.AttributeCell, sign int64) error {
	at, found := r.find(class)
	if sign > 0 {
		if !found {
			r.kind = kind
			r.cells = slices.Insert(r.cells, at, attributeCell{class: class, AttributeCell: *d})
			return nil
		}
		return r.cells[at].grow(d)
	}
	if !found || r.cells[at].N < d.N || r.cells[at].Yes < d.Yes {
		return count.ErrNotLearned
	}
	c := r.cells[at]
	c.N -= d.N
	c.Yes -= d.Yes
	c.Sum, c.Squares = c.Sum.Sub(d.Sum), c.Squares.Sub(d.Squares)
	c.stale = c.stale || kind == count.Uniform && (d.Least <= c.Least || d.Greatest >= c.Greatest)
	if c.Check() != nil {
		return count.ErrNotLearned
	}
	if c.N > 0 {
		r.cells[at] = c
		return nil
	}
	if r.cells = slices.Delete(r.cells, at, at+1); len(r.cells) == 0 {
		r.kind = 0
	}
	return nil
}

// grow adds d, of the same attribute, or does nothing and returns ErrTooMany.
func (c *attributeCell) grow(d *count.AttributeCell) error {
	sum, squares := c.Sum.Add(d.Sum), c.Squares.Add(d.Squares)
	if d.N > count.MaxDocs || c.N > count.MaxDocs-d.N || !sum.InBounds() || !squares.InBounds() {
		return count.ErrTooMany
	}
	c.N += d.N
	c.Yes += d.Yes
	c.Sum, c.Squares = sum, squares
	c.Least, c.Greatest = min(c.Least, d.Least), max(c.Greatest, d.Greatest)
	return nil
}

// addValue adds n documents of class to those with a value, or takes them away,
// and returns ErrNotLearned if there are not so many, or ErrTooMany if there
// would be too many.
func (r *attributeRow) addValue(v *valueRow, class uint32, n uint64, sign int64) error {
	at, found := v.find(class)
	switch {
	case sign > 0:
		if n > count.MaxDocs || found && (*v)[at].n > count.MaxDocs-n {
			return count.ErrTooMany
		}
		if len(*v) == 0 {
			r.values++
		}
		if !found {
			*v = slices.Insert(*v, at, valueCell{class: class})
		}
		(*v)[at].n += n
		return nil
	case !found || (*v)[at].n < n:
		return count.ErrNotLearned
	}
	if (*v)[at].n -= n; (*v)[at].n == 0 {
		*v = slices.Delete(*v, at, at+1)
	}
	if len(*v) == 0 {
		r.values--
	}
	return nil
}
