// Package decision chooses the answer from the posterior of a document, or abstains: by
// probability, by expected cost, as a filter for one class, at a target false-positive rate,
// or at the precision that answers have reached before.
package decision

import (
	"fmt"
	"math"
	"slices"

	"github.com/polya-classifier/polya/classify/calibration"
	"github.com/polya-classifier/polya/internal/numeric"
	"github.com/polya-classifier/polya/store/count"
)

// Decision chooses the class to answer from the posterior. It is MostProbable, LeastCost,
// Filter, FalsePositiveRate or Precision.
//
// Positive is the class that a filter detects; Filter and FalsePositiveRate need it. An
// answer of another class is unsure, with Unread, if nothing of the text of a message could
// be read: its header alone does not tell. It is unsure, with Contradiction, if the evidence for Positive is
// stronger than in nearly all documents of other classes: the evidence of the five
// strongest terms, however many terms contradict them, of all fields, such as a message's
// header, whatever its text, or of the text, whatever its header. This finds spam padded with
// good words or under an honest header; about one in a hundred documents of other classes is affected. It needs a calibration of
// the model that answers, so it is not available with raw probabilities or a selection of
// terms. With a Positive that the database does not have
// every question fails; while Positive has no documents answers are unsure, with Unlearned.
// A Filter can have another Decision for both.
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
	if i := count.ClassNamed(classes, f.Positive); i >= 0 && classes[i].Docs > 0 || learned(classes) < 2 {
		return d
	}
	return f.Otherwise
}

func learned(classes []*count.Class) (n int) {
	for _, c := range classes {
		if c.Docs > 0 {
			n++
		}
	}
	return n
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

// Check returns an error for parameters that are out of range. d is not nil.
func Check(d Decision, k *Abstain) error {
	switch {
	case !(k.Threshold >= 0 && k.Threshold <= 1):
		return fmt.Errorf("threshold %v: want a probability, 0 to 1", k.Threshold)
	case k.MinTerms < 0:
		return fmt.Errorf("least number of known terms %d: want 0 or more", k.MinTerms)
	}
	return d.check()
}

// MostProbable answers the class of the greatest posterior probability. It is unsure, with
// Tie, if another is as probable.
type MostProbable struct {
	Prior    Prior
	Positive string
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

// Filter answers whether a document is of class Positive: yes (Positive), no (the most
// probable of the others) or unsure, with TooClose, if neither is worth its risk at
// calibration.ZoneCosts. The calibration has that zone for the class; without a calibration
// the posterior decides, but a yes takes more where more documents of Positive were learned than of
// others, and one of these for ten of Positive. Yes takes 5 documents of other classes. Recent lessons
// make no answer sure; see Case.Recent.
type Filter struct {
	Positive string
	Prior    Prior

	// Otherwise decides while Positive has no documents and two other classes have; nil makes
	// answers unsure then. Where Positive and two others have documents, a no is sure if
	// Otherwise is sure of that class too.
	Otherwise Decision
}

// FalsePositiveRate answers Positive only if its log-odds exceed a cut-off that at most a
// share of Rate of the documents of other classes exceeds, with 95 % confidence; see
// calibration.Tail. Otherwise it answers the most probable class, unsure (HeldBack) if
// that is Positive. The cut-off may be below even odds or above: Positive may be answered
// although another class is more probable.
//
// The rate is known once the calibration sample has calibration.Needed(Rate) documents of
// other classes, and 10 of these and of Positive. It is never known with more than 128
// classes, for which a calibration keeps no Tails. While it is unknown, the most probable
// class is answered; if that is Positive, the answer is unsure, with UnknownRate.
//
// A rate cannot be combined with raw probabilities or a selection of terms.
type FalsePositiveRate struct {
	Positive string
	Rate     float64 // above 0 and below 1
}

// Precision answers the most probable class if answers as sure as this one, and less sure
// ones down to some cut-off, were right in a share of Share of the documents of the
// calibration sample, those of the classes answered worst, and if it is no answer that documents unlike
// all that were learned would get too; see calibration.Record. A document without attributes needs half
// as many known terms as nearly all of the sample have. Otherwise the answer is a suggestion:
// unsure, with Unearned. Without a calibration all answers are suggestions.
//
// It cannot be combined with raw probabilities or a selection of terms: all answers are unsure then.
type Precision struct {
	Share float64 // above 0 and below 1
}

// Abstain makes answers unsure, with any Decision.
type Abstain struct {
	// Threshold is the posterior probability below which an answer is unsure, 0 to 1.
	Threshold float64

	// MinTerms is the number of distinct known terms, and MinDocuments the number of
	// documents of the answer's class, below which an answer is unsure.
	MinTerms     int
	MinDocuments uint64
}

func (d MostProbable) parts() Parts {
	return Parts{Positive: d.Positive, Prior: d.Prior}
}
func (d Filter) parts() Parts {
	return Parts{Positive: d.Positive, Prior: d.Prior, NeedsRecord: PartsOf(d.Otherwise).NeedsRecord}
}
func (d LeastCost) parts() Parts {
	return Parts{Positive: d.Positive, Prior: d.Prior, Costs: &d.Costs}
}
func (d FalsePositiveRate) parts() Parts {
	return Parts{Positive: d.Positive, NeedsRates: true}
}

func (d Precision) parts() Parts { return Parts{NeedsRecord: true} }

func (d Precision) check() error {
	if !(d.Share > 0 && d.Share < 1) {
		return fmt.Errorf("precision %v: want more than 0 and less than 1", d.Share)
	}
	return nil
}

func (d Precision) choose(a *Case) (class int, reason Reason) {
	class = a.Order[0]
	low, _ := a.logOdds(class)
	a.Earned = a.Record.Precision(a.Classes[class].ID, low)
	if a.unseen() {
		a.Earned = 0
	}
	switch {
	case a.tied():
		return class, Tie
	case a.Earned < d.Share:
		return class, Unearned
	}
	return class, Sure
}

// unseen returns whether the document has fewer than half as many known terms as nearly all documents
// of the Record, as one in a language that was never learned: of such documents the Record tells
// nothing, and they may all get the same answer.
func (a *Case) unseen() bool {
	return a.Calibrated != nil && a.Attributes == 0 && 2*a.Terms < a.Calibrated.Seen
}

func (d MostProbable) check() error { return d.Prior.check() }

func (d LeastCost) check() error {
	if err := d.Prior.check(); err != nil {
		return err
	}
	return d.Costs.check()
}

func (d Filter) check() error {
	if d.Otherwise != nil {
		if err := d.Otherwise.check(); err != nil {
			return err
		}
	}
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

// Case is the input of a decision: the posterior of a document and related facts.
type Case struct {
	Classes       []*count.Class // those with documents, in order of name
	Scores        []float64      // by class
	Probabilities []float64      // by class
	Order         []int          // the classes, the most probable first

	// Terms and Attributes are the numbers of distinct known ones.
	Terms, Attributes int

	// Contradicts is set if some terms by themselves are evidence for Positive; see Decision.
	Contradicts bool

	// Unread is set if nothing of the text could be read; see tokenize.Bag.Unread.
	Unread bool

	Calibrated *calibration.Model // nil if there is none
	Costs      *CostTable         // set by Decide, of LeastCost

	// Recent is how much of the log-odds of the second of two classes recent lessons add.
	// Calibrations know nothing of them, and lessons are often of one class alone: an answer by
	// a Zone, a Tail or a Record is sure only if it is so with them and without.
	Recent float64

	Record *calibration.Record // for Precision; nil if there is none
	Earned float64             // set by Precision: what the answer has earned; see Record.Precision
}

// Untaught returns why every answer is unsure, whatever the document: OneClass or
// Unlearned; and Sure if an answer can be sure. d may be nil; classes are in order of name.
func Untaught(d Decision, classes []*count.Class) Reason {
	positive := PartsOf(Among(d, classes)).Positive
	switch i := count.ClassNamed(classes, positive); {
	case positive != "" && (i < 0 || classes[i].Docs == 0):
		return Unlearned
	case learned(classes) < 2:
		return OneClass
	}
	return Sure
}

// Decide returns the class to answer, and why that is unsure, if it is.
func (a *Case) Decide(d Decision, k *Abstain) (class int, reason Reason) {
	if costs := PartsOf(d).Costs; costs != nil {
		a.Costs = newCostTable(costs, a.Classes)
	}
	if reason := Untaught(d, a.Classes); reason != Sure {
		return a.Order[0], reason
	}
	d = Among(d, a.Classes)
	class, reason = d.choose(a)
	switch {
	case a.Terms == 0 && a.Attributes == 0:
		return class, NoKnownTerm
	case a.Terms < k.MinTerms:
		return class, FewTerms
	case a.Classes[class].Docs < k.MinDocuments:
		return class, FewDocuments
	case reason == Tie:
		return class, Tie
	case a.Probabilities[class] < k.Threshold:
		return class, BelowThreshold
	case reason != Sure || a.Classes[class].Name == d.parts().Positive:
	case a.Contradicts:
		return class, Contradiction
	case a.Unread && d.parts().Positive != "":
		return class, Unread
	}
	return class, reason
}

func (d MostProbable) choose(a *Case) (class int, reason Reason) {
	if a.tied() {
		return a.Order[0], Tie
	}
	return a.Order[0], Sure
}

// tied returns whether two classes are equally the most probable.
func (a *Case) tied() bool {
	return len(a.Order) > 1 && a.Scores[a.Order[1]] == a.Scores[a.Order[0]]
}

// logOdds returns the log-odds of a class with recent lessons and without, the less first.
func (a *Case) logOdds(class int) (low, high float64) {
	with := numeric.LogOdds(a.Scores, class)
	without := with - a.Recent
	if class == 0 {
		without = with + a.Recent
	}
	return min(with, without), max(with, without)
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

func (d Filter) choose(a *Case) (class int, reason Reason) {
	positive := count.ClassNamed(a.Classes, d.Positive)
	zone := a.Calibrated.Zone(a.Classes[positive].ID)
	low, high := a.logOdds(positive)
	if !d.Prior.IsDefault() {
		low, high = low+zone.Excess(), high+zone.Excess()
	}
	own := a.Classes[positive].Docs
	others := -own
	for _, c := range a.Classes {
		others += c.Docs
	}
	known := others >= fewestOthers
	if a.Calibrated == nil {
		known = known && mostUnequal*others >= own
		less := unequal
		if d.Prior.Uniform || len(d.Prior.Given) > 0 {
			less-- // the scores are without the ratio
		}
		low -= less * max(0, math.Log(float64(own+1)/float64(others+1)))
	}
	switch {
	case zone.Answer(low) == calibration.Yes && known:
		return positive, Sure
	case zone.Answer(high) != calibration.No:
		return a.Order[0], TooClose
	}
	class = a.Order[0]
	if class == positive {
		class = a.Order[1] // Positive is the most probable of many classes, but not probable
	}
	if d.Otherwise == nil || len(a.Classes) < 3 {
		return class, Sure
	}
	switch said, reason := d.Otherwise.choose(a); {
	case reason != Sure:
		return class, reason
	case said != class:
		return class, Unearned
	}
	return class, Sure
}

// fewestOthers is the number of documents of other classes below which a Filter never says yes:
// after 50 messages of spam and one or two of ham 6 to 20 % of the other ham was surely spam.
const fewestOthers = 5

// unequal is how much more a yes takes without a calibration, in nats for each nat of the ratio of the
// documents of Positive to those of others: people teach what they do not want, and the others are
// few. Of mail and news, with 6 to 100 documents of others and up to ten times as many of Positive, at
// most 3.4 % of the other others were a sure yes, without it up to 50 %.
const unequal = 1.5

// mostUnequal is the number of documents of Positive for each of another class above which a Filter
// says yes only when it is calibrated: after 948 messages of spam and 40 newsletters, taught one by one,
// 89 % of the other ham was surely spam, in spite of unequal.
const mostUnequal = 10

func (d FalsePositiveRate) choose(a *Case) (class int, reason Reason) {
	positive := count.ClassNamed(a.Classes, d.Positive)
	var cut calibration.Cut
	known := false
	if a.Calibrated != nil {
		cut, known = a.Calibrated.Tails[a.Classes[positive].ID].Cut(d.Rate)
	}
	switch low, _ := a.logOdds(positive); {
	case known && low > cut.LogOdds:
		class, reason = positive, Sure
	case a.Order[0] != positive:
		class, reason = a.Order[0], Sure
	case known:
		class, reason = positive, HeldBack
	default:
		class, reason = positive, UnknownRate
	}
	if class == a.Order[0] && a.tied() {
		reason = Tie
	}
	return class, reason
}
