package dump

import (
	"fmt"
	"strconv"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/attributes"
)

func appendCell(b []byte, c *attributes.Cell, kind count.Kind) []byte {
	b = fmt.Appendf(b, "\t%d=%d", c.Class, c.N)
	switch kind {
	case count.YesNo:
		b = fmt.Appendf(b, ",%d", c.Yes)
	case count.Real:
		b = fmt.Appendf(b, ",%s,%s", c.Sum, c.Squares)
	}
	return b
}

// formatValue returns the text of a value: a number in the fewest digits that give it back.
func formatValue(a *count.Attribute) string {
	switch a.Kind {
	case count.Category:
		return Escape(a.Category)
	case count.YesNo:
		if a.Number == 1 {
			return "yes"
		}
		return "no"
	}
	return strconv.FormatFloat(a.Number+0, 'g', -1, 64)
}

// value reads what formatValue writes, and nothing else.
func (f *fields) value(name string, kind count.Kind) count.Attribute {
	a, field := count.Attribute{Name: name, Kind: kind}, f.next()
	var err error
	switch kind {
	case count.Category:
		a.Category, _ = Unescape(field)
	case count.YesNo:
		if field == "yes" {
			a.Number = 1
		}
	default:
		a.Number, err = strconv.ParseFloat(field, 64)
	}
	if err != nil || formatValue(&a) != field {
		f.failf("the value %.40q of attribute %.40q", field, name)
	}
	f.fail(a.Check())
	return a
}

// attribute reads the counts of an attribute. Values follow.
func (l *reader) attribute(f *fields) {
	a := attributes.Attribute{Name: f.text()}
	kind, err := count.ParseKind(f.next())
	f.fail(err)
	a.Row.Kind = kind
	l.cells(f, &a.Row)
	l.out.Counts.Attributes = append(l.out.Counts.Attributes, a)
}

// cells reads the rest of a line as the cells of a row.
func (l *reader) cells(f *fields, row *attributes.Row) {
	for last := -1; len(f.rest) > 0; {
		class, n := l.counts(f)
		c := attributes.Cell{Class: class}
		c.N = n.number()
		switch row.Kind {
		case count.YesNo:
			c.Yes = n.number()
		case count.Real:
			c.Sum, c.Squares = n.exact(), n.exact()
		}
		if !n.end() || c.N == 0 || int(class) <= last {
			f.failf("counts of class %d, empty or out of order", class)
		}
		last, row.Cells = int(class), append(row.Cells, c)
	}
	if len(row.Cells) == 0 {
		f.failf("no counts")
	}
}

// value reads how many documents have a value of the last attribute.
func (l *reader) value(f *fields) {
	n := len(l.out.Counts.Attributes)
	if n == 0 || !attributes.Listed(l.out.Counts.Attributes[n-1].Row.Kind) {
		f.failf("a value of no attribute")
		return
	}
	a := &l.out.Counts.Attributes[n-1]
	value := f.value(a.Name, a.Row.Kind)
	v := attributes.Value{Value: attributes.ValueBytes(&value)}
	l.cells(f, &v.Row)
	for _, c := range v.Row.Cells {
		if _, found := a.Row.Find(c.Class); !found {
			f.failf("a value of class %d, which has no counts of the attribute", c.Class)
		}
	}
	a.Row.Values++
	a.Values = append(a.Values, v)
}
