package fit

import (
	"math"
	"slices"
)

// Flips are the rates of wrong labels: the true class of a document is that of the
// softmax p, and its label is
//
//	P(label = y) = Σ_k p_k T_ky,  T_kk = 1 - e_k,  T_ky = e_k s_y/(1 - s_k)
//
// with e_k the rate of class k, and s_y the share of label y in the sample: a wrong label
// is any of the others, in proportion to their shares. Two classes have a rate each; more
// share one. (J. Bootkrajang and A. Kabán, Label-noise robust logistic regression and its
// applications, 2012.) nil Flips have no wrong labels.
type Flips struct {
	Rates []float64 // by class
	share []float64 // by class
}

const (
	// flipsBefore is the number of documents of each class, all with right labels, that
	// rates are shrunk by: few documents show no rate.
	flipsBefore = 10

	// flipsStart is the rate from which the fit starts, and flipsMost the largest: with
	// half of the labels wrong nothing says which half.
	flipsStart = .03
	flipsMost  = .3

	// flipsShown is the gain in log-likelihood from which rates are believed: a fit
	// without wrong labels is the simpler explanation. Of more than two classes it is
	// flipsShownOfMany: there, classes alike look like wrong labels of either.
	flipsShown       = floorShown
	flipsShownOfMany = 3

	// flipsLeast is the least rate of wrong labels that is believed: fewer are as well
	// described by a Floor.
	flipsLeast = .005

	// flipsSteps bounds the steps of Expectation–Maximisation, and flipsTolerance is the
	// change of a rate below which they end.
	flipsSteps     = 40
	flipsTolerance = 1e-5
)

// FindFlips fits weights, biases and rates of wrong labels together, and returns the rates, nil
// if the labels do not show any.
func (s *Sample) FindFlips(byDefault []float64) *Flips {
	plain := *s
	plain.Flips = nil
	plain.center()
	without := newFit(&plain, byDefault)
	valueWithout := without.run()

	with := plain
	with.Flips = s.AllFlips(flipsStart)
	f := newFit(&with, byDefault)
	value := f.look()
	for range flipsSteps {
		f.step(&value)
		moved := with.Flips.update(f)
		value = f.look()
		if moved < flipsTolerance {
			break
		}
	}
	gain := valueWithout - value - with.Flips.penalty()
	shown := flipsShown
	if s.Classes > 2 {
		shown = flipsShownOfMany
	}
	if gain < shown || slices.Max(with.Flips.Rates) < flipsLeast {
		return nil
	}
	return with.Flips
}

// AllFlips returns Flips of one rate for all classes of the sample.
func (s *Sample) AllFlips(rate float64) *Flips {
	f := &Flips{Rates: slices.Repeat([]float64{rate}, s.Classes), share: make([]float64, s.Classes)}
	for _, label := range s.Labels {
		f.share[label] += 1 / float64(len(s.Labels))
	}
	return f
}

// wrong returns the probability that a document of class k has one particular label other
// than k, per share of that label.
func (f *Flips) wrong(k int) float64 {
	if f.share[k] >= 1 {
		return 0
	}
	return f.Rates[k] / (1 - f.share[k])
}

// Truth replaces p, the probabilities of the true classes without the label, by those given
// the label, and returns the log-likelihood of the label.
func (f *Flips) Truth(p []float64, label int) float64 {
	sum := 0.0
	for k := range p {
		if k == label {
			p[k] *= 1 - f.Rates[k]
		} else {
			p[k] *= f.wrong(k) * f.share[label]
		}
		sum += p[k]
	}
	for k := range p {
		p[k] /= sum
	}
	return math.Log(sum)
}

// update sets the rates to those that the documents show by the weights of f, and returns by
// how much the largest has changed.
func (f *Flips) update(of *fit) (moved float64) {
	n := len(f.Rates)
	all, wrong := make([]float64, n), make([]float64, n)
	truth := make([]float64, n)
	for d, label := range of.s.Labels {
		copy(truth, of.all[d*n:(d+1)*n])
		f.Truth(truth, label)
		for k, p := range truth {
			all[k] += p
			if k != label {
				wrong[k] += p
			}
		}
	}
	if n > 2 {
		sumAll, sumWrong := 0.0, 0.0
		for k := range all {
			sumAll, sumWrong = sumAll+all[k], sumWrong+wrong[k]
		}
		for k := range all {
			all[k], wrong[k] = sumAll, sumWrong
		}
	}
	for k := range f.Rates {
		rate := min(wrong[k]/(all[k]+flipsBefore), flipsMost)
		moved = max(moved, math.Abs(rate-f.Rates[k]))
		f.Rates[k] = rate
	}
	return moved
}

// penalty is minus the logarithm of the prior of the rates.
func (f *Flips) penalty() float64 {
	sum, seen := 0.0, f.Rates
	if len(seen) > 2 {
		seen = seen[:1]
	}
	for _, e := range seen {
		sum -= flipsBefore * math.Log1p(-e)
	}
	return sum
}
