package concept

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Mixture returns the logarithm of the prior
//
//	p(h) = Σ_i λ_i p_i(h)
//
// normalised, where priors[i][h] is p_i(h), up to a constant for each i, and weights are
// λ, up to a constant. A p_i that covers one kind of hypotheses has 0 at all others. It
// returns an error if lengths do not match, if a number is negative or not finite, or if
// a p_i, or λ, is 0 everywhere.
func Mixture(weights []float64, priors ...[]float64) ([]float64, error) {
	if len(weights) != len(priors) || len(priors) == 0 {
		return nil, fmt.Errorf("concept: a mixture of %d priors with %d weights", len(priors), len(weights))
	}
	λ, err := fractions(weights)
	if err != nil {
		return nil, fmt.Errorf("concept: the weights of a mixture: %w", err)
	}
	mixed := make([]float64, len(priors[0]))
	for i, prior := range priors {
		if len(prior) != len(mixed) {
			return nil, fmt.Errorf("concept: a mixture of priors over %d and %d hypotheses", len(mixed), len(prior))
		}
		p, err := fractions(prior)
		if err != nil {
			return nil, fmt.Errorf("concept: prior %d of a mixture: %w", i+1, err)
		}
		for h := range mixed {
			mixed[h] += λ[i] * p[h]
		}
	}
	for h, p := range mixed {
		mixed[h] = math.Log(p)
	}
	return mixed, nil
}

// fractions returns values over their sum.
func fractions(values []float64) ([]float64, error) {
	greatest := 0.0
	for _, v := range values {
		if !(v >= 0) || math.IsInf(v, 1) {
			return nil, fmt.Errorf("%v is no probability", v)
		}
		greatest = max(greatest, v)
	}
	if greatest == 0 {
		return nil, errors.New("they are all 0")
	}
	all := slices.Clone(values)
	sum := 0.0
	for i := range all {
		all[i] /= greatest // or a sum of large numbers would be infinite
		sum += all[i]
	}
	for i := range all {
		all[i] /= sum
	}
	return all, nil
}
