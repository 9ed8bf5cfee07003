package model

import (
	"math"

	"github.com/polya-classifier/polya/store/count"
)

// background is bg, the smoothed share of each term in the document frequencies of all
// classes.
type background struct {
	total float64 // Σ_t (DF_t + .01)
}

// backgroundAdded is added to each document frequency in bg: little, since every term of
// the vocabulary has a document.
const backgroundAdded = 0.01

func newBackground(t Totals) background {
	b := background{backgroundAdded * float64(max(t.Vocabulary, 1))}
	for _, class := range t.Classes {
		b.total += sumFrequencies(class)
	}
	return b
}

func (b background) at(df uint64) float64 { return (float64(df) + backgroundAdded) / b.total }

// backgroundScorer scores by the ratio of a smoothed probability to the
// background,
//
//	Σ_t x_t log(θ_ct / bg_t) = Σ_t x_t log(λ_c + keep_c max(n_ct - δ, 0)/bg_t)
//
// which is the log-likelihood less Σ_t x_t log bg_t, the same for all classes: so a term
// that the class lacks contributes x log λ_c whatever its row.
type backgroundScorer struct {
	count  Count
	bg     background
	delta  float64
	mixed  []float64 // λ_c, by class
	keep   []float64
	lacks  []float64 // log λ_c
	weight *countWeights
}

// newBackgroundScorer prepares for a smoothing with background. A class without counts
// has λ = 1: only the background.
func newBackgroundScorer(t Totals, count Count, smoothing Smoothing) *backgroundScorer {
	classes := len(t.Classes)
	s := &backgroundScorer{
		count: count, bg: newBackground(t), weight: count.weights(),
		mixed: make([]float64, classes), keep: make([]float64, classes), lacks: make([]float64, classes),
	}
	if smoothing.method == byDiscount {
		s.delta = smoothing.amount * count.once()
	}
	for c, class := range t.Classes {
		s.mixed[c] = 1
		if total := count.total(class); total > 0 {
			s.mixed[c], s.keep[c] = s.mix(smoothing, total, float64(class.Terms))
		}
		s.lacks[c] = math.Log(s.mixed[c])
	}
	return s
}

// mix returns λ_c and keep_c of a class with this total and number of terms.
func (s *backgroundScorer) mix(smoothing Smoothing, total, terms float64) (mixed, keep float64) {
	switch smoothing.method {
	case byDirichlet:
		return smoothing.amount / (total + smoothing.amount), 1 / (total + smoothing.amount)
	case byDiscount:
		return s.delta * terms / total, 1 / total
	}
	return smoothing.amount, (1 - smoothing.amount) / total
}

func (s *backgroundScorer) base(int, *Evidence) float64 { return 0 }

func (s *backgroundScorer) missing(c, x int) float64 { return s.weight[x] * s.lacks[c] }

func (s *backgroundScorer) term(row *Row, cell *count.Cell) float64 {
	n := max(s.count.of(cell)-s.delta, 0)
	c := cell.Class
	return s.weight[row.X] * math.Log(s.mixed[c]+s.keep[c]*n/s.bg.at(row.DF))
}
