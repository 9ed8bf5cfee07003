package count

import "math/big"

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
