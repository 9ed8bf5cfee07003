package classify

import (
	"math"

	"github.com/polya-classifier/polya/classify/model"
	"github.com/polya-classifier/polya/store/count"
)

// likelihood is a caller's model: the multinomial of maximum likelihood, by which a class
// that lacks a term of a document is impossible.
type likelihood struct{}

func (likelihood) Name() string { return "likelihood" }

func (likelihood) Prepare(t model.Totals) model.Scorer { return likelihoodScorer(t.Classes) }

type likelihoodScorer []*count.Class

func (s likelihoodScorer) Score(e *model.Evidence, scores []float64) {
	x := model.NewContributions(e, len(s))
	s.Explain(e, 1, x)
	clear(scores)
	for _, row := range x.Rows {
		for c := range scores {
			scores[c] += row[c]
		}
	}
}

func (s likelihoodScorer) Explain(e *model.Evidence, weight float64, x *model.Contributions) {
	for i := range e.Rows {
		for c := range s {
			x.Rows[i][c] = math.Inf(-1)
		}
		for _, cell := range e.Rows[i].Cells {
			x.Rows[i][cell.Class] = weight * float64(e.Rows[i].X) * math.Log(float64(cell.TF)/float64(s[cell.Class].Tokens))
		}
	}
}
