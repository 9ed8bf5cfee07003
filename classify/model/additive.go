package model

import "github.com/polya-classifier/polya/store/count"

// additive scores by a sum over the terms of the document. For a document with
// known terms t that occur x_t times, the score of class c is
//
//	base(c, e) + Σ_t term(x_t, cell, row)   over terms that c has
//	           + Σ_t missing(c, x_t)        over terms that c lacks
//
// so that a document is scored in O(distinct terms × classes that have them).
type additive struct{ of parts }

// parts computes the summands of an additive score.
type parts interface {
	// base returns the part that depends only on the document's length.
	base(c int, e *Evidence) float64

	// missing returns the part of a term that occurs x times and that class c lacks.
	missing(c, x int) float64

	// term returns the part of the row's term in class cell.Class.
	term(row *Row, cell *count.Cell) float64
}

// Score implements Scorer. The part of missing terms is summed once, by the number of
// occurrences, for all classes that lack a term.
func (s additive) Score(e *Evidence, scores []float64) {
	clear(scores)
	for i := range e.Rows {
		row := &e.Rows[i]
		for k := range row.Cells {
			cell := &row.Cells[k]
			scores[cell.Class] += s.of.term(row, cell) - s.of.missing(cell.Class, row.X)
		}
	}
	for c := range scores {
		for _, x := range e.occurs {
			scores[c] += float64(e.counts[x]) * s.of.missing(c, x)
		}
		scores[c] += s.of.base(c, e)
	}
}

// Explain implements Scorer.
func (s additive) Explain(e *Evidence, weight float64, x *Contributions) {
	one := make([]float64, len(x.Start))
	for i := range e.Rows {
		row := &e.Rows[i]
		for c := range one {
			one[c] = s.of.missing(c, row.X)
		}
		for k := range row.Cells {
			one[row.Cells[k].Class] = s.of.term(row, &row.Cells[k])
		}
		addTimes(x.Rows[i], one, weight)
	}
}
