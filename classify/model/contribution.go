package model

import (
	"github.com/polya-classifier/polya/classify/internal/layer"
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

// contributor computes the contributions of terms.
type contributor interface {
	// contribute sets memory to the contributions of a term.
	contribute(row *Row, memory *contributions)
}

// summed is a Scorer by contributions v of terms, with the score
//
//	unit × (absent_c + Σ_t l_t (lacks_c + v_tc))
type summed struct {
	contributor
	weights *countWeights // l
	lacks   []float64     // by class; nil for 0

	absent func(class int, e *Evidence) float64 // nil for 0

	// unit returns the unit of the score, nil for 1; total is the sum of the weights of all terms,
	// or of their squares for a Layer, twice that beside a channel. Of e only the numbers of
	// occurrences are read.
	unit func(e *Evidence, total float64) float64

	most float64 // bounds the score, which is then at least 0; 0 for no bounds
}

func (s *summed) unitOf(e *Evidence, total float64) float64 {
	if s.unit == nil {
		return 1
	}
	return s.unit(e, total)
}

// layer returns the scorer of a Layer, nil for another.
func (s *summed) layer() *layerScorer {
	l, _ := s.contributor.(*layerScorer)
	return l
}

// rows are the rows that contribute, with the number of the first among Contributions.Rows.
func (s *summed) rows(e *Evidence) (rows []Row, first int) {
	if l := s.layer(); l != nil && l.kind > 0 {
		return e.Channel, len(e.Rows)
	}
	return e.Rows, 0
}

// Score implements Scorer.
func (s *summed) Score(e *Evidence, scores []float64) { s.score(e, scores, new(contributions)) }

func (s *summed) score(e *Evidence, scores []float64, memory *contributions) {
	s.conclude(e, scores, s.sum(e, scores, memory))
}

// sum sets sums to the weighed sums of contributions by class, and returns the total weight.
func (s *summed) sum(e *Evidence, sums []float64, memory *contributions) (total float64) {
	clear(sums)
	own := s.layer()
	rows, _ := s.rows(e)
	for i := range rows {
		row, weight := &rows[i], s.weights[rows[i].X]
		if own == nil {
			total += weight
		} else {
			idf := own.idf(row)
			total += weightsLogSquared[row.X] * (idf * idf)
		}
		s.contribute(row, memory)
		for _, one := range memory.list {
			sums[one.class] += weight * one.value
		}
	}
	if own != nil && len(e.Channel) > 0 {
		total *= layer.Kinds
	}
	return total
}

// conclude turns sums into scores.
func (s *summed) conclude(e *Evidence, sums []float64, total float64) {
	unit := s.unitOf(e, total)
	for c := range sums {
		rest := 0.0
		if s.lacks != nil {
			rest = total * s.lacks[c]
		}
		if s.absent != nil {
			rest = s.absent(c, e) + rest
		}
		sums[c] = (sums[c] + rest) * unit
		if s.most > 0 {
			sums[c] = min(s.most, max(0, sums[c]))
		}
	}
}

// Explain implements Scorer. What is beyond bounds is taken from all terms alike.
func (s *summed) Explain(e *Evidence, weight float64, x *Contributions) {
	var memory contributions
	shares := make([]float64, len(x.Start))
	total := s.sum(e, shares, &memory)
	unit := s.unitOf(e, total)
	for c, sum := range shares {
		if shares[c] = weight * unit; s.most > 0 {
			shares[c] *= max(0, min(1, s.most/(unit*sum)))
		}
	}
	rows, first := s.rows(e)
	for i := range rows {
		l, values := s.weights[rows[i].X], x.Rows[first+i]
		for c, lacks := range s.lacks {
			values[c] += shares[c] * l * lacks
		}
		s.contribute(&rows[i], &memory)
		for _, one := range memory.list {
			values[one.class] += shares[one.class] * l * one.value
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
