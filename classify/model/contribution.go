package model

import (
	"github.com/polya-classifier/polya/store/count"
)

// contribution is what a term by itself adds to the score of a class, but for a weight
// by how often the document has the term.
type contribution struct {
	class int
	value float64
}

// contributions is memory for those of one term.
type contributions struct {
	list []contribution
	has  []bool // by class, all false
}

// of makes room for one of each cell.
func (m *contributions) of(cells []count.Cell) []contribution {
	if cap(m.list) < len(cells) {
		m.list = make([]contribution, 2*len(cells))
	}
	m.list = m.list[:len(cells)]
	return m.list
}

// contributor is a Scorer whose scores are sums of contributions and a rest.
type contributor interface {
	Scorer

	// weights are what the contributions are weighed with, by occurrences.
	weights() *countWeights

	// contribute sets memory to the contributions of a term.
	contribute(row *Row, memory *contributions)

	// conclude turns the weighed sums by class into scores. The weights of all terms
	// make total, or their squares do. Of e only the numbers of occurrences are read.
	conclude(e *Evidence, sums []float64, total float64)
}

// squared is a contributor that divides by the length of a vector of the terms: its total
// is that of the squares, weighed with weightsLogSquared.
type squared interface {
	contributor
	square(row *Row) float64
}

// sumContributions sets scores to those of s.
func sumContributions(s contributor, e *Evidence, scores []float64, memory *contributions) {
	clear(scores)
	weights, total := s.weights(), 0.0
	square, _ := s.(squared)
	lists := [...][]Row{e.Rows, e.Channel}
	if square == nil {
		lists[1] = nil
	}
	for _, rows := range lists {
		for i := range rows {
			row := &rows[i]
			weight := weights[row.X]
			if square == nil {
				total += weight
			} else {
				total += weightsLogSquared[row.X] * square.square(row)
			}
			s.contribute(row, memory)
			for _, one := range memory.list {
				scores[one.class] += weight * one.value
			}
		}
	}
	s.conclude(e, scores, total)
}
