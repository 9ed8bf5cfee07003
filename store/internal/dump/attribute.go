package dump

import (
	"fmt"
	"strconv"
	"strings"

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

// valueText reads what formatValue writes, and nothing else.
func valueText(name string, kind count.Kind, s string) (count.Attribute, error) {
	a := count.Attribute{Name: name, Kind: kind}
	ok := true
	switch kind {
	case count.Category:
		a.Category, ok = Unescape(s)
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

// attributeField reads an attribute at the start of fields, and returns the others.
func attributeField(fields []string) (count.Attribute, []string, error) {
	kind, err := count.ParseKind(fields[0][1:])
	if err != nil {
		return count.Attribute{}, nil, err
	}
	if len(fields) < 3 {
		return count.Attribute{}, nil, fmt.Errorf("%w: an attribute without a value", count.ErrInvalid)
	}
	name, ok := Unescape(fields[1])
	if !ok {
		return count.Attribute{}, nil, fmt.Errorf("%w: attribute %.40q", count.ErrInvalid, fields[1])
	}
	a, err := valueText(name, kind, fields[2])
	return a, fields[3:], err
}

// attribute reads the counts of an attribute. Values follow.
func (l *reader) attribute(f []string) error {
	if len(f) < 4 {
		return fmt.Errorf("%w: an attribute without counts", count.ErrInvalid)
	}
	name, ok := Unescape(f[1])
	n := len(l.out.Counts.Attributes)
	if !ok || count.CheckName(name) != nil || n > 0 && name <= l.out.Counts.Attributes[n-1].Name {
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
	l.out.Counts.Attributes = append(l.out.Counts.Attributes, a)
	return nil
}

// classCounts reads "class=counts".
func (l *reader) classCounts(field string) (class uint32, counts []string, err error) {
	number, rest, ok := strings.Cut(field, "=")
	var n uint64
	if err := parseNumbers([]string{number}, &n); err != nil || !ok || n >= uint64(l.classes()) {
		return 0, nil, count.ErrInvalid
	}
	return uint32(n), strings.Split(rest, ","), nil
}

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
func (l *reader) value(f []string) error {
	n := len(l.out.Counts.Attributes)
	if n == 0 || !attributes.Listed(l.out.Counts.Attributes[n-1].Row.Kind) || len(f) < 3 {
		return fmt.Errorf("%w: a value of no attribute, or without counts", count.ErrInvalid)
	}
	a := &l.out.Counts.Attributes[n-1]
	value, err := valueText(a.Name, a.Row.Kind, f[1])
	if err != nil {
		return err
	}
	v := attributes.Value{Value: attributes.ValueBytes(&value)}
	for _, field := range f[2:] {
		class, counts, err := l.classCounts(field)
		c := attributes.Cell{Class: class}
		if err == nil {
			err = parseNumbers(counts, &c.N)
		}
		if _, found := a.Row.Find(class); err != nil || !found || c.N == 0 || len(v.Row.Cells) > 0 && class <= v.Row.Cells[len(v.Row.Cells)-1].Class {
			return fmt.Errorf("%w: counts %.40q of a value", count.ErrInvalid, field)
		}
		v.Row.Cells = append(v.Row.Cells, c)
	}
	a.Row.Values++
	a.Values = append(a.Values, v)
	return nil
}
