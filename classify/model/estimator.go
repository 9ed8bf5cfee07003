package model

import (
	"cmp"
	"fmt"
)

// Estimator is how a model makes probabilities of counts. With Beta and
// Dirichlet priors the three differ by what they add to a count for a prior
// parameter α:
//
//	PosteriorMean      α      the mean of the posterior
//	PosteriorMode      α - 1  its mode, which lies inside only for α ≥ 1
//	MaximumLikelihood  0      no prior
//
// After three tails in three tosses the probability of heads is 1/5 by the mean
// under Beta(1, 1), Laplace's rule of succession, and 0 by maximum likelihood.
//
// What maximum likelihood has never seen is impossible: a class that lacks one
// term of a document scores -Inf, and if all classes do, all are equally likely
// and the answer is unsure.
type Estimator uint8

// The estimators.
const (
	// DefaultEstimator is the model's own: PosteriorMode for the DCM, whose mean
	// has no closed form, PosteriorMean for the others.
	DefaultEstimator Estimator = iota
	PosteriorMean
	PosteriorMode
	MaximumLikelihood
)

// estimatorNames are the estimators as model names have them.
var estimatorNames = [...]string{"", "mean", "map", "ml"}

// String returns "mean", "map" or "ml", and nothing for DefaultEstimator.
func (e Estimator) String() string {
	if int(e) < len(estimatorNames) {
		return estimatorNames[e]
	}
	return fmt.Sprintf("estimator(%d)", uint8(e))
}

// added is what the estimator adds to a count for the prior parameter α.
func (e Estimator) added(alpha float64) float64 {
	switch e {
	case PosteriorMode:
		return alpha - 1
	case MaximumLikelihood:
		return 0
	}
	return alpha
}

// check returns what is wrong with the estimator or its prior parameter, called
// name, of which zero means byDefault.
func (e Estimator) check(name string, alpha, byDefault float64) error {
	switch {
	case e > MaximumLikelihood:
		return fmt.Errorf("there is no %v", e)
	case e == MaximumLikelihood && alpha != 0:
		return fmt.Errorf("ml has no prior: want no %s", name)
	}
	if err := checkAmount(name, cmp.Or(alpha, byDefault)); err != nil {
		return err
	}
	if a := cmp.Or(alpha, byDefault); e == PosteriorMode && a < 1 {
		return fmt.Errorf("map with %s=%v: want %s=1 or more, or the posterior has its mode at a border", name, a, name)
	}
	return nil
}

// shown is the estimator's place in the name of a model whose own is byDefault.
func (e Estimator) shown(byDefault Estimator) string {
	if e == byDefault {
		return ""
	}
	return e.String()
}
