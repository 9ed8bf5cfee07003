package model

import (
	"cmp"
	"fmt"
)

// Estimator is how a model estimates probabilities from counts. With Beta and Dirichlet
// priors the three differ in the number added to a count for a prior parameter α:
//
//	PosteriorMean      α      the mean of the posterior
//	PosteriorMode      α - 1  its mode, which lies inside only for α ≥ 1
//	MaximumLikelihood  0      no prior
//
// After three tails in three tosses the probability of heads is 1/5 by the mean
// under Beta(1, 1), Laplace's rule of succession, and 0 by maximum likelihood.
//
// With maximum likelihood an unseen event is impossible: a class that lacks one term of a
// document scores -Inf, and if all classes do, all are equally likely and the answer is
// unsure.
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

// estimatorNames are the names of estimators in model names.
var estimatorNames = [...]string{"", "mean", "map", "ml"}

// String returns "mean", "map", "ml", or "" for DefaultEstimator.
func (e Estimator) String() string {
	if int(e) < len(estimatorNames) {
		return estimatorNames[e]
	}
	return fmt.Sprintf("estimator(%d)", uint8(e))
}

// added returns the number that the estimator adds to a count for the prior parameter α.
func (e Estimator) added(alpha float64) float64 {
	switch e {
	case PosteriorMode:
		return alpha - 1
	case MaximumLikelihood:
		return 0
	}
	return alpha
}

// check returns an error for an invalid estimator or prior parameter, called name, whose
// zero value means byDefault.
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

// shown returns the estimator's part of a model name, "" if it is the model's default.
func (e Estimator) shown(byDefault Estimator) string {
	if e == byDefault {
		return ""
	}
	return e.String()
}
