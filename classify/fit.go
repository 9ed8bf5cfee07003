package classify

import (
	"math"
	"slices"

	"github.com/polya-classifier/polya/store/count"
)

// This file finds the weights of a Stack: a logistic regression over the scores
// of its components, by maximum a posteriori.

// sample is what a fit learns from: documents with the tempered scores that they
// got without their own help.
type sample struct {
	classes   int
	parts     int // components
	ids       []count.DocID
	labels    []int       // the true class of each document
	scores    [][]float64 // of each document: parts × classes
	precision []float64   // by component: of its weight's prior; nil for weightPrecision
	prior     []float64   // by class: PriorWeight × log prior, -Inf if it has no documents
	left      []float64   // by class: what its prior loses with the document left out; nil for nothing
}

const (
	// weightPrecision is 1/σ² of the Gaussian prior of a weight around its
	// default, where the scores are scaled to a standard deviation of 1.
	weightPrecision = 1

	// biasPrecision is 1/σ² of a bias around 0. With many classes biases are
	// many and documents of each few; on mail folders that change with time
	// (Enron's, first half → second) 10 gives .534 correct, .1 gives .528.
	biasPrecision = 10

	// twoClassPrecision is biasPrecision for two classes, where one number is
	// fitted to all documents.
	twoClassPrecision = 1

	// biasClasses is the greatest number of classes that get biases: Newton's
	// step takes time in the square of it.
	biasClasses = 128

	// negligibleShare is the share of all weights, where scores are scaled to a
	// standard deviation of 1, below which a component is left out.
	negligibleShare = 0.02

	fitSteps     = 50
	fitTolerance = 1e-7 // of the loss, per document
)

// fitWeights returns the weights, at least 0, and biases that minimise
//
//	-Σ_d log p(label_d) + Σ_m λ (w_m σ_m - v_m σ_m)²/2 + Σ_c β b_c²/2
//
// with p the softmax of prior_c + b_c + Σ_m w_m S_dmc, v the default weights,
// and σ_m the standard deviation of the scores of component m within documents.
// It is a convex problem; the steps are Newton's, projected (Bertsekas, Projected
// Newton methods for optimization problems with simple constraints, SIAM J.
// Control and Optimization 20, 1982). Weights of a negligibleShare are then set to
// 0. Sums run in the order of the documents. The scores of s are centered.
func fitWeights(s *sample, byDefault []float64) (weights, bias []float64) {
	s.center()
	f := newFit(s, byDefault)
	value := f.look()
	for range fitSteps {
		if !f.step(&value) {
			break
		}
	}
	weights = f.x[:s.parts:s.parts]
	sum := 0.0
	for _, w := range weights {
		sum += w
	}
	for m := range weights {
		if weights[m] < negligibleShare*sum {
			weights[m] = 0 // what it adds is less than what computing it costs
		}
		weights[m] /= f.scale[m]
	}
	return weights, f.x[s.parts:]
}

// losses returns -log p(label_d) of each document for given weights and biases.
func (s *sample) losses(weights, bias []float64) []float64 {
	f := newFit(s, weights)
	for m := range f.scale {
		f.scale[m] = 1
	}
	x := append(slices.Clone(weights), bias...)
	var losses []float64
	for d, scores := range s.scores {
		losses = append(losses, -f.posterior(x, scores, s.labels[d]))
	}
	return losses
}

// fit is a fit under way. Its unknowns x are the weights, scaled by σ, and
// the biases.
type fit struct {
	s        *sample
	scale    []float64
	center   []float64 // the scaled default weights
	biases   int
	beta     float64
	x        []float64
	gradient []float64
	hessian  [][]float64
	p, mean  []float64
	likely   []int // classes that are not next to impossible
}

func newFit(s *sample, byDefault []float64) *fit {
	f := &fit{s: s, scale: deviations(s), biases: s.classes, beta: biasPrecision}
	switch classes := s.present(); {
	case classes == 2:
		f.beta = twoClassPrecision
	case classes > biasClasses:
		f.biases = 0
	}
	n := s.parts + f.biases
	f.center = make([]float64, s.parts)
	f.x = make([]float64, s.parts+s.classes)[:n]
	for m := range f.center {
		f.center[m] = byDefault[m] * f.scale[m]
		f.x[m] = f.center[m]
	}
	f.gradient = make([]float64, n)
	f.hessian = make([][]float64, n)
	for i := range f.hessian {
		f.hessian[i] = make([]float64, n)
	}
	f.p, f.mean = make([]float64, s.classes), make([]float64, s.parts)
	return f
}

// present is the number of classes that have a prior: one that has lost its documents
// changes no fit.
func (s *sample) present() int {
	n := 0
	for _, p := range s.prior {
		if !math.IsInf(p, -1) {
			n++
		}
	}
	return n
}

// center takes from each score the document's mean over the classes that have
// documents. It changes no posterior, but without it what is the same for all
// classes would drown the differences in the Hessian's.
func (s *sample) center() {
	for _, scores := range s.scores {
		for m := range s.parts {
			row := scores[m*s.classes : (m+1)*s.classes]
			mean := s.mean(row)
			for c := range row {
				row[c] -= mean
			}
		}
	}
}

// mean returns the mean over the classes that have documents.
func (s *sample) mean(row []float64) float64 {
	sum, n := 0.0, 0
	for c, v := range row {
		if !math.IsInf(s.prior[c], -1) {
			sum += v
			n++
		}
	}
	return sum / float64(n)
}

// deviations returns σ_m: the root of the mean squared difference of a score
// from the document's mean over the classes that have documents.
func deviations(s *sample) []float64 {
	sigma := make([]float64, s.parts)
	for m := range sigma {
		sum, n := 0.0, 0
		for _, scores := range s.scores {
			row := scores[m*s.classes : (m+1)*s.classes]
			mean := s.mean(row)
			for c, v := range row {
				if !math.IsInf(s.prior[c], -1) {
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

// posterior sets f.p to the probabilities of the classes for scores, and returns
// the log probability of the label.
func (f *fit) posterior(x, scores []float64, label int) float64 {
	copy(f.p, f.s.prior)
	if f.s.left != nil {
		f.p[label] += f.s.left[label]
	}
	if f.biases > 0 {
		for c, b := range x[f.s.parts:] {
			f.p[c] += b
		}
	}
	for m := range f.s.parts {
		if w := x[m] / f.scale[m]; w != 0 {
			for c, v := range scores[m*f.s.classes : (m+1)*f.s.classes] {
				f.p[c] += w * v
			}
		}
	}
	top := math.Inf(-1)
	for _, v := range f.p {
		top = max(top, v)
	}
	sum, own := 0.0, f.p[label]-top
	for c, v := range f.p {
		f.p[c] = math.Exp(v - top)
		sum += f.p[c]
	}
	for c := range f.p {
		f.p[c] /= sum
	}
	return own - math.Log(sum)
}

// value returns what is minimised, at x.
func (f *fit) value(x []float64) float64 {
	sum := f.penalty(x)
	for d, scores := range f.s.scores {
		sum -= f.posterior(x, scores, f.s.labels[d])
	}
	return sum
}

// precision is that of the prior of weight m.
func (f *fit) precision(m int) float64 {
	if f.s.precision == nil {
		return weightPrecision
	}
	return f.s.precision[m]
}

func (f *fit) penalty(x []float64) float64 {
	sum := 0.0
	for i, v := range x {
		if i < f.s.parts {
			sum += f.precision(i) / 2 * (v - f.center[i]) * (v - f.center[i])
		} else {
			sum += f.beta / 2 * v * v
		}
	}
	return sum
}

// look computes gradient and Hessian at f.x and returns the value there.
func (f *fit) look() float64 {
	parts := f.s.parts
	clear(f.gradient)
	for i := range f.hessian {
		clear(f.hessian[i])
	}
	sum := f.penalty(f.x)
	for d, scores := range f.s.scores {
		sum -= f.posterior(f.x, scores, f.s.labels[d])
		f.addWeights(scores, f.s.labels[d])
		if f.biases > 0 {
			f.addBiases(scores, f.s.labels[d])
		}
	}
	for i, v := range f.x {
		if i < parts {
			f.gradient[i] += f.precision(i) * (v - f.center[i])
			f.hessian[i][i] += f.precision(i)
		} else {
			f.gradient[i] += f.beta * v
			f.hessian[i][i] += f.beta
		}
	}
	return sum
}

// addWeights adds a document to the gradient and Hessian of the weights.
func (f *fit) addWeights(scores []float64, label int) {
	classes := f.s.classes
	for m := range f.s.parts {
		row := scores[m*classes : (m+1)*classes]
		f.mean[m] = 0
		for c, p := range f.p {
			f.mean[m] += p * row[c]
		}
		f.mean[m] /= f.scale[m]
		f.gradient[m] += f.mean[m] - row[label]/f.scale[m]
	}
	for m := range f.s.parts {
		a := scores[m*classes : (m+1)*classes]
		for k := range m + 1 {
			b := scores[k*classes : (k+1)*classes]
			sum := 0.0
			for c, p := range f.p {
				sum += p * a[c] * b[c]
			}
			h := sum/(f.scale[m]*f.scale[k]) - f.mean[m]*f.mean[k]
			f.hessian[m][k] += h
			if k != m {
				f.hessian[k][m] += h
			}
		}
	}
}

// addBiases adds a document to the gradient and Hessian of the biases. What is
// next to impossible for it is left out of the latter's mixed terms: most classes
// are, and a step need not be exact.
func (f *fit) addBiases(scores []float64, label int) {
	const negligible = 1e-3
	parts, classes := f.s.parts, f.s.classes
	f.gradient[parts+label]--
	f.likely = f.likely[:0]
	for c, p := range f.p {
		f.gradient[parts+c] += p
		f.hessian[parts+c][parts+c] += p * (1 - p)
		if p >= negligible {
			f.likely = append(f.likely, c)
		}
	}
	for _, c := range f.likely {
		row, p := f.hessian[parts+c], f.p[c]
		for m := range parts {
			h := p * (scores[m*classes+c]/f.scale[m] - f.mean[m])
			row[m] += h
			f.hessian[m][parts+c] += h
		}
		for _, k := range f.likely {
			if k != c {
				row[parts+k] -= p * f.p[k]
			}
		}
	}
}
