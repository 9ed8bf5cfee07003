package store

import (
	"fmt"
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/attributes"
	"strconv"
	"strings"
)

// This file is how attributes stand in a dump: their counts, and those of the
// documents of the ledger.

// attributeLines writes what is counted of each attribute, in order of name, and of
// each value.
func (d *dumper) attributeLines() error {
	list, err := d.s.sumAttributes()
	if err != nil {
		return d.s.db.fail(err)
	}
	for i := range list {
		a := &list[i]
		d.buf = append(d.buf[:0], "attribute\t"+escape(a.Name)+"\t"+a.Row.Kind.String()...)
		for k := range a.Row.Cells {
			d.buf = appendCell(d.buf, &a.Row.Cells[k], a.Row.Kind)
		}
		d.line(string(d.buf))
		for _, v := range a.Values {
			value, err := attributes.ValueOf(a.Name, a.Row.Kind, []byte(v.Value))
			if err != nil {
				return d.s.db.fail(&CorruptError{What: "values of " + attributes.NameOf(a.Name)})
			}
			d.buf = append(d.buf[:0], "value\t"+formatValue(&value)...)
			for _, c := range v.Row {
				d.buf = fmt.Appendf(d.buf, "\t%d=%d", c.Class, c.N)
			}
			d.line(string(d.buf))
		}
	}
	return nil
}

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

// formatValue returns the text of a value, which valueText reads: a number in the fewest digits that
// give it back.
func formatValue(a *count.Attribute) string {
	switch a.Kind {
	case count.Category:
		return escape(a.Category)
	case count.YesNo:
		if a.Number == 1 {
			return "yes"
		}
		return "no"
	}
	return strconv.FormatFloat(a.Number+0, 'g', -1, 64)
}

// valueText reads what formatValue writes, and nothing else.
func valueText(name string, kind count.Kind, s string) (count.Attribute, error) {
	a := count.Attribute{Name: name, Kind: kind}
	ok := true
	switch kind {
	case count.Category:
		a.Category, ok = unescape(s)
	case count.YesNo:
		if s == "yes" {
			a.Number = 1
		}
	default:
		var err error
		a.Number, err = strconv.ParseFloat(s, 64)
		ok = err == nil
	}
	if !ok || formatValue(&a) != s {
		return a, fmt.Errorf("%w: the value %.40q of attribute %.40q", count.ErrInvalid, s, name)
	}
	return a, a.Check()
}

// attributeFields are those of a document's line.
func attributeFields(b []byte, list []count.Attribute) []byte {
	for i := range list {
		a := &list[i]
		b = append(b, "\t@"+a.Kind.String()+"\t"+escape(a.Name)+"\t"+formatValue(a)...)
	}
	return b
}

// attributeField reads an attribute at the start of fields, and returns the others.
func attributeField(fields []string) (count.Attribute, []string, error) {
	kind, err := count.ParseKind(fields[0][1:])
	if err != nil {
		return count.Attribute{}, nil, err
	}
	if len(fields) < 3 {
		return count.Attribute{}, nil, fmt.Errorf("%w: an attribute without a value", count.ErrInvalid)
	}
	name, ok := unescape(fields[1])
	if !ok {
		return count.Attribute{}, nil, fmt.Errorf("%w: attribute %.40q", count.ErrInvalid, fields[1])
	}
	a, err := valueText(name, kind, fields[2])
	return a, fields[3:], err
}

// attribute reads what is counted of an attribute. Values follow.
func (l *loader) attribute(f []string) error {
	if len(f) < 4 {
		return fmt.Errorf("%w: an attribute without counts", count.ErrInvalid)
	}
	name, ok := unescape(f[1])
	n := len(l.sum.Attributes)
	if !ok || count.CheckName(name) != nil || n > 0 && name <= l.sum.Attributes[n-1].Name {
		return fmt.Errorf("%w: attribute %.40q is bad or out of order", count.ErrInvalid, f[1])
	}
	kind, err := count.ParseKind(f[2])
	if err != nil {
		return err
	}
	a := attributes.Attribute{Name: name, Row: attributes.Row{Kind: kind}}
	for _, field := range f[3:] {
		class, counts, err := l.classCounts(field)
		c := attributes.Cell{Class: class}
		if err != nil || !parseCell(&c, kind, counts) || c.N == 0 {
			return fmt.Errorf("%w: counts %.40q of attribute %.40q", count.ErrInvalid, field, name)
		}
		if n := len(a.Row.Cells); n > 0 && class <= a.Row.Cells[n-1].Class {
			return fmt.Errorf("%w: classes out of order", count.ErrInvalid)
		}
		a.Row.Cells = append(a.Row.Cells, c)
	}
	l.sum.Attributes = append(l.sum.Attributes, a)
	return nil
}

// classCounts reads "class=counts".
func (l *loader) classCounts(field string) (class uint32, counts []string, err error) {
	number, rest, ok := strings.Cut(field, "=")
	var n uint64
	if err := parseNumbers([]string{number}, &n); err != nil || !ok || n >= uint64(len(l.names)) {
		return 0, nil, count.ErrInvalid
	}
	return uint32(n), strings.Split(rest, ","), nil
}

// parseCell reads the counts that appendCell writes.
func parseCell(c *attributes.Cell, kind count.Kind, counts []string) bool {
	switch kind {
	case count.YesNo:
		return parseNumbers(counts, &c.N, &c.Yes) == nil
	case count.Real:
		if len(counts) != 3 || parseNumbers(counts[:1], &c.N) != nil {
			return false
		}
		var err1, err2 error
		c.Sum, err1 = count.ParseExact(counts[1])
		c.Squares, err2 = count.ParseExact(counts[2])
		return err1 == nil && err2 == nil
	}
	return parseNumbers(counts, &c.N) == nil
}

// value reads how many documents have a value of the last attribute.
func (l *loader) value(f []string) error {
	n := len(l.sum.Attributes)
	if n == 0 || !attributes.Listed(l.sum.Attributes[n-1].Row.Kind) || len(f) < 3 {
		return fmt.Errorf("%w: a value of no attribute, or without counts", count.ErrInvalid)
	}
	a := &l.sum.Attributes[n-1]
	value, err := valueText(a.Name, a.Row.Kind, f[1])
	if err != nil {
		return err
	}
	v := attributes.Value{Value: attributes.ValueBytes(&value)}
	for _, field := range f[2:] {
		class, counts, err := l.classCounts(field)
		c := attributes.ValueCell{Class: class}
		if err == nil {
			err = parseNumbers(counts, &c.N)
		}
		if _, found := a.Row.Find(class); err != nil || !found || c.N == 0 || len(v.Row) > 0 && class <= v.Row[len(v.Row)-1].Class {
			return fmt.Errorf("%w: counts %.40q of a value", count.ErrInvalid, field)
		}
		v.Row = append(v.Row, c)
	}
	a.Row.Values++
	a.Values = append(a.Values, v)
	return nil
}
