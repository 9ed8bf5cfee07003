package model

import (
	"math"
	"slices"

	"github.com/polya-classifier/polya/store/count"
)

// Shorter ways to the scores of the models that are asked for most. They differ from the
// long ones by rounding.

// quick returns a Scorer that is quicker than sum, where there is one.
func quick(sum additive) Scorer {
	switch of := sum.of.(type) {
	case *multinomialScorer:
		if of.logs.alpha > 0 {
			return quickMultinomial{sum, of, math.Log(of.logs.alpha)}
		}
	case *bernoulliScorer:
		if of.no.alpha > 0 && of.yes.alpha > 0 {
			return quickBernoulli{sum, of, make([]absenceLogs, len(of.classes))}
		}
	case *backgroundScorer:
		if of.count == normalisedCounts {
			return newQuickNormalised(sum, of)
		}
	}
	return sum
}

type quickMultinomial struct {
	additive
	s   *multinomialScorer
	log float64 // of α: log θ + log(N_c + αV) of a term that a class lacks, whichever it is
}

// Score implements Scorer.
func (q quickMultinomial) Score(e *Evidence, scores []float64) {
	sumContributions(q, e, scores, new(contributions))
}

func (q quickMultinomial) weights() *countWeights { return q.s.weight }

func (q quickMultinomial) contribute(row *Row, memory *contributions) {
	list := memory.of(row.Cells)
	for k := range row.Cells {
		cell := &row.Cells[k]
		list[k] = contribution{cell.Class, q.s.logOf(cell) - q.log}
	}
}

func (q quickMultinomial) conclude(_ *Evidence, sums []float64, total float64) {
	for c := range sums {
		sums[c] += total * q.s.lacks[c]
	}
}

type quickBernoulli struct {
	additive
	s *bernoulliScorer

	// fewer has, by class, the logarithms of absence that were computed for it
	// with one document fewer.
	fewer []absenceLogs
}

// Without implements Incremental: of the other classes, only what the vocabulary has lost changes.
func (q quickBernoulli) Without(left Totals, class int) Scorer {
	s := *q.s
	s.classes = slices.Clone(s.classes)
	s.vocabulary = left.Vocabulary
	lost := float64(q.s.vocabulary - left.Vocabulary)
	for c := range s.classes {
		k := &s.classes[c]
		if c == class {
			*k = newBernoulliClass(left.Classes[c], left.Vocabulary, s.yes.alpha, s.no.alpha, &q.fewer[c])
		} else if lost > 0 {
			k.absent -= lost * math.Log1p(-s.yes.alpha/(float64(k.docs)+s.yes.alpha+s.no.alpha))
		}
	}
	return quickBernoulli{additive{of: &s}, &s, nil}
}

// Score implements Scorer.
func (q quickBernoulli) Score(e *Evidence, scores []float64) {
	sumContributions(q, e, scores, new(contributions))
}

func (q quickBernoulli) weights() *countWeights { return &weightsOne }

func (q quickBernoulli) contribute(row *Row, memory *contributions) {
	list := memory.of(row.Cells)
	for k := range row.Cells {
		cell := &row.Cells[k]
		list[k] = contribution{cell.Class, q.present(cell)}
	}
}

// present is what a term says that a class has, beyond what it says if it has not.
func (q quickBernoulli) present(cell *count.Cell) float64 {
	class := &q.s.classes[cell.Class]
	return q.s.yes.at(cell.DF) - q.s.no.at(class.docs-cell.DF) - class.lacks
}

func (q quickBernoulli) conclude(_ *Evidence, sums []float64, total float64) {
	for c := range sums {
		sums[c] += q.s.classes[c].absent + total*q.s.classes[c].lacks
	}
}

type quickNormalised struct {
	additive
	s    *backgroundScorer
	keep []float64 // by class: what a unit of weight over a background of 1 adds to 1
}

func newQuickNormalised(sum additive, s *backgroundScorer) quickNormalised {
	q := quickNormalised{additive: sum, s: s, keep: make([]float64, len(s.keep))}
	for c := range q.keep {
		q.keep[c] = weightUnit * s.keep[c] / s.mixed[c]
	}
	return q
}

// Score implements Scorer.
func (q quickNormalised) Score(e *Evidence, scores []float64) {
	sumContributions(q, e, scores, new(contributions))
}

func (q quickNormalised) weights() *countWeights { return &weightsLog }

func (q quickNormalised) contribute(row *Row, memory *contributions) {
	list, bg := memory.of(row.Cells), 1/q.s.bg.at(row.DF)
	for k := range row.Cells {
		cell := &row.Cells[k]
		list[k] = contribution{cell.Class, quickLog(1 + q.keep[cell.Class]*float64(cell.W)*bg)}
	}
}

func (q quickNormalised) conclude(e *Evidence, sums []float64, total float64) {
	unit := q.unit(e)
	for c := range sums {
		sums[c] = (sums[c] + total*q.s.lacks[c]) * unit
	}
}
