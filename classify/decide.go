package classify

import (
	"fmt"
	"math"

	"github.com/polya-classifier/polya/classify/calibration"
	"github.com/polya-classifier/polya/classify/filter"
	"github.com/polya-classifier/polya/classify/internal/odds"
	"github.com/polya-classifier/polya/store/count"
)

// Decision chooses the class that is answered from the posterior. It is MostProbable,
// LeastCost, Filter or FalsePositiveRate.
//
// Each of them has a class Positive, the class that a filter looks for; it may be empty
// but for Filter and FalsePositiveRate. An answer of another class is then unsure,
// Contradiction, where some terms taken apart speak for Positive as in few documents of
// other classes: the five strongest, however many others speak against it, or all of the
// fields, such as a message's header, whatever its text says. So it is with good words
// that were added to spam; it is the case for at most about one document of other classes
// in a hundred. It needs a Calibration, and is not known with Raw, a Selection, Average or
// Gibbs. A Positive that the database does not have is an error of each question.
type Decision interface {
	check() error

	// parts returns what the decision is made of.
	parts() decisionParts

	// choose returns the class to answer, and why that is unsure, if it is.
	choose(a *answer) (class int, reason Reason)
}

// decisionParts are the parameters that several kinds of Decision have.
type decisionParts struct {
	positive string
	prior    Prior
	costs    *Costs // nil if there are none
	rate     bool   // it needs the rates of a calibrated model
}

// MostProbable answers the class of the greatest posterior probability. It is unsure,
// Tie, if another is as probable.
type MostProbable struct {
	Prior    Prior
	Positive string
}

// LeastCost answers the class of the least expected cost
//
//	Σ_b p_b cost(b, class)
//
// the more probable among equals. It is unsure, TooDear, if that is more than
// Costs.Unsure.
type LeastCost struct {
	Costs    Costs
	Prior    Prior
	Positive string
}

// Filter answers whether a document is of class Positive: yes (Positive), no (the most
// probable of the others) or unsure, TooClose, where neither is worth its risk at
// filter.DefaultCosts. That is the zone which the Calibration has for the class, or,
// without one, where the posterior is in between.
type Filter struct {
	Positive string
	Prior    Prior
}

// FalsePositiveRate answers Positive only where its log-odds exceed a cut-off that at most
// a share of Rate of the documents of other classes exceed, with 95 % confidence; see
// calibration.Tail. Otherwise the most probable class is answered, unsure (HeldBack) if
// that is Positive. The cut-off may be below even odds or above: Positive may be answered
// where another class is more probable.
//
// The rate is known once the calibration sample has calibration.Needed(Rate) documents of
// other classes, and 10 of these and of Positive. It never is with more than 128 classes, of which Calibrations keep no Tails.
// While it is not known, the most probable class is answered; if that is Positive, the
// answer is unsure, UnknownRate.
//
// A rate does not go with Raw, a Selection, Average or Gibbs.
type FalsePositiveRate struct {
	Positive string
	Rate     float64 // above 0 and below 1
}

// Abstain makes answers unsure, whatever the Decision.
type Abstain struct {
	// Threshold is the posterior probability below which an answer is unsure, 0 to 1.
	Threshold float64

	// MinTerms is the number of distinct known terms, and MinDocuments the number of
	// documents of the answer's class, below which an answer is unsure.
	MinTerms     int
	MinDocuments uint64
}

func (d MostProbable) parts() decisionParts {
	return decisionParts{positive: d.Positive, prior: d.Prior}
}
func (d Filter) parts() decisionParts { return decisionParts{positive: d.Positive, prior: d.Prior} }
func (d LeastCost) parts() decisionParts {
	return decisionParts{positive: d.Positive, prior: d.Prior, costs: &d.Costs}
}
func (d FalsePositiveRate) parts() decisionParts {
	return decisionParts{positive: d.Positive, rate: true}
}

func (d MostProbable) check() error { return d.Prior.check() }

func (d LeastCost) check() error {
	if err := d.Prior.check(); err != nil {
		return err
	}
	return d.Costs.check()
}

func (d Filter) check() error {
	if d.Positive == "" {
		return fmt.Errorf("filter of no class: want Positive, the class that is looked for")
	}
	return d.Prior.check()
}

func (d FalsePositiveRate) check() error {
	switch {
	case d.Positive == "":
		return fmt.Errorf("false-positive rate %v of no class: want Positive, the class that others must not be taken for", d.Rate)
	case !(d.Rate > 0 && d.Rate < 1):
		return fmt.Errorf("false-positive rate %v: want more than 0 and less than 1", d.Rate)
	}
	return nil
}

func (k *Abstain) check() error {
	switch {
	case !(k.Threshold >= 0 && k.Threshold <= 1):
		return fmt.Errorf("threshold %v: want a probability, 0 to 1", k.Threshold)
	case k.MinTerms < 0:
		return fmt.Errorf("least number of known terms %d: want 0 or more", k.MinTerms)
	}
	return nil
}

// answer is what a decision is made from.
type answer struct {
	classes       []*count.Class // those with documents
	calibrated    *calibration.Model
	costs         *costTable // of these classes; made if it is needed and nil
	contradicts   bool       // some terms speak for Positive, whatever the sum says
	known         int        // distinct known terms
	attributes    int        // known attributes
	scores        []float64  // by class
	probabilities []float64  // by class
	order         []int      // the classes, the most probable first
}

// decide returns the class to answer, and why that is unsure, if it is.
func (a *answer) decide(d Decision, k *Abstain) (class int, reason Reason) {
	class, reason = d.choose(a)
	switch {
	case a.known == 0 && a.attributes == 0:
		return class, NoKnownTerm
	case a.known < k.MinTerms:
		return class, FewTerms
	case a.classes[class].Docs < k.MinDocuments:
		return class, FewDocuments
	case reason == Tie:
		return class, Tie
	case a.probabilities[class] < k.Threshold:
		return class, BelowThreshold
	case reason == Sure && a.contradicts && a.classes[class].Name != d.parts().positive:
		return class, Contradiction
	}
	return class, reason
}

func (d MostProbable) choose(a *answer) (class int, reason Reason) {
	if a.tied() {
		return a.order[0], Tie
	}
	return a.order[0], Sure
}

// tied returns whether two classes are the most probable.
func (a *answer) tied() bool {
	return len(a.order) > 1 && a.scores[a.order[1]] == a.scores[a.order[0]]
}

func (d LeastCost) choose(a *answer) (class int, reason Reason) {
	if a.costs == nil {
		a.costs = newCostTable(&d.Costs, a.classes)
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

func (d Filter) choose(a *answer) (class int, reason Reason) {
	positive := classNamed(a.classes, d.Positive)
	if positive < 0 {
		return a.order[0], Sure // it has no documents, and is never right
	}
	zone := a.zone(positive)
	switch zone.Of(odds.LogOdds(a.scores, positive)) {
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

func (d FalsePositiveRate) choose(a *answer) (class int, reason Reason) {
	positive := classNamed(a.classes, d.Positive)
	if positive < 0 {
		return MostProbable{}.choose(a) // it has no documents, and is never right
	}
	var cut calibration.Cut
	known := false
	if a.calibrated != nil {
		cut, known = a.calibrated.Tails[a.classes[positive].ID].Cut(d.Rate)
	}
	switch {
	case known && odds.LogOdds(a.scores, positive) > cut.LogOdds:
		class, reason = positive, Sure
	case a.order[0] != positive:
		class, reason = a.order[0], Sure
	case known:
		class, reason = positive, HeldBack
	default:
		class, reason = positive, UnknownRate
	}
	if class == a.order[0] && a.tied() {
		reason = Tie
	}
	return class, reason
}
