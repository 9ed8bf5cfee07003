package filter

// strongest is the number of strongest terms summed. The sum of more grows with the
// length of a document; fewer are seldom conspicuous in a short one. With half a per cent
// of legitimate documents unsure, 1, 5 and 10 find 98, 95 and 89 % of the spams padded
// with 100 good words in SpamAssassin's mail, and 80, 97 and 97 % in short messages.
const strongest = 5

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

// Strongest returns the sum of the five greatest log ratios above 0. Terms that favour
// other classes do not change it.
func (e *Evidence) Strongest() float64 {
	sum := 0.0
	for _, r := range e.top {
		sum += r
	}
	return sum
}

// Fields returns the mean log ratio of the terms of fields and one additional 0: for a message
// the sender, the subject and the route, whatever its text. It is 0 if there are none.
func (e *Evidence) Fields() float64 { return e.fields.value() }

// Text is Fields for the terms of the text: what a message says, whoever it seems to come
// from. It is 0 without terms of fields, where text is all there is.
func (e *Evidence) Text() float64 {
	if e.fields.n == 0 {
		return 0
	}
	return e.text.value()
}
