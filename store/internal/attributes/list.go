package attributes

import (
	"cmp"
	"fmt"
	"iter"
	"slices"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/fault"
	"github.com/polya-classifier/polya/store/internal/layout"
	"github.com/polya-classifier/polya/store/internal/stored"
	"github.com/polya-classifier/polya/store/internal/totals"
)

// Attribute holds the counts of one attribute in a sum of documents, by index of class.
type Attribute struct {
	Name   string
	Row    Row
	Values []Value // in order; of a kind that is listed
}

// Value is one value of an attribute and the number of documents that have it.
type Value struct {
	Value string // its ValueBytes
	Row   Row    // with N alone
}

// ValueCheck compares the values of an attribute, given in order, with its row.
type ValueCheck struct {
	name   string
	row    *Row
	cells  []count.AttributeCell // N, Least and Greatest of the values, beside row.cells
	values uint64
}

// NewValueCheck returns a check of the values of an attribute.
func NewValueCheck(name string, row *Row) *ValueCheck {
	return &ValueCheck{name: name, row: row, cells: make([]count.AttributeCell, len(row.Cells))}
}

// Add takes the next value, or returns an error if the row cannot have it.
func (c *ValueCheck) Add(value []byte, row *Row) error {
	a, err := ValueOf(c.name, c.row.Kind, value)
	if err != nil {
		return fmt.Errorf("the value %x is none of a %s", value, c.row.Kind)
	}
	c.values++
	for _, v := range row.Cells {
		at, found := c.row.Find(v.Class)
		if !found {
			return fmt.Errorf("a class has values, but no count")
		}
		cell := &c.cells[at]
		if cell.N == 0 {
			cell.Least = a.Number
		}
		cell.Greatest = a.Number
		cell.N += v.N
	}
	return nil
}

// Finish returns an error unless the values sum to the row.
func (c *ValueCheck) Finish() error {
	if c.values != c.row.Values {
		return fmt.Errorf("%d distinct values, there are %d", c.row.Values, c.values)
	}
	for i, got := range c.cells {
		want := &c.row.Cells[i]
		if Listed(c.row.Kind) && got.N != want.N {
			return fmt.Errorf("%d documents of a class have it, the values have %d", want.N, got.N)
		}
		if got.Least != want.Least || got.Greatest != want.Greatest {
			return fmt.Errorf("from %g to %g, the values are from %g to %g", want.Least, want.Greatest, got.Least, got.Greatest)
		}
	}
	return nil
}

// Check returns an error unless documents can have these attributes. docs is the number
// of documents of each class.
func Check(list []Attribute, docs []uint64) error {
	for i := range list {
		a := &list[i]
		if count.CheckName(a.Name) != nil || i > 0 && a.Name <= list[i-1].Name {
			return count.ErrInvalid
		}
		for k := range a.Row.Cells {
			c := &a.Row.Cells[k]
			if int64(c.Class) >= int64(len(docs)) || c.N > docs[c.Class] || c.Check() != nil {
				return count.ErrInvalid
			}
		}
		last, check := "", NewValueCheck(a.Name, &a.Row)
		for _, v := range a.Values {
			if v.Value <= last || check.Add([]byte(v.Value), &v.Row) != nil {
				return count.ErrInvalid
			}
			last = v.Value
		}
		if check.Finish() != nil {
			return count.ErrInvalid
		}
	}
	return nil
}

// Reach sets the least and greatest values of each class, which a dump omits.
func (a *Attribute) Reach() {
	each := func(values iter.Seq2[int, Value], set func(c *Cell, x float64)) {
		for _, v := range values {
			value, _ := ValueOf(a.Name, a.Row.Kind, []byte(v.Value))
			for _, c := range v.Row.Cells {
				at, _ := a.Row.Find(c.Class)
				set(&a.Row.Cells[at], value.Number)
			}
		}
	}
	each(slices.All(a.Values), func(c *Cell, x float64) { c.Greatest = x })
	each(slices.Backward(a.Values), func(c *Cell, x float64) { c.Least = x })
}

// renumber replaces the classes by their numbers, and returns false if one has none.
func (a *Attribute) renumber(number func(class uint32) (uint32, bool)) bool {
	ok := true
	translate := func(cells []Cell) {
		for i := range cells {
			n, found := number(cells[i].Class)
			cells[i].Class, ok = n, ok && found
		}
		slices.SortFunc(cells, func(a, b Cell) int { return cmp.Compare(a.Class, b.Class) })
	}
	translate(a.Row.Cells)
	for _, v := range a.Values {
		translate(v.Row.Cells)
	}
	return ok
}

// List returns the counts of all attributes. number returns the index of a class, or
// false if it has no documents.
func List(tx layout.Tx, number func(class uint32) (uint32, bool)) ([]Attribute, error) {
	var list []Attribute
	err := EachRow(tx.Bucket(stored.BucketAttribute), func(name string, row *Row) error {
		a := Attribute{Name: name, Row: Row{Kind: row.Kind, Values: row.Values, Cells: slices.Clone(row.Cells)}}
		var err error
		if Listed(row.Kind) {
			err = EachValueRow(tx.Bucket(stored.BucketValue), name, func(key []byte, row *Row) error {
				a.Values = append(a.Values, Value{string(key[len(valuePrefix(name)):]), Row{Cells: slices.Clone(row.Cells)}})
				return nil
			})
		}
		if !a.renumber(number) && err == nil {
			err = &fault.Error{What: NameOf(name), Err: totals.ErrNoClass}
		}
		list = append(list, a)
		return err
	})
	return list, err
}
