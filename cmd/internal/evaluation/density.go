package evaluation

import (
	"math"

	"github.com/polya-classifier/polya/classify/model"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

const densityBins = 48

// densities returns the distributions of the terms' log-probabilities in two classes.
// Only the terms' frequencies matter, so terms are first counted by their pair of
// frequencies: a vocabulary has few distinct pairs.
func densities(s *store.Snapshot, classes []*count.Class) (*Densities, error) {
	pairs := map[[2]uint64]float64{} // number of terms by their frequencies in the two classes
	err := s.Scan(false, func(term []byte, cells []count.Cell) error {
		if count.OfChannel(term) {
			return nil
		}
		var tf [2]uint64
		for _, cell := range cells {
			tf[cell.Class] = cell.TF
		}
		pairs[tf]++
		return nil
	})
	if err != nil || len(pairs) == 0 {
		return nil, err
	}
	alpha, vocabulary := model.DefaultMultinomialAlpha, float64(s.Vocabulary())
	logTheta := func(c int, tf uint64) float64 {
		return math.Log((float64(tf) + alpha) / (float64(classes[c].Tokens) + alpha*vocabulary))
	}
	var probability, ratio weighted
	for tf, terms := range pairs {
		x := [2]float64{logTheta(0, tf[0]), logTheta(1, tf[1])}
		for c := range classes {
			if tf[c] == 0 {
				continue
			}
			probability.add(c, x[c], terms)
			ratio.add(c, x[1]-x[0], terms*float64(tf[c]))
		}
	}
	return &Densities{Probability: probability.histograms(classes), Ratio: ratio.histograms(classes)}, nil
}

// weighted holds the values of two classes and their weights: whole numbers, so that sums
// do not depend on the order.
type weighted struct {
	values, weights [2][]float64
	low, high       float64
	any             bool
}

func (w *weighted) add(c int, value, weight float64) {
	w.values[c], w.weights[c] = append(w.values[c], value), append(w.weights[c], weight)
	if !w.any {
		w.low, w.high, w.any = value, value, true
	}
	w.low, w.high = min(w.low, value), max(w.high, value)
}

func (w *weighted) histograms(classes []*count.Class) DensityPair {
	low, width := w.low, (w.high-w.low)/densityBins
	if width == 0 {
		low, width = low-.5, 1./densityBins
	}
	var pair DensityPair
	for b := range densityBins + 1 {
		pair.Edges = append(pair.Edges, low+float64(b)*width)
	}
	for c, class := range classes {
		bars, sum := make([]float64, densityBins), 0.
		for i, x := range w.values[c] {
			b := min(int((x-low)/width), densityBins-1)
			bars[b] += w.weights[c][i]
			sum += w.weights[c][i]
		}
		for b := range bars {
			if sum > 0 {
				bars[b] /= sum * width
			}
		}
		pair.Classes = append(pair.Classes, Density{class.Name, bars})
	}
	return pair
}
