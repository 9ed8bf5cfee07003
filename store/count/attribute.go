package count

import (
	"fmt"
	"math"
	"math/big"
)

// Kind is the type of an attribute's values, which decides what is counted.
type Kind uint8

const (
	// Category is a name, from any number of names: documents are counted by name.
	Category Kind = 1

	// YesNo is yes or no: all documents, and the documents with yes, are counted.
	YesNo Kind = 2

	// Real is a real number: documents, the sum of the numbers and the sum of
	// their squares are kept, exactly.
	Real Kind = 3

	// Uniform is a real number, 0 or more, whose range matters: documents are counted by
	// number, so that the greatest number is known after any document is forgotten.
	Uniform Kind = 4
)

const (
	// MaxAttributes is the greatest number of attributes of one document: wide
	// tables have a thousand columns or so.
	MaxAttributes = 4096

	// MaxCategoryBytes is the longest category: it is a key of the file, and a longer one is
	// a text, whose words should be counted.
	MaxCategoryBytes = 255

	// MaxReal is the greatest absolute value of a real, 2^500 (about 3e150): the
	// squares and their sums are floating-point numbers too.
	MaxReal = 0x1p500
)

// Attribute is a named value of a document beside its terms.
type Attribute struct {
	// Name is 1 to MaxNameBytes bytes without control characters.
	Name string

	// Kind is the same in all documents of a database that have the attribute.
	Kind Kind

	// Category is the value of a Category, 1 to MaxCategoryBytes bytes.
	Category string

	// Number is the value of a Real, of a Uniform (0 or more), or of a YesNo:
	// 1 for yes, 0 for no.
	Number float64
}

// AttributeOf returns the attribute of this name for a value as package corpus reads it: a string
// is a Category, a bool a YesNo, and a float64 a Real. Any other value has no Kind, and Check
// refuses it.
func AttributeOf(name string, value any) Attribute {
	a := Attribute{Name: name}
	switch v := value.(type) {
	case string:
		a.Kind, a.Category = Category, v
	case bool:
		if a.Kind = YesNo; v {
			a.Number = 1
		}
	case float64:
		a.Kind, a.Number = Real, v
	}
	return a
}

var kindNames = [...]string{Category: "category", YesNo: "yesno", Real: "real", Uniform: "uniform"}

// String returns the name that ParseKind reads: category, yesno, real or uniform.
func (k Kind) String() string {
	if k == 0 || int(k) >= len(kindNames) {
		return fmt.Sprintf("kind %d", uint8(k))
	}
	return kindNames[k]
}

// ParseKind reads the name of a kind: category, yesno, real or uniform.
func ParseKind(name string) (Kind, error) {
	for k, s := range kindNames {
		if s == name && s != "" {
			return Kind(k), nil
		}
	}
	return 0, fmt.Errorf("unknown kind %.40q of an attribute: use category, yesno, real or uniform: %w", name, ErrInvalid)
}

// Check returns an error, which wraps ErrInvalid, unless a can be an attribute of
// a document.
func (a *Attribute) Check() error {
	if CheckName(a.Name) != nil {
		return fmt.Errorf("attribute %.40q: %w: want a name of 1 to %d bytes without control characters", a.Name, ErrInvalid, MaxNameBytes)
	}
	bad := func(format string, args ...any) error {
		return fmt.Errorf("attribute %.40q: %w: %s", a.Name, ErrInvalid, fmt.Sprintf(format, args...))
	}
	switch a.Kind {
	case Category:
		if n := len(a.Category); n == 0 || n > MaxCategoryBytes {
			return bad("a category of %d bytes, want 1 to %d", n, MaxCategoryBytes)
		}
		return nil
	case YesNo:
		if a.Number != 0 && a.Number != 1 {
			return bad("yes or no is 1 or 0, not %v", a.Number)
		}
	case Real, Uniform:
		switch {
		case math.IsNaN(a.Number) || math.IsInf(a.Number, 0):
			return bad("%v is no number to count", a.Number)
		case math.Abs(a.Number) > MaxReal:
			return bad("%g is beyond ±%.3g", a.Number, MaxReal)
		case a.Kind == Uniform && a.Number < 0:
			return bad("%g is below 0, where a uniform has none", a.Number)
		}
	default:
		return bad("%s is not one of category, yesno, real, uniform", a.Kind)
	}
	return nil
}

// AttributeTotals holds the counts of one attribute. It is immutable.
type AttributeTotals struct {
	Name string
	Kind Kind

	// Values is the number of distinct values of a Category or a Uniform in all classes
	// together; 0 for other kinds.
	Values uint64

	// Classes are the counts by class, in order of the names of the classes.
	Classes []AttributeCell
}

// AttributeCell holds the counts of an attribute in one class.
type AttributeCell struct {
	// N is the number of documents of the class that have the attribute.
	N uint64

	// Yes is, for a YesNo, the number of documents with yes.
	Yes uint64

	// Sum and Squares are Σx and Σx² of a Real.
	Sum, Squares Exact

	// Least and Greatest are the extreme values of a Uniform, 0 if N is 0.
	Least, Greatest float64
}

// Pooled returns the counts of all classes together.
func (a *AttributeTotals) Pooled() AttributeCell {
	var all AttributeCell
	for c := range a.Classes {
		cell := &a.Classes[c]
		if cell.N > 0 && (all.N == 0 || cell.Least < all.Least) {
			all.Least = cell.Least
		}
		all.N += cell.N
		all.Yes += cell.Yes
		all.Sum, all.Squares = all.Sum.Add(cell.Sum), all.Squares.Add(cell.Squares)
		all.Greatest = max(all.Greatest, cell.Greatest)
	}
	return all
}

// Mean returns Σx / N of a Real, computed exactly and rounded once; 0 if N is 0.
func (c *AttributeCell) Mean() float64 {
	if c.N == 0 {
		return 0
	}
	return c.Sum.quotient(c.N)
}

// Deviations returns Σ (x - mean)² = Σx² - (Σx)²/N of a Real, computed exactly and
// rounded once, so that no digit cancels; 0 if N is 0.
func (c *AttributeCell) Deviations() float64 {
	if c.N == 0 {
		return 0
	}
	return c.spread().quotient(c.N)
}

// spread returns N Σx² - (Σx)², which no numbers make negative.
func (c *AttributeCell) spread() Exact {
	n := NewExact(new(big.Int).SetUint64(c.N), 0)
	return n.Mul(c.Squares).Sub(c.Sum.Mul(c.Sum))
}

// Check returns an error, which wraps ErrInvalid, unless N documents can give these sums.
func (c *AttributeCell) Check() error {
	squares := ExactOf(MaxReal * MaxReal).Mul(ExactOf(float64(c.N)))
	if c.Yes > c.N || c.Squares.Sign() < 0 || squares.Sub(c.Squares).Sign() < 0 || c.N > MaxDocs {
		return ErrInvalid
	}
	if spread := c.spread().Sign(); spread < 0 || c.N < 2 && spread != 0 {
		return ErrInvalid
	}
	return nil
}
