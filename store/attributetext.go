package store

import (
	"fmt"
	"github.com/polya-classifier/polya/store/count"
	"iter"
	"slices"
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
		d.buf = append(d.buf[:0], "attribute\t"+escape(a.name)+"\t"+a.row.kind.String()...)
		for k := range a.row.cells {
			d.buf = a.row.cells[k].appendText(d.buf, a.row.kind)
		}
		d.line(string(d.buf))
		for _, v := range a.values {
			value, err := valueOf(a.name, a.row.kind, []byte(v.value))
			if err != nil {
				return d.s.db.fail(&CorruptError{What: "values of " + attributeName(a.name)})
			}
			d.buf = append(d.buf[:0], "value\t"+formatValue(&value)...)
			for _, c := range v.row {
				d.buf = fmt.Appendf(d.buf, "\t%d=%d", c.class, c.n)
			}
			d.line(string(d.buf))
		}
	}
	return nil
}

func (c *attributeCell) appendText(b []byte, kind count.Kind) []byte {
	b = fmt.Appendf(b, "\t%d=%d", c.class, c.N)
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
	n := len(l.sum.attributes)
	if !ok || count.CheckName(name) != nil || n > 0 && name <= l.sum.attributes[n-1].name {
		return fmt.Errorf("%w: attribute %.40q is bad or out of order", count.ErrInvalid, f[1])
	}
	kind, err := count.ParseKind(f[2])
	if err != nil {
		return err
	}
	a := sumAttribute{name: name, row: attributeRow{kind: kind}}
	for _, field := range f[3:] {
		class, counts, err := l.classCounts(field)
		c := attributeCell{class: class}
		if err != nil || !c.parse(kind, counts) || c.N == 0 {
			return fmt.Errorf("%w: counts %.40q of attribute %.40q", count.ErrInvalid, field, name)
		}
		if n := len(a.row.cells); n > 0 && class <= a.row.cells[n-1].class {
			return fmt.Errorf("%w: classes out of order", count.ErrInvalid)
		}
		a.row.cells = append(a.row.cells, c)
	}
	l.sum.attributes = append(l.sum.attributes, a)
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

// parse reads the counts that appendText writes.
func (c *attributeCell) parse(kind count.Kind, counts []string) bool {
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
	n := len(l.sum.attributes)
	if n == 0 || !isListed(l.sum.attributes[n-1].row.kind) || len(f) < 3 {
		return fmt.Errorf("%w: a value of no attribute, or without counts", count.ErrInvalid)
	}
	a := &l.sum.attributes[n-1]
	value, err := valueText(a.name, a.row.kind, f[1])
	if err != nil {
		return err
	}
	v := sumValue{value: valueBytes(&value)}
	for _, field := range f[2:] {
		class, counts, err := l.classCounts(field)
		c := valueCell{class: class}
		if err == nil {
			err = parseNumbers(counts, &c.n)
		}
		if _, found := a.row.find(class); err != nil || !found || c.n == 0 || len(v.row) > 0 && class <= v.row[len(v.row)-1].class {
			return fmt.Errorf("%w: counts %.40q of a value", count.ErrInvalid, field)
		}
		v.row = append(v.row, c)
	}
	a.row.values++
	a.values = append(a.values, v)
	return nil
}

// reach sets the least and greatest values of each class, which the dump does not
// repeat.
func (a *sumAttribute) reach() {
	each := func(values iter.Seq2[int, sumValue], set func(c *attributeCell, x float64)) {
		for _, v := range values {
			value, _ := valueOf(a.name, a.row.kind, []byte(v.value))
			for _, c := range v.row {
				at, _ := a.row.find(c.class)
				set(&a.row.cells[at], value.Number)
			}
		}
	}
	each(slices.All(a.values), func(c *attributeCell, x float64) { c.Greatest = x })
	each(slices.Backward(a.values), func(c *attributeCell, x float64) { c.Least = x })
}
