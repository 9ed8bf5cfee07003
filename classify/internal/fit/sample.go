// Package fit finds the weights of a mixture of scores: a logistic regression over the
// scores of several components, by maximum a posteriori. It works on plain slices,
// without models or documents.
package fit

import (
	"math"

	"github.com/polya-classifier/polya/internal/numeric"
)

// Sample is the data of a fit: documents with their leave-one-out scores.
type Sample struct {
	Classes   int
	Parts     int         // components
	Labels    []int       // by document: its true class
	Scores    [][]float64 // by document: Parts × Classes
	Precision []float64   // by component: 1/σ² of its weight's prior, for scores of a standard deviation of 1
	Prior     []float64   // by class: a log prior, -Inf if it has no documents
	Priors    [][]float64 // by document: the log priors of its classes with it left out; nil for Prior
	Flips     *Flips      // the rates of wrong labels; nil for none
	Unbiased  bool        // there are no biases
}

// Present returns the number of classes that have a prior: a class without documents does
// not affect a fit.
func (s *Sample) Present() int {
	n := 0
	for _, p := range s.Prior {
		if !math.IsInf(p, -1) {
			n++
		}
	}
	return n
}

// Half returns every second document, from index first on.
func (s *Sample) Half(first int) *Sample {
	h := *s
	h.Labels, h.Scores, h.Priors = Half(s.Labels, first), Half(s.Scores, first), Half(s.Priors, first)
	return &h
}

// Half returns every second element, from index first on.
func Half[T any](list []T, first int) []T {
	if list == nil {
		return nil
	}
	half := make([]T, 0, (len(list)+1)/2)
	for d := first; d < len(list); d += 2 {
		half = append(half, list[d])
	}
	return half
}

// Weigh sets dst, by class, to the prior, the bias and the weighed scores of document d.
// No bias stands for 0.
func (s *Sample) Weigh(dst []float64, d int, weights, bias []float64) {
	if s.Priors != nil {
		copy(dst, s.Priors[d])
	} else {
		copy(dst, s.Prior)
	}
	for c, b := range bias {
		dst[c] += b
	}
	for m, w := range weights {
		if w != 0 {
			for c, v := range s.row(d, m) {
				dst[c] += w * v
			}
		}
	}
}

// softmax turns logarithms into probabilities of sum 1, and returns the log probability
// of the label.
func softmax(p []float64, label int) float64 {
	own := p[label]
	top, sum := numeric.Softmax(p, p)
	return own - top - math.Log(sum)
}

// row returns the scores of document d by component m.
func (s *Sample) row(d, m int) []float64 { return s.Scores[d][m*s.Classes : (m+1)*s.Classes] }

// center subtracts from each score the document's mean over the classes that have
// documents. It changes no posterior, but without it the part common to all classes would
// dominate the differences in the Hessian.
func (s *Sample) center() {
	for d := range s.Scores {
		for m := range s.Parts {
			row := s.row(d, m)
			mean := s.mean(row)
			for c := range row {
				row[c] -= mean
			}
		}
	}
}

// mean returns the mean over the classes that have documents.
func (s *Sample) mean(row []float64) float64 {
	sum, n := 0.0, 0
	for c, v := range row {
		if !math.IsInf(s.Prior[c], -1) {
			sum += v
			n++
		}
	}
	return sum / float64(n)
}

// deviations returns σ_m: the root of the mean squared difference of a score
// from the document's mean over the classes that have documents.
func (s *Sample) deviations() []float64 {
	sigma := make([]float64, s.Parts)
	for m := range sigma {
		sum, n := 0.0, 0
		for d := range s.Scores {
			row := s.row(d, m)
			mean := s.mean(row)
			for c, v := range row {
				if !math.IsInf(s.Prior[c], -1) {
					sum += (v - mean) * (v - mean)
					n++
				}
			}
		}
		sigma[m] = math.Sqrt(sum / float64(max(n, 1)))
		if !(sigma[m] > 1e-9) {
			sigma[m] = 1e-9
		}
	}
	return sigma
}
