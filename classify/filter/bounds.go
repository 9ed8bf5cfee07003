package filter

import (
	"math"
	"slices"
)

const (
	// exceeding is the share of documents of other classes that each of the two bounds
	// makes unsure.
	exceeding = 0.005

	// fewestBehind is the number of documents from which on there are bounds. From there
	// to 1/exceeding the greatest is the bound.
	fewestBehind = 100
)

// Bounds are the values that few documents of other classes exceed as evidence for a
// class. A document that exceeds one of them contradicts the answer of another class.
type Bounds struct {
	Strongest, Fields float64
}

// ChooseBounds returns the bounds that a further document of another class exceeds with a
// probability of about half a per cent each, by the Strongest and Fields of the documents of
// other classes that are not answered as the class, out of so many in all. It changes the
// order of the slices. ok is false if there are fewer than 100 in all, or if half of them or
// more are answered as the class.
func ChooseBounds(strongest, fields []float64, documents int) (b Bounds, ok bool) {
	if documents < fewestBehind || 2*len(strongest) <= documents || len(fields) != len(strongest) {
		return Bounds{}, false
	}
	rank := max(int(math.Floor(exceeding*float64(documents+1))), 1)
	// Fields that favour other classes contradict no answer.
	return Bounds{Strongest: ranked(strongest, rank), Fields: max(ranked(fields, rank), 0)}, true
}

// ranked returns the value of that rank from the top, 1 being the greatest.
func ranked(values []float64, rank int) float64 {
	slices.Sort(values)
	return values[len(values)-rank]
}

// Exceeds reports whether e exceeds one of the bounds.
func (b *Bounds) Exceeds(e *Evidence) bool {
	return e.Strongest() > b.Strongest || e.Fields() > b.Fields
}
