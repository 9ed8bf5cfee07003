package model

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

const (
	// The defaults of Ratio.
	defaultRatioAlpha = 0.01
	defaultRatioBound = 1.
)

// Ratio scores a class by the mean of the strong log ratios of the document's
// terms:
//
//	score_c = Σ_t l_t r_ct / (1 + Σ_t l_t)   over the terms t with |r_ct| > Bound
//	r_ct    = log[(w_ct + α) / (w'_ct/R_c + α)]
//
// w_ct is the count of the term in class c, w'_ct its count in all other classes, and R_c
// the ratio of the others' total to c's total, so that r_ct compares the class with an
// equal share of the rest. w is the length-normalised log count W and l_t = log(1+x_t), or,
// with Documents, w is the document frequency and l_t = 1.
//
// It is not a likelihood. A sum grows with the length of the document and with its
// redundancy; a mean over the informative terms does not, and ranks far better: with two
// classes it is the f(w) of Robinson (A Statistical Approach to the Spam Problem, Linux
// Journal 107, 2003) without his χ².
//
// Special cases:
//
//	no term beyond the bound: 0
//	one class, or one whose total or the others' is 0: 0
type Ratio struct {
	// Documents says to compare document frequencies.
	Documents bool

	// Alpha is α > 0, the pseudo-count of each term on both sides. Zero means .01.
	Alpha float64

	// Bound is the |r| that a term must exceed to contribute, in nats, > 0. Zero
	// means 1.
	Bound float64

	// Fields is the group of fields whose terms contribute.
	Fields Fields
}

// Name returns "ratio" and the parameters, as in
// "ratio:documents,alpha=0.1,bound=2,fields=subject".
func (m Ratio) Name() string {
	of, fields := "", ""
	if m.Documents {
		of = documentsName
	}
	if m.Fields != AllFields {
		fields = fieldsName + m.Fields.String()
	}
	return modelName("ratio", of, shownAmount("alpha", m.Alpha, defaultRatioAlpha), shownAmount("bound", m.Bound, defaultRatioBound), fields)
}

func (m Ratio) check() error {
	m = m.filled()
	if m.Fields > CharacterFields {
		return fmt.Errorf("there are no %v", m.Fields)
	}
	if !(m.Alpha > 0) || math.IsInf(m.Alpha, 1) {
		return fmt.Errorf("alpha=%v: want a number above 0", m.Alpha)
	}
	if !(m.Bound > 0) || math.IsInf(m.Bound, 1) {
		return fmt.Errorf("bound=%v: want a number above 0", m.Bound)
	}
	return nil
}

// channel returns the channel that m reads, 0 for none.
func (m Ratio) channel() Fields {
	if m.Fields.IsChannel() {
		return m.Fields
	}
	return 0
}

// filled returns m with defaults filled in.
func (m Ratio) filled() Ratio {
	m.Alpha, m.Bound = cmp.Or(m.Alpha, defaultRatioAlpha), cmp.Or(m.Bound, defaultRatioBound)
	return m
}

// Fields is a group of the fields of a document.
type Fields uint8

// The groups of fields. Every term belongs to one group except AllFields, which is all
// terms except those of the channel, see count.OfChannel; these belong to the last group.
const (
	AllFields       Fields = iota // all except the channel
	TextFields                    // the text, and non-word terms from it
	SubjectFields                 // the subject
	PeopleFields                  // names and addresses of people and lists
	OtherFields                   // all others
	CharacterFields               // the channel of characters

	fieldGroups = int(OtherFields)
)

var fieldNames = [...]string{"all", "text", "subject", "people", "other", "characters"}

// String returns the name of the group, as in names of models.
func (f Fields) String() string {
	if int(f) < len(fieldNames) {
		return fieldNames[f]
	}
	return fmt.Sprintf("fields %d", uint8(f))
}

// group returns the index of the group of a term; a term of unknown field belongs to the text.
func (f Fields) group() int { return int(max(f, TextFields) - TextFields) }

// have reports whether the term of a row belongs to the group.
func (f Fields) have(row *Row) bool { return f == AllFields || f.group() == row.Fields.group() }

// IsChannel reports whether the group is a channel.
func (f Fields) IsChannel() bool { return f > OtherFields }

// ReadsFields reports whether the component reads only the terms of one group of fields.
func (c Component) ReadsFields() bool {
	return c.Fields() != AllFields
}

// Fields returns the only group of fields that the component reads, AllFields if it reads
// others too.
func (c Component) Fields() Fields {
	switch m := c.Model.(type) {
	case Ratio:
		return m.Fields
	case Layer:
		return m.Fields
	}
	return AllFields
}

// Seen are the groups of fields of which documents have terms.
type Seen struct{ fields, channel bool }

// Add adds the terms of a document.
func (s *Seen) Add(e *Evidence) {
	s.fields = s.fields || slices.ContainsFunc(e.Rows, func(r Row) bool { return r.Fields > TextFields })
	s.channel = s.channel || len(e.Channel) > 0
}

// HasNothingFor reports whether the component reads only one group of fields, and the documents have no term of it.
func (s *Seen) HasNothingFor(c Component) bool {
	if c.Fields().IsChannel() {
		return !s.channel
	}
	return c.ReadsFields() && !s.fields
}

// Terms returns a function that computes r of a term in one class, 0 if it is within the
// bound. It is safe for concurrent use.
func (m Ratio) Terms(t Totals) func(row *Row, class int) float64 {
	s := newRatios(t, m.filled())
	return func(row *Row, class int) float64 {
		w := 0.0
		if k := row.cellOf(class); k >= 0 {
			w = s.counted(row.Cells[k].DF, row.Cells[k].W)
		}
		own, rest := s.sides(w, s.counted(row.DF, row.W), class)
		if own > s.up*rest || own < s.low*rest {
			return quickLog(own / rest)
		}
		return 0
	}
}

// Prepare computes R_c for each class.
func (m Ratio) Prepare(t Totals) Scorer { return newRatios(t, m.filled()) }
