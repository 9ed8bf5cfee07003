package filter

import (
	"math"
	"slices"
)

const (
	// exceeding is the share of documents of other classes that exceed each of the two
	// bounds.
	exceeding = 0.005

	// fewestBehind is the number of documents from which bounds are known. With fewer than
	// 1/exceeding documents the greatest value is the bound.
	fewestBehind = 100
)

// Bounds are values of the evidence for a class that few documents of other classes
// exceed. A document that exceeds one of them contradicts the answer of another class.
type Bounds struct {
	Strongest, Fields float64
}

// ChooseBounds returns the bounds that a future document of another class exceeds with a
// probability of about half a per cent each. strongest and fields are the Strongest and
// Fields of the documents of other classes that are not answered as the class, out of
// documents in all. It reorders the slices. ok is false if there are fewer than 100
// documents, or if at least half of them are answered as the class.
func ChooseBounds(strongest, fields []float64, documents int) (b Bounds, ok bool) {
	if documents < fewestBehind || 2*len(strongest) <= documents || len(fields) != len(strongest) {
		return Bounds{}, false
	}
	rank := max(int(math.Floor(exceeding*float64(documents+1))), 1)
	// Fields that favour other classes do not contradict an answer.
	return Bounds{Strongest: ranked(strongest, rank), Fields: max(ranked(fields, rank), 0)}, true
}

// ranked returns the value with this rank from the top, 1 for the greatest.
func ranked(values []float64, rank int) float64 {
	slices.Sort(values)
	return values[len(values)-rank]
}

// Exceeds reports whether e exceeds one of the bounds.
func (b *Bounds) Exceeds(e *Evidence) bool {
	return e.Strongest() > b.Strongest || e.Fields() > b.Fields
}
