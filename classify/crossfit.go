package classify

import "github.com/polya-classifier/polya/classify/internal/fit"

// halfFits are the weights and biases that were fitted to each half of a sample, and the
// floor of the answers that each gives for the other half.
type halfFits struct {
	fits  [2]weighing
	floor fit.Floor
}

// weighing turns the scores of the components into those of the classes.
type weighing struct{ weights, bias []float64 }

// crossFit fits each half of the sample.
func crossFit(s sample, byDefault []float64) *halfFits {
	var h halfFits
	first, second := &h.fits[0], &h.fits[1]
	first.weights, first.bias = s.Half(0).Weights(byDefault)
	second.weights, second.bias = s.Half(1).WeightsNear(byDefault, first.weights, first.bias)
	var answers fit.Answers
	h.each(s, func(_ *scored, label int, scores []float64) { answers.Add(scores, label) })
	h.floor = answers.Floor()
	return &h
}

// each calls f with the documents of each half of the sample, their classes, and the scores
// of all classes by what was fitted to the other half. The scores are valid only during the
// call.
func (h *halfFits) each(s sample, f func(doc *scored, label int, scores []float64)) {
	for half, w := range h.fits {
		s.half(1-half).each(w, func(doc *scored, label int, scores []float64) {
			h.floor.Apply(scores)
			f(doc, label, scores)
		})
	}
}

// each calls f with the documents of the sample, their classes, and the scores of all
// classes, which are valid only during the call.
func (s sample) each(w weighing, f func(doc *scored, label int, scores []float64)) {
	scores := make([]float64, s.Classes)
	for d, label := range s.Labels {
		s.Weigh(scores, d, w.weights, w.bias)
		f(&s.docs[d], label, scores)
	}
}
