package model

import (
	"math"

	"github.com/polya-classifier/polya/store/count"
)

// additive scores by a sum over the terms of the document. For a document with
// known terms t that occur x_t times, the score of class c is
//
//	base(c, e) + unit × (Σ_t term(x_t, cell, row)   over terms that c has
//	                   + Σ_t missing(c, x_t))       over terms that c lacks
//
// so that a document is scored in O(distinct terms × classes that have them).
type additive struct {
	of parts

	// normed divides the sum by the document's length ‖log(1+x)‖₂.
	normed bool
}

// parts computes the summands of an additive score.
type parts interface {
	// base returns the part that depends only on the document's length.
	base(c int, e *Evidence) float64

	// missing returns the part of a term that occurs x times and that class c lacks. It may
	// be -Inf.
	missing(c, x int) float64

	// term returns the part of the row's term in class cell.Class.
	term(row *Row, cell *count.Cell) float64
}

func (s additive) unit(e *Evidence) float64 {
	if s.normed {
		return 1 / e.norm()
	}
	return 1
}

// Score implements Scorer. The part of missing terms is summed once, by the number of
// occurrences, for all classes that lack a term.
func (s additive) Score(e *Evidence, scores []float64) {
	clear(scores)
	for i := range e.Rows {
		row := &e.Rows[i]
		for k := range row.Cells {
			cell := &row.Cells[k]
			if m := s.of.missing(cell.Class, row.X); !math.IsInf(m, -1) {
				scores[cell.Class] += s.of.term(row, cell) - m
			}
		}
	}
	unit := s.unit(e)
	for c := range scores {
		for _, x := range e.occurs {
			scores[c] += float64(e.counts[x]) * s.of.missing(c, x)
		}
		if math.IsInf(scores[c], -1) {
			scores[c] = s.sum(e, c)
		}
		scores[c] = scores[c]*unit + s.of.base(c, e)
	}
}

// sum returns the sum over the terms for a class in which a missing term has -Inf:
// without differences, which would be NaN.
func (s additive) sum(e *Evidence, c int) float64 {
	var sum float64
	for i := range e.Rows {
		sum += s.part(&e.Rows[i], c)
	}
	return sum
}

// part returns the summand of a row in class c.
func (s additive) part(row *Row, c int) float64 {
	for k := range row.Cells {
		if row.Cells[k].Class == c {
			return s.of.term(row, &row.Cells[k])
		}
	}
	return s.of.missing(c, row.X)
}

// Explain implements Scorer.
func (s additive) Explain(e *Evidence, weight float64, x *Contributions) {
	unit, one := s.unit(e), make([]float64, len(x.Start))
	for i := range e.Rows {
		row := &e.Rows[i]
		for c := range one {
			one[c] = s.of.missing(c, row.X) * unit
		}
		for k := range row.Cells {
			one[row.Cells[k].Class] = s.of.term(row, &row.Cells[k]) * unit
		}
		addTimes(x.Rows[i], one, weight)
	}
}
