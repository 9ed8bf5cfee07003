package attributes

import (
	"cmp"
	"fmt"
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

// Check returns an error unless documents can have the attribute. docs is the number of documents
// of each class.
func (a *Attribute) Check(docs []uint64) error {
	cells, err := a.summed()
	if err != nil {
		return err
	}
	if uint64(len(a.Values)) != a.Row.Values {
		return fmt.Errorf("%d distinct values, there are %d", a.Row.Values, len(a.Values))
	}
	for i, got := range cells {
		want := &a.Row.Cells[i]
		switch {
		case int64(want.Class) >= int64(len(docs)) || want.N > docs[want.Class]:
			return fmt.Errorf("%d documents of a class have it, which has fewer", want.N)
		case want.Check() != nil:
			return fmt.Errorf("no %d documents give the sums of a class", want.N)
		case Listed(a.Row.Kind) && got.N != want.N:
			return fmt.Errorf("%d documents of a class have it, the values have %d", want.N, got.N)
		case got.Least != want.Least || got.Greatest != want.Greatest:
			return fmt.Errorf("from %g to %g, the values are from %g to %g", want.Least, want.Greatest, got.Least, got.Greatest)
		}
	}
	return nil
}

// summed returns N, Least and Greatest of each class by the values.
func (a *Attribute) summed() ([]count.AttributeCell, error) {
	cells, last := make([]count.AttributeCell, len(a.Row.Cells)), ""
	for _, v := range a.Values {
		value, err := ValueOf(a.Name, a.Row.Kind, []byte(v.Value))
		if err != nil || v.Value <= last {
			return nil, fmt.Errorf("the value %x is none of a %s, or out of order", v.Value, a.Row.Kind)
		}
		last = v.Value
		for _, c := range v.Row.Cells {
			at, found := a.Row.Find(c.Class)
			if !found {
				return nil, fmt.Errorf("a class has values, but no count")
			}
			cell := &cells[at]
			if cell.N == 0 {
				cell.Least = value.Number
			}
			cell.Greatest = value.Number
			cell.N += c.N
		}
	}
	return cells, nil
}

// SetBounds sets the least and greatest values of each class, which a dump omits. It leaves values alone
// that Check refuses.
func (a *Attribute) SetBounds() {
	cells, _ := a.summed()
	for i, c := range cells {
		a.Row.Cells[i].Least, a.Row.Cells[i].Greatest = c.Least, c.Greatest
	}
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

// Read returns the counts of the attribute that has a row, with its values. number returns the
// index of a class, or false if it has no documents.
func Read(tx layout.Tx, name string, row *Row, number func(class uint32) (uint32, bool)) (a Attribute, err error) {
	a = Attribute{Name: name, Row: Row{Kind: row.Kind, Values: row.Values, Cells: slices.Clone(row.Cells)}}
	if Listed(row.Kind) {
		err = EachValueRow(tx.Bucket(stored.BucketValue), name, func(key []byte, row *Row) error {
			a.Values = append(a.Values, Value{string(key[len(valuePrefix(name)):]), Row{Cells: slices.Clone(row.Cells)}})
			return nil
		})
	}
	if !a.renumber(number) && err == nil {
		err = &fault.Error{What: NameOf(name), Err: totals.ErrNoClass}
	}
	return a, err
}
