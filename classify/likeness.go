package classify

import "fmt"

// Likeness is a measure of how much alike two classes are by an attribute, from the
// densities p and q of its values in each: 0 if no value is of both classes, 1 if the
// densities are the same.
type Likeness uint8

const (
	// Overlap is the area under both densities,
	//
	//	∫ min(p(x), q(x)) dx
	//
	// 1 less the total variation distance (Inman and Bradley, "The overlapping
	// coefficient as a measure of agreement between probability distributions",
	// Communications in Statistics 18, 1989). Of categories it is a sum.
	Overlap Likeness = iota

	// DotProduct is that of the densities as vectors of length 1, the cosine of the
	// angle between them,
	//
	//	∫ p(x) q(x) dx / √(∫ p(x)² dx ∫ q(x)² dx)
	//
	// The probabilistic classifier of Johnson's credit-card example leaves out the
	// features for which it is above .8.
	DotProduct
)

var likenessNames = [...]string{Overlap: "overlap", DotProduct: "dot"}

// String returns "overlap" or "dot".
func (l Likeness) String() string {
	if int(l) < len(likenessNames) {
		return likenessNames[l]
	}
	return fmt.Sprintf("likeness(%d)", uint8(l))
}

// Likenesses returns the measures, in order.
func Likenesses() []Likeness { return []Likeness{Overlap, DotProduct} }
