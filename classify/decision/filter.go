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
