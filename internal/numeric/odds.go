// Package numeric computes what models and measures need of logarithms, probabilities and
// samples, to the last digits also where probabilities are near 0 and 1 or numbers are large.
package numeric

import (
	"math"
)

// Posterior returns the probabilities proportional to exp(scores[c]); they sum to 1.
//
// Special cases:
//
//	no scores: no probabilities
//	all scores -Inf: the same probability for every class
//	k scores +Inf: 1/k for each of these, 0 for the others
//	a score NaN: all probabilities NaN
func Posterior(scores []float64) []float64 {
	p := make([]float64, len(scores))
	Softmax(p, scores)
	return p
}

// Softmax sets p, which may be scores, to their Posterior, and returns the greatest score and the
// sum of exp(score - top).
func Softmax(p, scores []float64) (top, sum float64) {
	top = greatest(scores, -1)
	for c, s := range scores {
		p[c] = relative(s, top)
		sum += p[c]
	}
	for c := range p {
		p[c] /= sum
	}
	return top, sum
}

// LogOdds returns the natural logarithm of the odds of class c against all
// other classes together,
//
//	scores[c] - log Σ_{i≠c} exp(scores[i])
//
// It is computed from the scores and not from probabilities, so that it still ranks where
// these round to 0 or 1.
//
// Special cases:
//
//	one class: +Inf
//	all n scores -Inf: -log(n-1), the odds of 1/n
//	k scores +Inf, the score of c among them: -log(k-1); otherwise -Inf
//	a score NaN: NaN
func LogOdds(scores []float64, c int) float64 {
	if len(scores) == 1 {
		return math.Inf(1)
	}
	top := greatest(scores, c)
	var sum float64
	for i, s := range scores {
		if i != c {
			sum += relative(s, top)
		}
	}
	if scores[c] == top {
		return -math.Log(sum) // also if both are infinite
	}
	return scores[c] - top - math.Log(sum)
}

// Loss returns -log p of class c, in nats: log(1 + e^-x) with x its log-odds.
func Loss(scores []float64, c int) float64 { return Softplus(-LogOdds(scores, c)) }

// Top returns the class of the greatest score, the first of equal ones.
func Top(scores []float64) int {
	top := 0
	for c, s := range scores {
		if s > scores[top] {
			top = c
		}
	}
	return top
}

// greatest returns the greatest score except the one of class skip, NaN if a score is NaN.
func greatest(scores []float64, skip int) float64 {
	top := math.Inf(-1)
	for c, s := range scores {
		if c != skip {
			top = max(top, s)
		}
	}
	return top
}

// relative returns exp(score - top), 1 where both are the same infinity and the
// difference would be NaN.
func relative(score, top float64) float64 {
	if score == top {
		return 1
	}
	return math.Exp(score - top)
}

// Softplus returns log(1 + e^x).
func Softplus(x float64) float64 { return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }

// Logistic returns 1 / (1 + e^-x), the probability of log-odds x.
func Logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// LogSum returns log(e^a + e^b).
func LogSum(a, b float64) float64 {
	if a < b {
		a, b = b, a
	}
	if math.IsInf(b, -1) {
		return a
	}
	return a + math.Log1p(math.Exp(b-a))
}
