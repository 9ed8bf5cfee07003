package calibration

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

	// strongest is the number of strongest terms summed. The sum of more grows with the
	// length of a document; fewer are seldom conspicuous in a short one.
	strongest = 5
)

// Bounds are the values of the Evidence for a class that few documents of other classes
// exceed. A document that exceeds one of them contradicts the answer of another class: spam
// can be padded with words of legitimate mail until the sum over all terms says ham, but its
// spam terms are still there.
//
// They are of the sum of the five greatest log ratios above 0, which terms that favour other
// classes do not change; of the mean log ratio of the terms of fields and one additional 0,
// for a message the sender, the subject and the route, whatever its text; and of the same of
// the terms of the text, whoever a message seems to come from: 0 without terms of fields, where
// text is all there is.
type Bounds [3]float64

// ChooseBounds returns the bounds that a future document of another class exceeds with a
// probability of about half a per cent each, or less. found has the Values of the documents of
// other classes that are not answered as the class, out of documents in all. ok is false if
// there are fewer than 100 documents, or if at least half of them are answered as the class.
func ChooseBounds(found []Bounds, documents int) (b Bounds, ok bool) {
	if documents < fewestBehind || 2*len(found) <= documents {
		return Bounds{}, false
	}
	rank := max(int(math.Floor(exceeding*float64(documents+1))), 1) // from the top
	values := make([]float64, len(found))
	for k := range b {
		for i := range found {
			values[i] = found[i][k]
		}
		slices.Sort(values)
		b[k] = max(values[len(values)-rank], 0) // what favours other classes contradicts no answer
	}
	return b, true
}

// Exceeds reports whether e exceeds one of the bounds.
func (b *Bounds) Exceeds(e *Evidence) bool {
	v := e.Values()
	return v[0] > b[0] || v[1] > b[1] || v[2] > b[2]
}

// Evidence summarizes the log ratios of the terms of a document for one class. The zero
// value has no terms.
type Evidence struct {
	top          [strongest]float64 // the greatest log ratios, the greatest first
	fields, text mean
}

// mean is the mean of log ratios and one additional 0.
type mean struct{ sum, n float64 }

func (m *mean) add(ratio float64) { m.sum, m.n = m.sum+ratio, m.n+1 }

func (m *mean) value() float64 { return m.sum / (1 + m.n) }

// Add adds a term by the log ratio of its frequency in the class to its frequency elsewhere.
// field is true for a term of a field of the document, and false for a term of its text.
func (e *Evidence) Add(ratio float64, field bool) {
	if field {
		e.fields.add(ratio)
	} else {
		e.text.add(ratio)
	}
	if !(ratio > e.top[strongest-1]) {
		return
	}
	at := strongest - 1
	for ; at > 0 && ratio > e.top[at-1]; at-- {
		e.top[at] = e.top[at-1]
	}
	e.top[at] = ratio
}

// Values returns the values that Bounds are of.
func (e *Evidence) Values() Bounds {
	v := Bounds{0, e.fields.value()}
	for _, r := range e.top {
		v[0] += r
	}
	if e.fields.n > 0 {
		v[2] = e.text.value()
	}
	return v
}

// Text returns the mean log ratio of the terms of the text, +Inf where text is all there is.
func (e *Evidence) Text() float64 {
	if e.fields.n == 0 {
		return math.Inf(1)
	}
	return e.text.value()
}
