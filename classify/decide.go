package classify

import (
	"fmt"
	"math"

	"github.com/polya-classifier/polya/classify/filter"
	"github.com/polya-classifier/polya/store/count"
)

// Reason says why an answer is unsure.
type Reason string

// The reasons, in the order in which they are looked at.
const (
	Sure           Reason = ""
	NoKnownTerm    Reason = "no known term"               // no class has any term of the document that a Selection leaves, nor any of its attributes
	FewTerms       Reason = "few known terms"             // fewer than Decision.MinTerms
	FewDocuments   Reason = "class of few documents"      // fewer than Decision.MinDocuments
	Tie            Reason = "tie"                         // another class is as probable
	BelowThreshold Reason = "below threshold"             // Decision.Threshold
	TooDear        Reason = "every answer costs more"     // than Costs.Unsure
	UnknownRate    Reason = "rate not known yet"          // Decision.Rate; see there
	TooClose       Reason = "too close to call"           // neither yes nor no is worth its risk; see Decision.Positive
	Contradiction  Reason = "evidence contradicts itself" // strong terms, or the fields, speak for Decision.Positive although the sum does not
	HeldBack       Reason = "held back by the rate"       // Positive is the most probable class, and not beyond the cut-off of Decision.Rate
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

	// Positive, if not empty, is the class that a filter looks for: the question is
	// whether a document is of it, and the answer is yes (class Positive), no (the most
	// probable of the others) or unsure. Without Threshold, Costs or Rate it is unsure,
	// TooClose, where neither yes nor no is worth its risk at filter.DefaultCosts: in the
	// zone that the Calibration has for the class, or where the posterior says so while
	// it has none. That needs a database with the class, or the question is an error.
	//
	// However the answer is chosen, a no is unsure, Contradiction, where some terms taken
	// apart speak for Positive as in few documents of other classes, which happens to
	// about one honest document in a hundred at most: the five strongest, however many
	// others speak against it, or all of the fields, such as a message's header,
	// whatever its text says. So it is with good words that were added to spam. Nothing
	// is known of that without a Calibration, nor with Raw, a Selection, Average or
	// Gibbs.
	Positive string

	// Rate, if not 0, has class Positive answered only where its log-odds exceed a
	// cut-off that at most a share of Rate of the documents of other classes exceed, with
	// RateConfidence; see Tail.Cut. Otherwise the most probable class is answered, unsure
	// (HeldBack) if that is Positive. The cut-off may be below even odds or above:
	// Positive may be answered where another class is more probable.
	//
	// The rate is known once the database's Calibration has judged
	// RateDocuments(Rate) documents of other classes, and of these and of Positive 10
	// each. It never is with more than 128 classes, of which Calibrations keep no
	// Tails. While it is not known, the most probable class is answered; if that is
	// Positive, the answer is unsure, UnknownRate.
	//
	// A rate does not go with Costs, Prior, Raw, a Selection, Average or Gibbs. Without
	// Positive, Rate is 0.
	Rate float64

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
	case d.Positive == "" && d.Rate != 0:
		return fmt.Errorf("false-positive rate %v of no class: want Positive, the class that others must not be taken for", d.Rate)
	case !(d.Rate >= 0 && d.Rate < 1):
		return fmt.Errorf("false-positive rate %v: want more than 0 and less than 1", d.Rate)
	case d.Rate > 0 && d.Costs != nil:
		return fmt.Errorf("want costs or a false-positive rate, not both: each decides alone")
	}
	if d.Rate > 0 && !d.Prior.IsDefault() {
		return fmt.Errorf("want priors or a false-positive rate, not both: a rate asks for no prior")
	}
	if err := d.Prior.check(); err != nil {
		return err
	}
	return d.Costs.check()
}

// goesWith returns an error for a model of which the rate is never known.
func (d *Decision) goesWith(m EventModel) error {
	switch m.(type) {
	case Average, Gibbs:
		if d.Rate > 0 {
			return fmt.Errorf("event model %q does not go with a false-positive rate: rates are known of single models", m.Name())
		}
	}
	return nil
}

// answer is what a decision is made from.
type answer struct {
	classes       []*count.Class // those with documents
	calibrated    *CalibratedModel
	costs         *costTable // of these classes; made if it is needed and nil
	contradicts   bool       // some terms speak for Positive, whatever the sum says
	known         int        // distinct known terms
	attributes    int        // known attributes
	scores        []float64  // by class
	probabilities []float64  // by class
	order         []int      // the classes, the most probable first
}

// decide returns the class to answer, and why that is unsure, if it is.
func (d *Decision) decide(a *answer) (class int, reason Reason) {
	class, reason = a.order[0], Sure
	tie := len(a.order) > 1 && a.scores[a.order[1]] == a.scores[class]
	switch {
	case d.Costs != nil:
		class, reason = d.cheapest(a)
		tie = false
	case d.Rate > 0:
		class, reason = d.beyond(a)
	case d.Positive != "" && d.Threshold == 0:
		class, reason = d.filtered(a)
		tie = false
	}
	switch {
	case a.known == 0 && a.attributes == 0:
		return class, NoKnownTerm
	case a.known < d.MinTerms:
		return class, FewTerms
	case a.classes[class].Docs < d.MinDocuments:
		return class, FewDocuments
	case tie && class == a.order[0]:
		return class, Tie
	case a.probabilities[class] < d.Threshold:
		return class, BelowThreshold
	case reason == Sure && a.contradicts && a.classes[class].Name != d.Positive:
		return class, Contradiction
	}
	return class, reason
}

// filtered answers whether the document is of class Positive.
func (d *Decision) filtered(a *answer) (class int, reason Reason) {
	positive := classNamed(a.classes, d.Positive)
	if positive < 0 {
		return a.order[0], Sure // it has no documents, and is never right
	}
	zone := a.zone(positive)
	switch zone.Of(logOdds(a.scores, positive)) {
	case filter.Yes:
		return positive, Sure
	case filter.Unsure:
		return a.order[0], TooClose
	}
	if a.order[0] == positive {
		return a.order[1], Sure // the most probable of many, and not probable
	}
	return a.order[0], Sure
}

// zone returns where it is unsure whether the document is of the class.
func (a *answer) zone(class int) filter.Zone {
	if a.calibrated != nil {
		if z, known := a.calibrated.Zones[a.classes[class].ID]; known {
			return z
		}
	}
	return filter.Assumed(filter.DefaultCosts)
}

// cheapest returns the class of the least expected cost
//
//	Σ_b p_b cost(b, class)
//
// the more probable among equals.
func (d *Decision) cheapest(a *answer) (class int, reason Reason) {
	if a.costs == nil {
		a.costs = newCostTable(d.Costs, a.classes)
	}
	class, least := a.order[0], math.Inf(1)
	for _, said := range a.order {
		if cost := a.costs.expected(a.probabilities, said); cost < least {
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
	positive := classNamed(a.classes, d.Positive)
	if positive < 0 {
		return a.order[0], Sure // it has no documents, and is never right
	}
	cut, known := a.cut(positive, d.Rate)
	switch {
	case known && logOdds(a.scores, positive) > cut.LogOdds:
		return positive, Sure
	case a.order[0] != positive:
		return a.order[0], Sure
	case known:
		return positive, HeldBack
	}
	return positive, UnknownRate
}

// cut returns where the class is to be answered for the rate, known false if there are
// too few documents to tell.
func (a *answer) cut(class int, rate float64) (cut Cut, known bool) {
	if a.calibrated == nil {
		return Cut{}, false
	}
	return a.calibrated.Tails[a.classes[class].ID].Cut(rate)
}
