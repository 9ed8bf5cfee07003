package attributes

import (
	"slices"

	"github.com/polya-classifier/polya/store/count"
)

// admits returns an error if documents of that kind cannot be added, or taken away.
func (r *Row) admits(name string, kind count.Kind, sign int64) error {
	switch {
	case r.Kind == kind, r.Kind == 0 && sign > 0:
		return nil
	case sign < 0:
		return count.ErrNotLearned
	}
	return &count.AttributeError{Name: name, Have: r.Kind, Want: kind}
}

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

// Add adds d to the cell of class, or takes it away if sign is -1. It does nothing and
// returns count.ErrNotLearned if the cell has less than d, or count.ErrTooMany if it
// cannot hold more.
func (r *Row) Add(kind count.Kind, class uint32, d *count.AttributeCell, sign int64) error {
	at, found := r.Find(class)
	if sign > 0 {
		if !found && d.N > count.MaxDocs {
			return count.ErrTooMany
		}
		if !found {
			r.Kind = kind
			r.Cells = slices.Insert(r.Cells, at, Cell{Class: class, AttributeCell: *d})
			return nil
		}
		return r.Cells[at].grow(d)
	}
	if !found || r.Cells[at].N < d.N || r.Cells[at].Yes < d.Yes {
		return count.ErrNotLearned
	}
	c := r.Cells[at]
	c.N -= d.N
	c.Yes -= d.Yes
	c.Sum, c.Squares = c.Sum.Sub(d.Sum), c.Squares.Sub(d.Squares)
	c.stale = c.stale || kind == count.Uniform && (d.Least <= c.Least || d.Greatest >= c.Greatest)
	if c.Check() != nil {
		return count.ErrNotLearned
	}
	if c.N > 0 {
		r.Cells[at] = c
		return nil
	}
	if r.Cells = slices.Delete(r.Cells, at, at+1); len(r.Cells) == 0 {
		r.Kind = 0
	}
	return nil
}

// grow adds d, of the same attribute, or does nothing and returns count.ErrTooMany.
func (c *Cell) grow(d *count.AttributeCell) error {
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

// AddValue is Add of n documents to those with a value v of r.
func (r *Row) AddValue(v *Row, class uint32, n uint64, sign int64) error {
	had := len(v.Cells) > 0
	if err := v.Add(0, class, &count.AttributeCell{N: n}, sign); err != nil {
		return err
	}
	switch has := len(v.Cells) > 0; {
	case has && !had:
		r.Values++
	case had && !has:
		r.Values--
	}
	return nil
}
