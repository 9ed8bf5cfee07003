package classify

import (
	"github.com/polya-classifier/polya/classify/calibration"
	"github.com/polya-classifier/polya/classify/internal/fit"
)

// halfFits are the weights and biases fitted to each half of a sample, and the moderation
// of their answers for the other half.
type halfFits struct {
	fits       [2]weighing
	moderation fit.Moderation
}

// weighing turns the scores of components into scores of classes.
type weighing struct{ weights, bias []float64 }

// crossFit fits each half of the sample.
func crossFit(s sample, byDefault []float64) *halfFits {
	var h halfFits
	first, second := &h.fits[0], &h.fits[1]
	first.weights, first.bias = s.Half(0).Weights(byDefault)
	second.weights, second.bias = s.Half(1).WeightsNear(byDefault, first.weights, first.bias)
	var scale fit.Scale
	h.each(s, func(_ *scored, _ int, scores []float64) { scale.Add(scores) })
	h.moderation.Variance = scale.Variance()
	var answers fit.Answers
	h.each(s, func(_ *scored, label int, scores []float64) { answers.Add(scores, label) })
	h.moderation.Floor = answers.Floor()
	return &h
}

// each calls f with the documents of each half of the sample, their classes, and the
// scores of all classes with the fit to the other half. The scores are valid only during
// the call.
func (h *halfFits) each(s sample, f func(doc *scored, label int, scores []float64)) {
	for half, w := range h.fits {
		s.each(w, 1-half, 2, func(doc *scored, label int, scores []float64) {
			h.moderation.Apply(scores)
			f(doc, label, scores)
		})
	}
}

// each calls f with every so many documents of the sample, from the one of index first on,
// their classes, and the scores of all classes, which are valid only during the call.
func (s sample) each(w weighing, first, every int, f func(doc *scored, label int, scores []float64)) {
	scores := make([]float64, s.Classes)
	for d := first; d < len(s.Labels); d += every {
		s.Weigh(scores, d, w.weights, w.bias)
		f(&s.docs[d], s.Labels[d], scores)
	}
}

// moderationOf returns the moderation of the answers of a model that was fitted.
func moderationOf(m *calibration.Model) fit.Moderation {
	return fit.Moderation{Variance: m.Variance, Floor: fit.Floor(m.Floor)}
}
