package decision

import (
	"fmt"
	"math"

	"github.com/polya-classifier/polya/classify/calibration"
	"github.com/polya-classifier/polya/store/count"
)

// Filter answers whether a document is of class Positive: yes (Positive), no (the most
// probable of the others) or unsure, with TooClose, if neither is worth its risk at
// calibration.ZoneCosts. The calibration has that zone for the class; without a calibration
// the posterior decides, but a yes takes more where more documents of Positive were learned than of
// others, and one of these for ten of Positive. Yes takes 5 documents of other classes, and
// a text that speaks for it, not a header alone: see Contradiction. Recent lessons make no answer sure; see Case.Recent.
type Filter struct {
	Positive string
	Prior    Prior

	// Otherwise decides while Positive has no documents and two other classes have; nil makes
	// answers unsure then. Where Positive and two others have documents, a no is sure if
	// Otherwise is sure of that class too.
	Otherwise Decision
}

func (d Filter) parts() Parts {
	return Parts{Positive: d.Positive, Prior: d.Prior, NeedsRecord: PartsOf(d.Otherwise).NeedsRecord}
}

func (d Filter) check() error {
	if d.Otherwise != nil {
		if err := Check(d.Otherwise, 0); err != nil {
			return err
		}
	}
	if d.Positive == "" {
		return fmt.Errorf("filter of no class: want Positive, the class that is looked for")
	}
	return d.Prior.check()
}

func (d Filter) choose(a *Case) (class int, reason Reason) {
	positive := count.ClassNamed(a.Classes, d.Positive)
	zone := a.Calibrated.Zone(a.Classes[positive].ID)
	low, high := a.logOdds(positive)
	if !d.Prior.IsDefault() {
		low, high = low+zone.Excess(), high+zone.Excess()
	}
	own := a.Classes[positive].Docs
	others := count.Documents(a.Classes) - own
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
	case zone.Answer(low) == calibration.Yes && known && a.Text < zone.Excess():
		return positive, Contradiction
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
// A rate cannot be combined with raw probabilities.
type FalsePositiveRate struct {
	Positive string
	Rate     float64 // above 0 and below 1
}

func (d FalsePositiveRate) parts() Parts {
	return Parts{Positive: d.Positive, NeedsRates: true}
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

// Precision answers the most probable class if answers as sure as this one, and less sure ones down
// to some cut-off, were right in a share of Share of the documents of the calibration sample, those
// of the classes answered worst, and if it is no answer that documents unlike all that were learned
// would get too; see calibration.Record. A document without attributes needs half as many known
// terms as nearly all of the sample have. Otherwise the answer is a suggestion: unsure, with
// Unearned; or with Unmeasured without a calibration, as with raw probabilities, or if that knows
// too little of some classes, see calibration.Record.Bounded.
type Precision struct {
	Share float64 // above 0 and below 1
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
	case a.Record.Lacks(a.Classes[class].ID, a.Earned, d.Share):
		return class, Unmeasured
	case a.Earned < d.Share:
		return class, Unearned
	}
	return class, Sure
}
