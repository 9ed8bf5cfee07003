package classify

import (
	"github.com/polya-classifier/polya/classify/calibration"
	"github.com/polya-classifier/polya/classify/internal/fit"
	"github.com/polya-classifier/polya/internal/numeric"
)

// halfFits are the weights and biases fitted to each half of a sample, and the shrinkage
// of their answers for the other half.
type halfFits struct {
	fits      [2]weighing
	shrinkage fit.Shrinkage
}

// weighing turns the scores of components into scores of classes.
type weighing struct{ weights, bias []float64 }

// crossFit fits each half of the sample. seen is Shrinkage.Seen.
func crossFit(s sample, byDefault []float64, seen int) *halfFits {
	h := halfFits{shrinkage: fit.Shrinkage{Seen: seen}}
	first, second := &h.fits[0], &h.fits[1]
	first.weights, first.bias = s.Half(0).Weights(byDefault)
	second.weights, second.bias = s.Half(1).WeightsNear(byDefault, first.weights, first.bias)
	var scale fit.Scale
	h.each(s, func(_ *scored, scores, _ []float64) { scale.Add(scores) })
	h.shrinkage.Variance = scale.Variance()
	var answers fit.Answers
	h.each(s, func(d *scored, scores, _ []float64) { answers.Add(scores, d.position(d.label), s.Flips) })
	h.shrinkage.Floor = answers.Floor()
	return &h
}

// crossFitted is stack i with its fits to the halves of the sample.
type crossFitted struct {
	*looScores
	i   int
	all sample // of all documents
	*halfFits
}

func (x crossFitted) withShrinkage(by fit.Shrinkage) crossFitted {
	x.halfFits = &halfFits{x.fits, by}
	return x
}

// each calls f with the documents of each half of the sample, the scores of all classes
// with the fit to the other half, and the probabilities of the classes given its label
// too: 1 for that if no label is wrong. The slices are valid only during the call.
func (h *halfFits) each(s sample, f func(doc *scored, scores, truth []float64)) {
	truth := make([]float64, s.Classes)
	for half, w := range h.fits {
		s.each(w, 1-half, 2, func(doc *scored, label int, scores []float64) {
			h.shrinkage.Apply(scores, doc.known)
			s.truth(truth, label, scores)
			f(doc, scores, truth)
		})
	}
}

// truth sets dst to the probabilities of the classes of a document with this label.
func (s sample) truth(dst []float64, label int, scores []float64) {
	if s.Flips == nil {
		clear(dst)
		dst[label] = 1
		return
	}
	numeric.Softmax(dst, scores)
	s.Flips.Truth(dst, label)
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

// shrinkageOf returns the shrinkage of the answers of a model, none if it was not fitted.
func shrinkageOf(m *calibration.Model) fit.Shrinkage {
	if m == nil {
		return fit.Shrinkage{}
	}
	return fit.Shrinkage{Variance: m.Variance, Floor: fit.Floor(m.Floor), Seen: m.Seen}
}
