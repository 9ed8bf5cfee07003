package layer

import (
	"math"
	"math/bits"
	"strings"

	"github.com/polya-classifier/polya/store/count"
)

// A number's distance from the mean, in standard deviations, and its square are bounded: a single
// number far out would outweigh all else in a linear score.
const (
	farthest       = 4
	greatestSquare = 9
)

// Columns turn attributes into the features of a linear model. A category, and a yes or a no, is a
// feature of value 1. A number is two: its distance from the mean of all documents, in standard
// deviations, and the square of that less 1. What a document lacks is 0, as the mean is.
type Columns []column

// column is an attribute that so many documents have, with the hash of its name, and of numbers the
// centre and 1/spread.
type column struct {
	name            string
	documents       uint64
	hash            uint64
	center, inverse float64
}

// Constant is the hash of the feature that all documents have, of value 1. Hashes of features are of
// names that are longer than terms.
var Constant = Hash(beyondTerms)

var beyondTerms = strings.Repeat("\x00", count.MaxTermBytes+1)

// NewColumns returns the columns of attributes.
func NewColumns(attributes []*count.AttributeTotals) Columns {
	list := make(Columns, len(attributes))
	for i, a := range attributes {
		list[i] = column{name: a.Name, hash: Hash(beyondTerms + a.Kind.String() + a.Name)}
		c, all := &list[i], a.Pooled()
		if c.documents = all.N; a.Kind == count.Uniform && all.Greatest > 0 {
			c.center, c.inverse = all.Greatest/2, math.Sqrt(12)/all.Greatest
		} else if spread := all.Deviations() / float64(max(all.N, 1)); spread > 0 {
			c.center, c.inverse = all.Mean(), 1/math.Sqrt(spread)
		}
	}
	return list
}

// Share returns the largest share of all documents that is learned.
func (list Columns) Share(classes int) float64 {
	features := uint64(1)
	for _, c := range list {
		features += 2 * c.documents
	}
	return mostProducts / float64(features*uint64(max(classes, 1)))
}

// Each calls f with the hash and the value of each feature of an attribute, at which index among the
// columns it is.
func (list Columns) Each(at int, a *count.Attribute, f func(hash uint64, value float64)) {
	c := &list[at]
	switch a.Kind {
	case count.Category:
		f(c.hash^bits.RotateLeft64(Hash(a.Category), 1), 1)
	case count.YesNo:
		f(c.hash+uint64(a.Number), 1)
	default:
		z := min(max((a.Number-c.center)*c.inverse, -farthest), farthest)
		f(c.hash, z)
		f(c.hash+1, min(z*z, greatestSquare)-1)
	}
}
