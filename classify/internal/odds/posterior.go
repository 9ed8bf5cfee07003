// Package odds turns scores of classes into probabilities and log-odds, without losing
// digits where probabilities are near 0 and 1.
package odds

import (
	"math"

	"github.com/polya-classifier/polya/store/count"
)

// LogPrior returns for each class
//
//	log((D_c + 1) / (D + C))
//
// with D_c the documents of the class, D all documents, and C the number of classes with
// documents, so that the priors of these sum to 1. A class without documents has -Inf; if
// no class has documents, all have -Inf.
func LogPrior(classes []*count.Class) []float64 {
	prior := make([]float64, len(classes))
	var total float64
	for _, class := range classes {
		if class.Docs > 0 {
			total += float64(class.Docs) + 1
		}
	}
	for c, class := range classes {
		prior[c] = math.Inf(-1)
		if class.Docs > 0 {
			prior[c] = math.Log((float64(class.Docs) + 1) / total)
		}
	}
	return prior
}

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
	Exp(p, scores)
	return p
}

// Exp sets p to the Posterior of scores.
func Exp(p, scores []float64) {
	top := Max(scores, -1)
	var sum float64
	for c, s := range scores {
		p[c] = Relative(s, top)
		sum += p[c]
	}
	for c := range p {
		p[c] /= sum
	}
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
	top := Max(scores, c)
	var sum float64
	for i, s := range scores {
		if i != c {
			sum += Relative(s, top)
		}
	}
	if scores[c] == top {
		return -math.Log(sum) // also if both are infinite
	}
	return scores[c] - top - math.Log(sum)
}

// Loss returns -log p of class c, in nats: log(1 + e^-x) with x its log-odds.
func Loss(scores []float64, c int) float64 {
	x := LogOdds(scores, c)
	if x > 0 {
		return math.Log1p(math.Exp(-x))
	}
	return math.Log1p(math.Exp(x)) - x
}

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

// Max returns the greatest score except the one of class skip, NaN if a score is NaN.
func Max(scores []float64, skip int) float64 {
	top := math.Inf(-1)
	for c, s := range scores {
		if c != skip {
			top = max(top, s)
		}
	}
	return top
}

// Relative returns exp(score - top), 1 where both are the same infinity and the
// difference would be NaN.
func Relative(score, top float64) float64 {
	if score == top {
		return 1
	}
	return math.Exp(score - top)
}
