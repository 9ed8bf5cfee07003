package filter

import (
	"math"
	"slices"
)

const (
	// exceeding is the share of documents of other classes that exceed each of the
	// bounds.
	exceeding = 0.005

	// fewestBehind is the number of documents from which bounds are known. With fewer than
	// 1/exceeding documents the greatest value is the bound.
	fewestBehind = 100
)

// Bounds are values of the evidence for a class that few documents of other classes
// exceed. A document that exceeds one of them contradicts the answer of another class.
type Bounds struct {
	Strongest, Fields, Text float64
}

// ChooseBounds returns the bounds that a future document of another class exceeds with a
// probability of about half a per cent each, or less. found has the Strongest, Fields and Text
// of the documents of other classes that are not answered as the class, out of documents in
// all. ok is false if there are fewer than 100 documents, or if at least half of them are
// answered as the class.
func ChooseBounds(found []Bounds, documents int) (b Bounds, ok bool) {
	if documents < fewestBehind || 2*len(found) <= documents {
		return Bounds{}, false
	}
	rank := max(int(math.Floor(exceeding*float64(documents+1))), 1)
	ranked := func(of func(b *Bounds) float64) float64 { // the value of this rank from the top
		values := make([]float64, len(found))
		for i := range found {
			values[i] = of(&found[i])
		}
		slices.Sort(values)
		return values[len(values)-rank]
	}
	// Fields or text that favour other classes contradict no answer.
	return Bounds{
		ranked(func(b *Bounds) float64 { return b.Strongest }),
		max(ranked(func(b *Bounds) float64 { return b.Fields }), 0),
		max(ranked(func(b *Bounds) float64 { return b.Text }), 0),
	}, true
}

// Exceeds reports whether e exceeds one of the bounds.
func (b *Bounds) Exceeds(e *Evidence) bool {
	return e.Strongest() > b.Strongest || e.Fields() > b.Fields || e.Text() > b.Text
}
