package model

import (
	"slices"

	"github.com/polya-classifier/polya/store/count"
)

// contribution is the contribution of a term to the score of a class, before weighting by
// the term's occurrences in the document.
type contribution struct {
	class int
	value float64
}

// contributions is memory for the contributions of one term.
type contributions struct {
	list []contribution
	has  []bool // by class, all false
}

// of makes room for one contribution per cell.
func (m *contributions) of(cells []count.Cell) []contribution {
	if cap(m.list) < len(cells) {
		m.list = make([]contribution, 2*len(cells))
	}
	m.list = m.list[:len(cells)]
	return m.list
}

// contributor computes scores that are sums of contributions and a rest.
type contributor interface {
	// Explain is Scorer.Explain.
	Explain(e *Evidence, weight float64, x *Contributions)

	// weights returns the weights of contributions, by occurrences.
	weights() *countWeights

	// contribute sets memory to the contributions of a term.
	contribute(row *Row, memory *contributions)

	// conclude turns the weighed sums by class into scores. The weights of all terms
	// make total, or their squares do for a Layer. Of e only the numbers of occurrences
	// are read.
	conclude(e *Evidence, sums []float64, total float64)
}

// summed is the Scorer of a contributor.
type summed struct{ contributor }

// Score implements Scorer.
func (s summed) Score(e *Evidence, scores []float64) {
	sumContributions(s.contributor, e, scores, new(contributions))
}

// sumContributions sets scores to the scores of s.
func sumContributions(s contributor, e *Evidence, scores []float64, memory *contributions) {
	clear(scores)
	weights, total := s.weights(), 0.0
	layer, _ := s.(*layerScorer)
	lists := [...][]Row{e.Rows, e.Channel}
	if layer == nil {
		lists[1] = nil
	}
	for _, rows := range lists {
		for i := range rows {
			row := &rows[i]
			weight := weights[row.X]
			if layer == nil {
				total += weight
			} else {
				total += weightsLogSquared[row.X] * layer.square(row)
			}
			s.contribute(row, memory)
			for _, one := range memory.list {
				scores[one.class] += weight * one.value
			}
		}
	}
	s.conclude(e, scores, total)
}

// explainContributions adds the contributions of the terms to x, multiplied by weight. lacks is, by
// class, that of a term that the class lacks, which all others are increased by; nil for a Layer.
func explainContributions(s contributor, lacks []float64, e *Evidence, weight float64, x *Contributions) {
	var memory contributions
	rows := e.Rows
	if lacks == nil {
		rows = slices.Concat(e.Rows, e.Channel)
	}
	for i := range rows {
		row := &rows[i]
		times := weight * s.weights()[row.X]
		addTimes(x.Rows[i], lacks, times)
		s.contribute(row, &memory)
		for _, one := range memory.list {
			x.Rows[i][one.class] += times * one.value
		}
	}
}

// countWeights are the weights of a term in the document, by occurrences.
type countWeights [count.MaxCount + 1]float64

var weightsX, weightsLog, weightsLogSquared, weightsOne countWeights

func init() {
	for i := range weightsX {
		weightsX[i] = float64(i)
		weightsLog[i] = count.Logs[i]
		weightsLogSquared[i] = count.Logs[i] * count.Logs[i]
		weightsOne[i] = 1
	}
}

// weightUnit is the unit of count.Cell.W.
const weightUnit = 0x1p-16

// sumFrequencies returns Σ_t DF_ct.
func sumFrequencies(class *count.Class) float64 {
	var sum float64
	for _, h := range class.Frequencies {
		sum += float64(h.N) * float64(h.Count)
	}
	return sum
}
