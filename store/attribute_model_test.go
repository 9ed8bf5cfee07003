package store

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/dump"
)

// This file is what a database must count of attributes, by the words of the
// documentation: plain maps, and rational numbers of math/big.

// wildReals are of 17 digits and of sizes that no sum of floating-point numbers
// holds together.
var wildReals = []float64{0.1, 1e-300, -1e150, 12345678901234567, 3.1415926535897931, -0.30000000000000004, 5e-324, 1e150, 0, -2.2250738585072014e-308}

// attributed is sample with attributes of all kinds, or with none. The numbers of
// two documents are often the same.
func attributed(i int, class string) count.Document {
	return addAttributes(i, sample(i, class))
}

func addAttributes(i int, d count.Document) count.Document {
	if i%5 == 4 {
		return d
	}
	d.Attributes = append(d.Attributes, count.Attribute{Name: "size", Kind: count.Real, Number: wildReals[i*7%len(wildReals)]})
	if i%3 > 0 {
		d.Attributes = append(d.Attributes, count.Attribute{Name: "day", Kind: count.Category, Category: []string{"mon", "t\\ue\t\xff", "wed", "née"}[i%4]})
	}
	if i%2 > 0 {
		d.Attributes = append(d.Attributes, count.Attribute{Name: "née \\", Kind: count.YesNo, Number: float64(i / 2 % 2)})
	}
	if i%4 > 0 {
		d.Attributes = append(d.Attributes, count.Attribute{Name: "hour", Kind: count.Uniform, Number: []float64{7, 0.5, 0, 1e-9, 12.25, 1e150}[i%6]})
	}
	return d
}

// simAttributed is a document of the sim's universe. Of some an attribute changes
// its kind.
func simAttributed(i, version int, class string) count.Document {
	d := attributed(i+simDocs*version, class)
	if i%8 == 3 {
		a := count.Attribute{Name: changing, Kind: count.Real, Number: 1}
		if (i/8+version)%2 > 0 {
			a = count.Attribute{Name: changing, Kind: count.Category, Category: "x"}
		}
		d.Attributes = append(d.Attributes, a)
	}
	return d
}

const changing = "of this or that kind"

func hasChanging(d count.Document) bool {
	return slices.ContainsFunc(d.Attributes, func(a count.Attribute) bool { return a.Name == changing })
}

// all are the documents of the model, in no order.
func (m *model) all() []count.Document {
	return slices.Concat(slices.Collect(maps.Values(m.docs)), m.untracked)
}

// kinds is as what each attribute is counted.
func (m *model) kinds() map[string]count.Kind {
	kinds := map[string]count.Kind{}
	for _, d := range m.all() {
		for _, a := range d.Attributes {
			kinds[a.Name] = a.Kind
		}
	}
	return kinds
}

// conflict is why d cannot be learned, or nil.
func (m *model) conflict(d count.Document) error {
	kinds := m.kinds()
	for _, a := range byName(d.Attributes) {
		if have := kinds[a.Name]; have != 0 && have != a.Kind {
			return &count.AttributeError{Name: a.Name, Have: have, Want: a.Kind}
		}
	}
	return nil
}

func byName(list []count.Attribute) []count.Attribute {
	return slices.SortedFunc(slices.Values(list), func(a, b count.Attribute) int { return cmp.Compare(a.Name, b.Name) })
}

// valueString is a value as a dump has it.
func valueString(a count.Attribute) string {
	switch a.Kind {
	case count.Category:
		return dump.Escape(a.Category)
	case count.YesNo:
		return map[float64]string{0: "no", 1: "yes"}[a.Number]
	}
	return strconv.FormatFloat(a.Number, 'g', -1, 64)
}

// dyadic is r = m · 2^e, m odd, as a dump has it.
func dyadic(r *big.Rat) string {
	if r.Sign() == 0 {
		return "0p0"
	}
	m, e := new(big.Int).Set(r.Num()), -(r.Denom().BitLen() - 1)
	for m.Bit(0) == 0 {
		m.Quo(m, big.NewInt(2))
		e++
	}
	return fmt.Sprintf("%dp%d", m, e)
}

// attributeLines are the attribute lines of a dump.
func attributeLines(classes map[string][]count.Document) (lines []string) {
	type cell struct {
		n, yes       int
		sum, squares *big.Rat
	}
	kinds := map[string]count.Kind{}
	cells := map[string]map[int]*cell{}
	values := map[string]map[string]map[int]int{} // name, value, class
	numbers := map[string]float64{}
	for k, class := range slices.Sorted(maps.Keys(classes)) {
		for _, d := range classes[class] {
			for _, a := range d.Attributes {
				kinds[a.Name] = a.Kind
				if cells[a.Name] == nil {
					cells[a.Name], values[a.Name] = map[int]*cell{}, map[string]map[int]int{}
				}
				if cells[a.Name][k] == nil {
					cells[a.Name][k] = &cell{sum: new(big.Rat), squares: new(big.Rat)}
				}
				c := cells[a.Name][k]
				c.n++
				switch a.Kind {
				case count.YesNo:
					c.yes += int(a.Number)
				case count.Real:
					x := new(big.Rat).SetFloat64(a.Number)
					c.sum.Add(c.sum, x)
					c.squares.Add(c.squares, x.Mul(x, x))
				default:
					v := valueString(a)
					if values[a.Name][v] == nil {
						values[a.Name][v] = map[int]int{}
					}
					values[a.Name][v][k]++
					numbers[v] = a.Number
				}
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(kinds)) {
		line := "attribute\t" + dump.Escape(name) + "\t" + []string{"", "category", "yesno", "real", "uniform"}[kinds[name]]
		for _, k := range slices.Sorted(maps.Keys(cells[name])) {
			c := cells[name][k]
			line += fmt.Sprintf("\t%d=%d", k, c.n)
			switch kinds[name] {
			case count.YesNo:
				line += fmt.Sprintf(",%d", c.yes)
			case count.Real:
				line += "," + dyadic(c.sum) + "," + dyadic(c.squares)
			}
		}
		lines = append(lines, line)
		for _, v := range slices.SortedFunc(maps.Keys(values[name]), func(a, b string) int {
			if kinds[name] == count.Uniform {
				return cmp.Compare(numbers[a], numbers[b])
			}
			x, _ := dump.Unescape(a)
			y, _ := dump.Unescape(b)
			return strings.Compare(x, y)
		}) {
			line := "value\t" + v
			for _, k := range slices.Sorted(maps.Keys(values[name][v])) {
				line += fmt.Sprintf("\t%d=%d", k, values[name][v][k])
			}
			lines = append(lines, line)
		}
	}
	return lines
}

// attributeTail is the end of a document's line.
func attributeTail(d count.Document) (tail string) {
	for _, a := range byName(d.Attributes) {
		tail += fmt.Sprintf("\t@%s\t%s\t%s", []string{"", "category", "yesno", "real", "uniform"}[a.Kind], dump.Escape(a.Name), valueString(a))
	}
	return tail
}

// encodedAttributes returns the encoded attributes of a document without dropped terms, as
// FORMAT.md describes them; in the model all names and categories are shorter than 128.
func encodedAttributes(d count.Document) (b []byte) {
	if len(d.Attributes) == 0 {
		return nil
	}
	b = []byte{0, byte(len(d.Attributes))}
	for _, a := range byName(d.Attributes) {
		b = append(append(b, byte(len(a.Name))), a.Name...)
		b = append(b, byte(a.Kind))
		switch a.Kind {
		case count.Category:
			b = append(append(b, byte(len(a.Category))), a.Category...)
		case count.YesNo:
			b = append(b, byte(a.Number))
		default:
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(a.Number))
		}
	}
	return b
}

// deltaFor applies the Delta that fill makes.
func deltaFor(fill func(*Delta)) func(*DB) error {
	return func(db *DB) error {
		var d Delta
		fill(&d)
		_, err := db.Apply(&d)
		return err
	}
}

// addNew adds n documents with attributes to a Delta.
func addNew(n int) func(*Delta) {
	return func(d *Delta) {
		for i := range n {
			d.Add(attributed(1000+i, []string{"ham", "new"}[i%2]))
		}
	}
}
