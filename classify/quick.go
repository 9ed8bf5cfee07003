package classify

import (
	"math"
	"slices"
)

// This file has shorter ways to the scores of the models that are asked for most.
// They differ from the long ones by rounding.

// quickScorer returns a Scorer for model that is quicker than that of Prepare
// where there is one.
func quickScorer(model EventModel, t Totals) Scorer {
	scorer := model.Prepare(t)
	sum, ok := scorer.(additive)
	if !ok {
		return scorer
	}
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
	return scorer
}

type quickMultinomial struct {
	additive
	s   *multinomialScorer
	log float64 // of α: log θ + log(N_c + αV) of a term that a class lacks, whichever it is
}

// Score implements Scorer.
func (q quickMultinomial) Score(e *Evidence, scores []float64) {
	s, total := q.s, 0.0
	clear(scores)
	for i := range e.Rows {
		row := &e.Rows[i]
		weight := s.weight[row.X]
		total += weight
		for k := range row.Cells {
			cell := &row.Cells[k]
			scores[cell.Class] += weight * (s.logOf(cell) - q.log)
		}
	}
	for c := range scores {
		scores[c] += total * s.lacks[c]
	}
}

type quickBernoulli struct {
	additive
	s *bernoulliScorer

	// fewer has, by class, the logarithms of absence that were computed for it
	// with one document fewer.
	fewer []absenceLogs
}

// without is the Scorer for totals from which a document of one class was taken:
// of the other classes, only what the vocabulary has lost changes.
func (q quickBernoulli) without(left Totals, class int) Scorer {
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
	s, n := q.s, float64(len(e.Rows))
	for c := range scores {
		scores[c] = s.classes[c].absent + n*s.classes[c].lacks
	}
	for i := range e.Rows {
		cells := e.Rows[i].Cells
		for k := range cells {
			c, df := cells[k].Class, cells[k].DF
			class := &s.classes[c]
			scores[c] += s.yes.at(df) - s.no.at(class.docs-df) - class.lacks
		}
	}
}

type quickNormalised struct {
	additive
	keep  []float64 // by class: what a unit of weight over a background of 1 adds to 1
	lacks []float64
}

func newQuickNormalised(sum additive, s *backgroundScorer) quickNormalised {
	q := quickNormalised{additive: sum, keep: make([]float64, len(s.keep)), lacks: s.lacks}
	for c := range q.keep {
		q.keep[c] = weightUnit * s.keep[c] / s.mixed[c]
	}
	return q
}

// Score implements Scorer.
func (q quickNormalised) Score(e *Evidence, scores []float64) {
	clear(scores)
	s := q.of.(*backgroundScorer)
	total := 0.0
	for i := range e.Rows {
		row := &e.Rows[i]
		weight, bg := logs1[row.X], 1/s.bg.at(row.DF)
		total += weight
		for k := range row.Cells {
			cell := &row.Cells[k]
			scores[cell.Class] += weight * quickLog(1+q.keep[cell.Class]*float64(cell.W)*bg)
		}
	}
	unit := q.unit(e)
	for c := range scores {
		scores[c] = (scores[c] + total*q.lacks[c]) * unit
	}
}
