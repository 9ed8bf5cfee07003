package filter

import (
	"math"
	"slices"
)

const (
	// exceeding is the share of documents of other classes that each of the two bounds is
	// chosen for.
	exceeding = 0.005

	// fewestBehind is the number of documents from which on there are bounds. From there
	// to 1/exceeding the greatest is the bound.
	fewestBehind = 100
)

// Bounds are what documents of other classes reach as evidence for a class. A document
// that is beyond one of them and yet is said to be of another class contradicts itself.
type Bounds struct {
	Strongest, Fields float64
}

// ChooseBounds returns the bounds that a further document of another class exceeds with
// a probability of about half a per cent each, by the Strongest and Fields of such
// documents. It changes the order of the slices. ok is false if there are fewer than 100.
func ChooseBounds(strongest, fields []float64) (b Bounds, ok bool) {
	if len(strongest) < fewestBehind || len(fields) != len(strongest) {
		return Bounds{}, false
	}
	// Fields that tell for other classes contradict nothing.
	return Bounds{Strongest: exceeded(strongest), Fields: max(exceeded(fields), 0)}, true
}

// exceeded returns the value of that rank that a further one exceeds with probability
// exceeding.
func exceeded(values []float64) float64 {
	slices.Sort(values)
	rank := max(int(math.Floor(exceeding*float64(len(values)+1))), 1)
	return values[len(values)-rank]
}

// Exceeds says whether e is beyond the bounds.
func (b *Bounds) Exceeds(e *Evidence) bool {
	return e.Strongest() > b.Strongest || e.Fields() > b.Fields
}
