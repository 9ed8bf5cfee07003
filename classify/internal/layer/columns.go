package layer

import (
	"cmp"
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
	"strings"

	"github.com/polya-classifier/polya/store/count"
)

// A number's distance from the mean, in standard deviations, and its square are bounded: a single
// number far out would outweigh all else in a linear score. For the mean and the deviation a number
// counts as at most beyond times the middle range outside it, or one mistyped number would make all
// others look equal.
const (
	farthest       = 4
	greatestSquare = 9
	beyond         = 5
)

// Columns turn attributes into the features of a linear model. A category, and a yes or a no, is a
// feature of value 1. A number is two: its distance from the mean of the documents learned, in standard
// deviations, and the square of that less 1. What a document lacks is 0, as the mean is.
type Columns []column

// column is an attribute that so many documents have, with the hash of its name, and of numbers the
// mean and 1/deviation, which is 0 if all are equal.
type column struct {
	name      string
	documents uint64
	hash      uint64
	scale     [2]float64
}

// Constant is the hash of the feature that all documents have, of value 1. Hashes of features are of
// names that are longer than terms.
var Constant = Hash(beyondTerms)

var beyondTerms = strings.Repeat("\x00", count.MaxTermBytes+1)

// NewColumns returns the columns of attributes, of numbers with the scales that w has; nil has none.
func NewColumns(attributes []*count.AttributeTotals, w *Weights) Columns {
	list := make(Columns, len(attributes))
	for i, a := range attributes {
		list[i] = column{name: a.Name, hash: Hash(beyondTerms + a.Kind.String() + a.Name), documents: a.Pooled().N}
		if w != nil { // a scale that it lacks stays 0
			_, _ = binary.Decode(w.Row(list[i].hash+2), binary.LittleEndian, &list[i].scale)
		}
	}
	return list
}

// measure sets the scale by these numbers, which it sorts, and returns it as it is kept. The middle
// range is that of the middle half of the numbers that are not the median, since most may be equal.
func (c *column) measure(numbers []float64) hashed {
	slices.Sort(numbers)
	low, n := numbers[len(numbers)/2], float64(len(numbers))
	high, others := low, slices.DeleteFunc(slices.Clone(numbers), func(x float64) bool { return x == low })
	if k := len(others); k > 0 {
		low, high = min(low, others[k/4]), max(high, others[k-1-k/4])
	}
	reach, sum, squares := beyond*(high-low), 0., 0.
	for i, x := range numbers {
		numbers[i] = min(max(x, low-reach), high+reach)
		sum += numbers[i]
	}
	for _, x := range numbers {
		squares += (x - sum/n) * (x - sum/n)
	}
	if c.scale = [2]float64{}; high > low && squares > 0 { // of equal numbers rounding may leave some
		c.scale = [2]float64{sum / n, 1 / math.Sqrt(squares/n)}
	}
	raw, _ := binary.Append(nil, binary.LittleEndian, c.scale)
	return hashed{hash: c.hash + 2, raw: raw}
}

// isSquare reports whether a feature of an attribute of this kind is the square of a number.
func (c *column) isSquare(hash uint64, kind count.Kind) bool {
	return hash == c.hash+1 && kind != count.Category && kind != count.YesNo
}

// at returns the index of an attribute.
func (list Columns) at(name string) int {
	at, _ := slices.BinarySearchFunc(list, name, func(c column, name string) int { return cmp.Compare(c.name, name) })
	return at
}

// share returns the largest share of all documents whose attributes are learned.
func (list Columns) share(classes int) float64 {
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
		if z := min(max((a.Number-c.scale[0])*c.scale[1], -farthest), farthest); c.scale[1] > 0 {
			f(c.hash, z)
			f(c.hash+1, min(z*z, greatestSquare)-1)
		}
	}
}
