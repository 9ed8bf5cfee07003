package filter

import (
	"math"
	"slices"
)

// Answer is yes, no or unsure.
type Answer int

// The answers, in the order of the log-odds.
const (
	No Answer = iota
	Unsure
	Yes
)

// Zone is the interval of log-odds in which the answer is unsure.
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

// Assumed returns the zone for the costs if log-odds are calibrated, for use while there
// are no documents to choose one from.
func Assumed(c Costs) Zone {
	no, yes := c.cuts()
	return Zone{No: no, Yes: yes}
}

// Choose returns the zone with the least expected cost, given the leave-one-out log-odds
// of documents of the class, own, and of documents of other classes, others.
//
// The probability of the class is a logistic regression on the log-odds, shrunk to the
// log-odds themselves when documents are few. Counting the wrong answers beyond each cut
// would be less robust: a single mislabelled document would prevent every yes below it.
func Choose(c Costs, own, others []float64) Zone {
	slope, intercept := regress(own, credible(own, others))
	z := Assumed(c)
	z.No, z.Yes = (z.No-intercept)/slope, (z.Yes-intercept)/slope
	for _, x := range own {
		z.Own[z.Answer(x)]++
	}
	for _, x := range others {
		z.Others[z.Answer(x)]++
	}
	return z
}

// mislabelled is the largest number of documents dropped as mislabelled, as a share of
// the documents of the class.
const mislabelled = 0.02

// credible returns others without those whose log-odds exceed the median of own, if they
// are few: they are probably mislabelled. With a hundredth of SpamAssassin's ham
// mislabelled spam, 75 % of the spam is answered yes without them, and 45 % with them.
func credible(own, others []float64) []float64 {
	if len(own) == 0 {
		return others
	}
	sorted := slices.Clone(own)
	slices.Sort(sorted)
	median := sorted[len(sorted)/2]
	kept := slices.DeleteFunc(slices.Clone(others), func(x float64) bool { return x > median })
	if float64(len(others)-len(kept)) > mislabelled*float64(len(own)) {
		return others // the class cannot be distinguished
	}
	return kept
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
func regress(own, others []float64) (slope, intercept float64) {
	slope = 1
	loss := regressionLoss(own, others, slope, intercept)
	for range regressionSteps {
		// Gradient and Hessian.
		ga, gb := slopePrecision*(slope-1), interceptPrecision*intercept
		haa, hab, hbb := float64(slopePrecision), 0., float64(interceptPrecision)
		add := func(docs []float64, label float64) {
			for _, x := range docs {
				x = max(-maxLogOdds, min(maxLogOdds, x))
				p := 1 / (1 + math.Exp(-intercept-slope*x))
				v := p * (1 - p)
				ga, gb = ga+(p-label)*x, gb+p-label
				haa, hab, hbb = haa+v*x*x, hab+v*x, hbb+v
			}
		}
		add(own, 1)
		add(others, 0)
		det := haa*hbb - hab*hab
		da, db := (hbb*ga-hab*gb)/det, (haa*gb-hab*ga)/det
		improved := false
		for step := 1.0; step > 1e-6; step /= 2 {
			a, b := max(leastSlope, slope-step*da), intercept-step*db
			if l := regressionLoss(own, others, a, b); l < loss-regressionTolerance {
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

// regressionLoss is the objective of regress.
func regressionLoss(own, others []float64, slope, intercept float64) float64 {
	loss := slopePrecision/2*(slope-1)*(slope-1) + interceptPrecision/2.*intercept*intercept
	for _, x := range own {
		loss += softplus(-intercept - slope*max(-maxLogOdds, min(maxLogOdds, x)))
	}
	for _, x := range others {
		loss += softplus(intercept + slope*max(-maxLogOdds, min(maxLogOdds, x)))
	}
	return loss
}

// softplus returns log(1 + e^x).
func softplus(x float64) float64 { return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }
