package decision

import (
	"fmt"

	"github.com/polya-classifier/polya/classify/calibration"
	"github.com/polya-classifier/polya/store/count"
)

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
