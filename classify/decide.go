package classify

import (
	"fmt"
	"math"
	"slices"

	"github.com/polya-classifier/polya/store"
)

// Reason says why an answer is unsure.
type Reason string

// The reasons, in the order in which they are looked at.
const (
	Sure           Reason = ""
	NoKnownTerm    Reason = "no known term"           // no class has any term of the document
	FewTerms       Reason = "few known terms"         // fewer than Decision.MinTerms
	FewDocuments   Reason = "class of few documents"  // fewer than Decision.MinDocuments
	Tie            Reason = "tie"                     // another class is as probable
	BelowThreshold Reason = "below threshold"         // Decision.Threshold
	TooDear        Reason = "every answer costs more" // than Costs.Unsure
	UnknownRate    Reason = "rate not known yet"      // too few documents to keep Decision.Rate
)

// Decision says how an answer is chosen when the posterior is known. The zero
// value answers with the most probable class, and is unsure only where no term is
// known, or two classes are exactly as probable.
type Decision struct {
	// Threshold is the probability below which an answer is unsure, 0 to 1.
	Threshold float64

	// MinTerms is the number of distinct known terms, and MinDocuments the number
	// of documents of the answer's class, below which it is unsure.
	MinTerms     int
	MinDocuments uint64

	// Costs, if not nil, has the class of the least expected cost answered.
	Costs *Costs

	// Positive and Rate, if Positive is not empty, have class Positive answered
	// only where its log-odds exceed all but a share of Rate of those that
	// documents of other classes got without their own help; see Tail. Otherwise
	// the most probable of the others is answered.
	Positive string
	Rate     float64

	// Prior says how probable classes are before a document is read.
	Prior Prior
}

// check returns an error for what is out of range.
func (d *Decision) check() error {
	switch {
	case !(d.Threshold >= 0 && d.Threshold <= 1):
		return fmt.Errorf("threshold %v: want a probability, 0 to 1", d.Threshold)
	case d.MinTerms < 0:
		return fmt.Errorf("least number of known terms %d: want 0 or more", d.MinTerms)
	case d.Positive != "" && !(d.Rate > 0 && d.Rate < 1):
		return fmt.Errorf("false-positive rate %v: want more than 0 and less than 1", d.Rate)
	case d.Positive != "" && d.Costs != nil:
		return fmt.Errorf("want costs or a false-positive rate, not both: each decides alone")
	}
	if d.Positive != "" && (d.Prior.Uniform || len(d.Prior.Given) > 0) {
		return fmt.Errorf("want priors or a false-positive rate, not both: a rate asks for no prior")
	}
	if err := d.Prior.check(); err != nil {
		return err
	}
	return d.Costs.check()
}

// answer is what a decision is made from.
type answer struct {
	classes       []*store.Class // those with documents
	calibrated    *CalibratedModel
	known         int       // distinct known terms
	scores        []float64 // by class
	probabilities []float64 // by class
	order         []int     // the classes, the most probable first
}

// decide returns the class to answer, and why that is unsure, if it is.
func (d *Decision) decide(a *answer) (class int, reason Reason) {
	class, reason = a.order[0], Sure
	tie := len(a.order) > 1 && a.scores[a.order[1]] == a.scores[class]
	switch {
	case d.Costs != nil:
		class, reason = d.cheapest(a)
		tie = false
	case d.Positive != "":
		class, reason = d.beyond(a)
	}
	switch {
	case a.known == 0:
		return class, NoKnownTerm
	case a.known < d.MinTerms:
		return class, FewTerms
	case a.classes[class].Docs < d.MinDocuments:
		return class, FewDocuments
	case tie && class == a.order[0]:
		return class, Tie
	case a.probabilities[class] < d.Threshold:
		return class, BelowThreshold
	}
	return class, reason
}

// cheapest returns the class of the least expected cost
//
//	Σ_b p_b cost(b, class)
//
// the more probable among equals.
func (d *Decision) cheapest(a *answer) (class int, reason Reason) {
	class, least := a.order[0], math.Inf(1)
	for _, said := range a.order {
		if cost := d.Costs.expected(a, said); cost < least {
			class, least = said, cost
		}
	}
	if d.Costs.Unsure > 0 && least > d.Costs.Unsure {
		return class, TooDear
	}
	return class, Sure
}

// beyond answers Positive where its log-odds are beyond the threshold for Rate.
func (d *Decision) beyond(a *answer) (class int, reason Reason) {
	at := slices.IndexFunc(a.order, func(c int) bool { return a.classes[c].Name == d.Positive })
	if at < 0 || len(a.order) == 1 {
		return a.order[0], Sure
	}
	positive, other := a.order[at], a.order[0]
	if at == 0 {
		other = a.order[1]
	}
	var tail Tail
	if a.calibrated != nil {
		tail = a.calibrated.Tails[a.classes[positive].ID]
	}
	threshold, known := tail.Threshold(d.Rate)
	switch {
	case !known && at == 0:
		return positive, UnknownRate
	case known && logOdds(a.scores, positive) > threshold:
		return positive, Sure
	}
	return other, Sure
}
