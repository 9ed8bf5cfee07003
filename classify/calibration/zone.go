package calibration

import (
	"math"
	"slices"

	"github.com/polya-classifier/polya/internal/numeric"
	"github.com/polya-classifier/polya/store/count"
)

// Answer is yes, no or unsure.
type Answer int

// The answers, in the order of the log-odds.
const (
	No Answer = iota
	Unsure
	Yes
)

// Zone is the interval of log-odds in which neither yes nor no is worth its risk: the answer
// is unsure.
type Zone struct {
	// No and Yes are log-odds for the class: the answer is no at No and below, yes
	// above Yes, and unsure between.
	No, Yes float64

	// Own and Others count, by answer, the documents of the class and of others that the
	// zone was chosen from.
	Own, Others [3]int
}

// Answer returns the answer for log-odds.
func (z *Zone) Answer(logOdds float64) Answer {
	switch {
	case logOdds > z.Yes:
		return Yes
	case logOdds > z.No:
		return Unsure
	}
	return No
}

// ZoneCosts are the costs of answers that zones are chosen by; a right answer costs nothing.
// They are for mail: a legitimate message called spam may never be read, which costs as much as
// ten spams in the inbox; an unsure message costs a tenth of a spam.
var ZoneCosts = struct{ WrongYes, WrongNo, Unsure float64 }{WrongYes: 10, WrongNo: 1, Unsure: 0.1}

// assumedZone returns the zone if log-odds are calibrated, for use while there are no documents
// to choose one from: no costs p WrongNo for a document of probability p, yes (1-p) WrongYes.
func assumedZone() Zone {
	return Zone{No: logit(ZoneCosts.Unsure / ZoneCosts.WrongNo), Yes: logit(1 - ZoneCosts.Unsure/ZoneCosts.WrongYes)}
}

// logit returns the log-odds of a probability.
func logit(p float64) float64 { return math.Log(p / (1 - p)) }

// Zone returns the zone of a class; m may be nil.
func (m *Model) Zone(class count.ClassID) Zone {
	if m != nil {
		if z, known := m.Zones[class]; known {
			return z
		}
	}
	return assumedZone()
}

// ChooseZone returns the zone with the least expected cost for documents like these, but unsure
// where few of these are. own of the documents of the class are independent of each other,
// and others of all others; 1 or more.
//
// The probability of the class is a logistic regression on the log-odds, shrunk to the
// log-odds themselves when documents are few. Counting the wrong answers beyond each cut
// would be less robust: a single mislabelled document would prevent every yes below it.
//
// Documents unlike all that were learned have log-odds between those of the class and those
// of others. Of n independent documents the next is unlike all with a probability of about
// 1/n (the rule of succession). If such a document exceeds the log-odds of a share e of the
// class with a probability of about .01/e, as among mail of other kinds than that learned, a
// wrong yes costs 10, and unsure .1, the share of least cost is 1/√n: yes takes more than
// these log-odds. No is bounded likewise, in proportion to its cost.
func ChooseZone(docs []Odds, own, others float64) Zone {
	slope, intercept := regress(docs)
	z := assumedZone()
	z.No, z.Yes = (z.No-intercept)/slope, (z.Yes-intercept)/slope
	var of [2][]float64 // the log-odds for the class of its documents, and those against it of others
	for _, d := range docs {
		if d.Probably() {
			of[0] = append(of[0], d.LogOdds)
		} else {
			of[1] = append(of[1], -d.LogOdds)
		}
	}
	z.Yes = within(z.Yes, of[0], 1, others)
	z.No = -within(-z.No, of[1], ZoneCosts.WrongNo/ZoneCosts.WrongYes, own)
	for _, d := range docs {
		if d.Probably() {
			z.Own[z.Answer(d.LogOdds)]++
		} else {
			z.Others[z.Answer(d.LogOdds)]++
		}
	}
	return z
}

// within returns the cut, or a greater one that the share cost/√n of the log-odds do not
// exceed, but no nearer to their greatest than by the share 1/√√n of the way there: where
// all are nearly the same, the next may well be a little less.
func within(cut float64, logOdds []float64, cost, n float64) float64 {
	if len(logOdds) == 0 {
		return cut
	}
	slices.Sort(logOdds)
	rank := int(math.Ceil(min(cost/math.Sqrt(n), 1) * float64(len(logOdds))))
	least, greatest := bounded(logOdds[max(rank, 1)-1]), bounded(logOdds[len(logOdds)-1])
	return max(cut, min(least, cut+(greatest-cut)/math.Sqrt(math.Sqrt(n))))
}

const (
	// The prior of the regression: a slope of 1 ± 1/4 and an intercept of 0 ± 1, one
	// standard deviation. Log-odds are calibrated already.
	slopePrecision     = 16
	interceptPrecision = 1

	// leastSlope keeps the zone finite.
	leastSlope = 0.1

	// maxLogOdds bounds log-odds: beyond it no answer changes.
	maxLogOdds = 30

	regressionSteps     = 30
	regressionTolerance = 1e-9
)

// regress fits log-odds = intercept + slope x, by Newton's method with halved steps.
func regress(docs []Odds) (slope, intercept float64) {
	slope = 1
	loss := regressionLoss(docs, slope, intercept)
	for range regressionSteps {
		// Gradient and Hessian.
		ga, gb := slopePrecision*(slope-1), interceptPrecision*intercept
		haa, hab, hbb := float64(slopePrecision), 0., float64(interceptPrecision)
		for _, d := range docs {
			x := bounded(d.LogOdds)
			p := numeric.Logistic(intercept + slope*x)
			v := p * (1 - p)
			ga, gb = ga+(p-d.Own)*x, gb+p-d.Own
			haa, hab, hbb = haa+v*x*x, hab+v*x, hbb+v
		}
		det := haa*hbb - hab*hab
		da, db := (hbb*ga-hab*gb)/det, (haa*gb-hab*ga)/det
		improved := false
		for step := 1.0; step > 1e-6; step /= 2 {
			a, b := max(leastSlope, slope-step*da), intercept-step*db
			if l := regressionLoss(docs, a, b); l < loss-regressionTolerance {
				slope, intercept, loss, improved = a, b, l, true
				break
			}
		}
		if !improved {
			break
		}
	}
	return slope, intercept
}

// bounded returns log-odds without what changes no answer.
func bounded(logOdds float64) float64 { return max(-maxLogOdds, min(maxLogOdds, logOdds)) }

// regressionLoss is the objective of regress.
func regressionLoss(docs []Odds, slope, intercept float64) float64 {
	loss := slopePrecision/2*(slope-1)*(slope-1) + interceptPrecision/2.*intercept*intercept
	for _, d := range docs {
		z := intercept + slope*bounded(d.LogOdds)
		loss += numeric.Softplus(z) - d.Own*z
	}
	return loss
}
