package classify

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

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

// Costs are what answers cost. The unit is free.
type Costs struct {
	// Of is the cost of saying the second class of a document of the first. What
	// is not listed costs 1 if the classes differ and 0 if not.
	Of map[[2]string]float64

	// Unsure is the cost of no answer; 0 if that is not to be.
	Unsure float64
}

func (k *Costs) check() error {
	if k == nil {
		return nil
	}
	if !(k.Unsure >= 0) || math.IsInf(k.Unsure, 1) {
		return fmt.Errorf("cost of unsure %v: want a number, 0 or more", k.Unsure)
	}
	for pair, cost := range k.Of {
		if !(cost >= 0) || math.IsInf(cost, 1) {
			return fmt.Errorf("cost of saying %s of a document of %s %v: want a number, 0 or more", pair[1], pair[0], cost)
		}
	}
	return nil
}

// of returns the cost of saying class said of a document of class truth.
func (k *Costs) of(truth, said string) float64 {
	if cost, listed := k.Of[[2]string{truth, said}]; listed {
		return cost
	}
	if truth == said {
		return 0
	}
	return 1
}

// ParseCosts reads costs as "TRUTH>SAID=COST" and "unsure=COST": "ham>spam=10"
// is what it costs to call ham spam.
func ParseCosts(list []string) (*Costs, error) {
	k := &Costs{Of: make(map[[2]string]float64)}
	for _, s := range list {
		at := strings.LastIndexByte(s, '=')
		if at < 0 {
			return nil, fmt.Errorf("cost %.80q: want TRUTH>SAID=COST or unsure=COST", s)
		}
		cost, err := strconv.ParseFloat(s[at+1:], 64)
		if err != nil {
			return nil, fmt.Errorf("cost %.80q: %.20q is no number", s, s[at+1:])
		}
		truth, said, pair := strings.Cut(s[:at], ">")
		switch {
		case pair && truth != "" && said != "":
			k.Of[[2]string{truth, said}] = cost
		case s[:at] == "unsure":
			k.Unsure = cost
		default:
			return nil, fmt.Errorf("cost %.80q: want TRUTH>SAID=COST or unsure=COST", s)
		}
	}
	return k, k.check()
}

// Prior says how probable classes are before a document is read: as they were
// learned, all the same, or as given. Posteriors that were calibrated on what was
// learned are corrected by the ratio of the two priors.
type Prior struct {
	// Uniform has all classes equally probable.
	Uniform bool

	// Given are the probabilities of some classes. The others share what is left
	// in proportion to their documents, or equally if Uniform is set too.
	Given map[string]float64
}

func (p *Prior) check() error {
	sum := 0.0
	for class, v := range p.Given {
		if !(v > 0 && v < 1) {
			return fmt.Errorf("prior of %s %v: want more than 0 and less than 1", class, v)
		}
		sum += v
	}
	if sum > 1+1e-9 {
		return fmt.Errorf("priors sum to %v: want at most 1", sum)
	}
	return nil
}

// ParsePrior reads "empirical", "uniform" or a list "CLASS=PROBABILITY,…".
func ParsePrior(s string) (Prior, error) {
	switch s {
	case "", "empirical":
		return Prior{}, nil
	case "uniform":
		return Prior{Uniform: true}, nil
	}
	p := Prior{Given: make(map[string]float64)}
	for item := range strings.SplitSeq(s, ",") {
		at := strings.LastIndexByte(item, '=')
		if at <= 0 {
			return p, fmt.Errorf("prior %.80q: want empirical, uniform or CLASS=PROBABILITY,…", s)
		}
		v, err := strconv.ParseFloat(item[at+1:], 64)
		if err != nil {
			return p, fmt.Errorf("prior %.80q: %.20q is no number", s, item[at+1:])
		}
		p.Given[item[:at]] = v
	}
	return p, p.check()
}

// shift returns for each class the logarithm of its prior over the one that was
// learned.
func (p *Prior) shift(t Totals) []float64 {
	shift := make([]float64, len(t.Classes))
	if !p.Uniform && len(p.Given) == 0 {
		return shift
	}
	learned := logPrior(t)
	left, rest := 1.0, 0.0 // what is left for the classes not given, and their share of it
	weight := func(c int) float64 {
		if p.Uniform {
			return 1
		}
		return math.Exp(learned[c])
	}
	for c, class := range t.Classes {
		if class.Docs == 0 {
			continue
		}
		if v, given := p.Given[class.Name]; given {
			left -= v
		} else {
			rest += weight(c)
		}
	}
	for c, class := range t.Classes {
		if class.Docs == 0 {
			continue
		}
		v, given := p.Given[class.Name]
		if !given {
			// Where nothing is left, next to nothing.
			v = max(left, 1e-9) * weight(c) / rest
		}
		shift[c] = math.Log(v) - learned[c]
	}
	return shift
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

func (k *Costs) expected(a *answer, said int) float64 {
	sum := 0.0
	for _, truth := range a.order {
		sum += a.probabilities[truth] * k.of(a.classes[truth].Name, a.classes[said].Name)
	}
	return sum
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
