// Package decision chooses the answer from the posterior of a document, or abstains: by
// probability, by expected cost, as a filter for one class, at a target false-positive rate,
// or at the precision that answers have reached before.
package decision

import (
	"fmt"
	"math"
	"reflect"
	"slices"

	"github.com/polya-classifier/polya/store/count"
)

// Decision chooses the class to answer from the posterior. It is MostProbable, LeastCost,
// Filter, FalsePositiveRate or Precision.
//
// Positive is the class that a filter detects; Filter and FalsePositiveRate need it. An answer of
// another class is unsure, with Unread, if nothing of the text of a message could be read: its
// header alone does not tell. It is unsure, with Contradiction, if the evidence for Positive is
// stronger than in nearly all documents of other classes: the evidence of the five strongest
// terms, however many terms contradict them, of all fields, such as a message's header, whatever
// its text, or of the text, whatever its header. This finds spam padded with good words or under an
// honest header; about one in a hundred documents of other classes is affected. It needs a
// calibration of the model that answers, so it is not available with raw probabilities.
//
// With a Positive that the database does not have every question fails; while Positive has no
// documents answers are unsure, with Unlearned. A Filter can have another Decision for both.
type Decision interface {
	check() error

	parts() Parts

	// choose returns the class to answer, and why that is unsure, if it is. At least two
	// classes are learned, Positive among them.
	choose(a *Case) (class int, reason Reason)
}

// Parts are the parameters that several kinds of Decision share.
type Parts struct {
	Positive   string
	Prior      Prior
	Costs      *Costs // of LeastCost; nil for the others
	NeedsRates bool   // it needs the false-positive rates of a calibrated model

	// NeedsRecord is set if it needs the Record of a calibrated model.
	NeedsRecord bool
}

// PartsOf returns the parameters of a decision; nil has none.
func PartsOf(d Decision) Parts {
	if d == nil {
		return Parts{}
	}
	return d.parts()
}

// Among returns the Decision to use for classes, which are in order of name: d or, if d is
// a Filter whose Positive has no documents and two other classes have some, its Otherwise.
func Among(d Decision, classes []*count.Class) Decision {
	f, is := d.(Filter)
	if !is || f.Otherwise == nil {
		return d
	}
	if i := count.ClassNamed(classes, f.Positive); i >= 0 && classes[i].Docs > 0 || count.WithDocuments(classes) < 2 {
		return d
	}
	return f.Otherwise
}

// Or returns a Decision that uses otherwise if d is nil, or is a Filter whose Positive has
// no documents.
func Or(d, otherwise Decision) Decision {
	f, is := d.(Filter)
	switch {
	case d == nil:
		return otherwise
	case is && f.Otherwise == nil:
		f.Otherwise = otherwise
		return f
	}
	return d
}

// ClassesOf returns the classes that a decision names, in order of name.
func ClassesOf(d Decision) []string {
	var names []string
	parts := PartsOf(d)
	if parts.Positive != "" {
		names = append(names, parts.Positive)
	}
	for class := range parts.Prior.Given {
		names = append(names, class)
	}
	if parts.Costs != nil {
		for pair := range parts.Costs.Pairs {
			names = append(names, pair[0], pair[1])
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Check returns an error for parameters of d, which is not nil, or a threshold out of range, and
// for a pointer to a Decision, which would not be known for what it is.
func Check(d Decision, threshold float64) error {
	if reflect.TypeOf(d).Kind() == reflect.Pointer {
		return fmt.Errorf("decision %T: want one of package decision, and no pointer", d)
	}
	if !(threshold >= 0 && threshold <= 1) {
		return fmt.Errorf("threshold %v: want a probability, 0 to 1", threshold)
	}
	return d.check()
}

// MostProbable answers the class of the greatest posterior probability. It is unsure, with
// Tie, if another is as probable.
type MostProbable struct {
	Prior    Prior
	Positive string
}

func (d MostProbable) parts() Parts {
	return Parts{Positive: d.Positive, Prior: d.Prior}
}

func (d MostProbable) check() error { return d.Prior.check() }

func (d MostProbable) choose(a *Case) (class int, reason Reason) {
	if a.tied() {
		return a.Order[0], Tie
	}
	return a.Order[0], Sure
}

// LeastCost answers the class with the least expected cost
//
//	Σ_b p_b cost(b, class)
//
// and of equal ones the more probable. It is unsure, with TooDear, if that cost is more
// than Costs.Unsure.
type LeastCost struct {
	Costs    Costs
	Prior    Prior
	Positive string
}

func (d LeastCost) parts() Parts {
	return Parts{Positive: d.Positive, Prior: d.Prior, Costs: &d.Costs}
}

func (d LeastCost) check() error {
	if err := d.Prior.check(); err != nil {
		return err
	}
	return d.Costs.check()
}

func (d LeastCost) choose(a *Case) (class int, reason Reason) {
	if a.Costs == nil { // within a Filter
		a.Costs = newCostTable(&d.Costs, a.Classes)
	}
	class, least := a.Order[0], math.Inf(1)
	for _, said := range a.Order {
		if cost := a.Costs.Expected(a.Probabilities, said); cost < least {
			class, least = said, cost
		}
	}
	if d.Costs.Unsure > 0 && least > d.Costs.Unsure {
		return class, TooDear
	}
	return class, Sure
}

// Reason is why an answer is unsure.
type Reason string

// The reasons, in the order in which they are considered.
const (
	Sure           Reason = ""
	OneClass       Reason = "only one class was learned"       // nothing to distinguish it from
	Unlearned      Reason = "class looked for was not learned" // Positive has no documents
	NoKnownTerm    Reason = "no known term"                    // no class has a term or an attribute of the document
	Tie            Reason = "tie"                              // another class is as probable
	BelowThreshold Reason = "below threshold"                  // of Case.Decide
	TooDear        Reason = "every answer costs more"          // than Costs.Unsure
	UnknownRate    Reason = "rate not known yet"               // see FalsePositiveRate
	TooClose       Reason = "too close to call"                // neither yes nor no is worth its risk; see Filter
	Unearned       Reason = "precision not reached"            // see Precision
	Unmeasured     Reason = "precision not known yet"          // the models are not calibrated, or without some class; see Precision
	Contradiction  Reason = "evidence contradicts itself"      // see Filter
	Unread         Reason = "no text to read"                  // of a message: the header alone decides
	HeldBack       Reason = "held back by the rate"            // Positive is the most probable class, but not above the cut-off of FalsePositiveRate
)
