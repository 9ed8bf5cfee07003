// Package overlap measures how similar the classes are by one attribute of their
// documents. An attribute with the same distribution in all classes does not help to
// distinguish them.
package overlap

// Measure is a measure of the similarity of two classes, from the densities p and q of an
// attribute's values in each: 0 if no value occurs in both classes, 1 if the densities
// are equal.
type Measure uint8

const (
	// Area is the area under both densities,
	//
	//	∫ min(p(x), q(x)) dx
	//
	// 1 less the total variation distance (Inman and Bradley, "The overlapping coefficient
	// as a measure of agreement between probability distributions", Communications in
	// Statistics 18, 1989). For categories it is a sum.
	Area Measure = iota

	// DotProduct is the dot product of the densities as vectors of length 1, the cosine
	// of the angle between them,
	//
	//	∫ p(x) q(x) dx / √(∫ p(x)² dx ∫ q(x)² dx)
	//
	// The probabilistic classifier of Johnson's credit-card example drops the features for
	// which it is above .8.
	DotProduct
)
