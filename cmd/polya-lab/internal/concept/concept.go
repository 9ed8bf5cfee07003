// Package concept learns a concept from positive examples only: which of many
// hypotheses, each a set of objects, are the examples D = x_1 … x_n drawn from?
//
// Examples are assumed to be drawn uniformly at random from the concept (strong
// sampling), so that
//
//	p(D|h) = (1/|h|)^n   if all of D are in h, else 0
//
// which is the size principle: among the hypotheses that contain all examples smaller
// ones are more likely, and increasingly so with every example. Then
//
//	p(h|D)   = p(D|h) p(h) / Σ_h' p(D|h') p(h')
//	p(x∈C|D) = Σ_h p(h|D) [x ∈ h]                  Bayesian model averaging
//
// A prior keeps unnatural hypotheses ("powers of 2, except 32") from winning by their
// size. With Noise ε > 0 an example is drawn from h with probability 1-ε, and from all N
// existing objects with probability ε:
//
//	p(x|h) = (1-ε) [x ∈ h]/|h| + ε/N
//
// so that a hypothesis that an example contradicts is improbable instead of impossible.
//
// Sources: J. B. Tenenbaum, A Bayesian Framework for Concept Learning, PhD thesis, MIT, 1999;
// the same, Rules and Similarity in Concept Learning, NIPS 12, 2000; K. P. Murphy,
// Machine Learning: A Probabilistic Perspective, MIT Press, 2012, section 3.2. The
// term of noise is ours.
package concept

import (
	"errors"
	"math"

	"github.com/polya-classifier/polya/internal/numeric"
)

// Hypothesis is one set of objects that a concept could be.
type Hypothesis[T any] struct {
	Name  string       // for people
	Size  float64      // |h|, the number of objects in the set, above 0
	Prior float64      // p(h), up to a factor
	Has   func(T) bool // whether an object is in the set
}

// Space is a set of hypotheses. Its methods only read it.
type Space[T any] struct {
	Hypotheses []Hypothesis[T]
	Noise      float64 // ε in [0, 1)
	Objects    float64 // N, at least the size of every hypothesis; only Noise needs it
}

// ErrNoFit is returned when no hypothesis that the prior allows holds all
// examples. It does not happen with Noise.
var ErrNoFit = errors.New("concept: no hypothesis holds all examples")

// Posterior is the posterior over the hypotheses of a Space given examples, in their order.
type Posterior[T any] struct {
	Likelihood []float64 // p(D|h)
	Prob       []float64 // p(h|D), which sum to 1
	hypotheses []Hypothesis[T]
}

// Learn returns the posterior given the examples. Without examples it is the prior. Their
// order does not matter; an example given twice counts as drawn twice. The error is ErrNoFit.
func (s *Space[T]) Learn(examples ...T) (*Posterior[T], error) {
	p := &Posterior[T]{hypotheses: s.Hypotheses}
	logs, some := make([]float64, len(s.Hypotheses)), false
	for i := range s.Hypotheses {
		l := s.logLikelihood(&s.Hypotheses[i], examples)
		p.Likelihood = append(p.Likelihood, math.Exp(l))
		logs[i] = l + math.Log(s.Hypotheses[i].Prior)
		some = some || !math.IsInf(logs[i], -1)
	}
	if !some {
		return nil, ErrNoFit
	}
	p.Prob = numeric.Posterior(logs)
	return p, nil
}

// logLikelihood returns log p(D|h). It counts before it multiplies, so that the order of
// the examples does not change the result by a bit.
func (s *Space[T]) logLikelihood(h *Hypothesis[T], data []T) float64 {
	in := 0.
	for _, x := range data {
		if h.Has(x) {
			in++
		}
	}
	mistaken := s.Noise / max(s.Objects, 1)
	log := in * math.Log((1-s.Noise)/h.Size+mistaken)
	if out := float64(len(data)) - in; out > 0 {
		log += out * math.Log(mistaken)
	}
	return log
}

// Predict returns the posterior predictive p(x∈C|D), averaged over the hypotheses.
func (p *Posterior[T]) Predict(x T) float64 {
	in, out := 0.0, 0.0
	for i := range p.hypotheses {
		if p.hypotheses[i].Has(x) {
			in += p.Prob[i]
		} else {
			out += p.Prob[i]
		}
	}
	return in / (in + out)
}
