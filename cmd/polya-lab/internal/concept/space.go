package concept

import (
	"errors"
	"fmt"
	"math"
)

// Hypothesis is one set of objects that a concept could be.
type Hypothesis[T any] struct {
	// Name is for people; it need not be unique.
	Name string

	// Size is |h|, the number of objects in the set, positive and finite.
	Size float64

	// Has reports whether an object is in the set.
	Has func(T) bool
}

// Space is a set of hypotheses with a prior. Its methods only read it.
type Space[T any] struct {
	Hypotheses []Hypothesis[T]

	// LogPrior is log p(h) by hypothesis, up to an additive constant; -Inf excludes a
	// hypothesis. Nil is the uniform prior.
	LogPrior []float64

	// Noise is ε in [0, 1), the probability that an example is drawn from all objects.
	Noise float64

	// Objects is N, the number of existing objects, at least the size of every hypothesis.
	// Only Noise needs it.
	Objects float64
}

// ErrNoFit is returned when no hypothesis that the prior allows holds all
// examples. It does not happen with Noise.
var ErrNoFit = errors.New("concept: no hypothesis holds all examples")

// check returns an error if the space is invalid.
func (s *Space[T]) check() error {
	if len(s.Hypotheses) == 0 {
		return errors.New("concept: no hypotheses")
	}
	if s.LogPrior != nil && len(s.LogPrior) != len(s.Hypotheses) {
		return fmt.Errorf("concept: %d hypotheses and %d prior probabilities", len(s.Hypotheses), len(s.LogPrior))
	}
	if !(s.Noise >= 0 && s.Noise < 1) {
		return fmt.Errorf("concept: noise of %v, want at least 0 and less than 1", s.Noise)
	}
	for i := range s.Hypotheses {
		if err := s.checkSize(&s.Hypotheses[i]); err != nil {
			return err
		}
	}
	some := len(s.LogPrior) == 0
	for i, p := range s.LogPrior {
		if math.IsNaN(p) || math.IsInf(p, 1) {
			return fmt.Errorf("concept: hypothesis %q has a log prior of %v", s.Hypotheses[i].Name, p)
		}
		some = some || !math.IsInf(p, -1)
	}
	if !some {
		return errors.New("concept: the prior leaves out every hypothesis")
	}
	return nil
}

func (s *Space[T]) checkSize(h *Hypothesis[T]) error {
	switch {
	case !(h.Size > 0) || math.IsInf(h.Size, 1):
		return fmt.Errorf("concept: hypothesis %q has size %v, want a positive number", h.Name, h.Size)
	case s.Noise > 0 && (!(s.Objects >= h.Size) || math.IsInf(s.Objects, 1)):
		return fmt.Errorf("concept: hypothesis %q has %v of %v objects", h.Name, h.Size, s.Objects)
	}
	return nil
}

// logPrior returns log p(h) by hypothesis, normalised.
func (s *Space[T]) logPrior() []float64 {
	prior := make([]float64, len(s.Hypotheses))
	copy(prior, s.LogPrior)
	normalise(prior)
	return prior
}

// logLikelihood returns log p(D|h). It counts before it multiplies, so that the order of
// the examples does not change the result by a bit.
func (s *Space[T]) logLikelihood(h *Hypothesis[T], data []T) float64 {
	in := 0
	for _, x := range data {
		if h.Has(x) {
			in++
		}
	}
	out := len(data) - in
	if s.Noise == 0 {
		if out > 0 {
			return math.Inf(-1)
		}
		return -float64(in) * math.Log(h.Size)
	}
	log := float64(in) * math.Log((1-s.Noise)/h.Size+s.Noise/s.Objects)
	if out > 0 {
		log += float64(out) * (math.Log(s.Noise) - math.Log(s.Objects))
	}
	return log
}
