package smoothing

import (
	"math"
	"testing"

	"github.com/polya-classifier/polya/classify/model"
	"github.com/polya-classifier/polya/store/count"
)

// A class of "x x x y" and one of "y z", each word in a document of its own. The probabilities of all
// words sum to 1, and that of y in the first class is what its formula says by hand: bg is
// (2 + .01) / (6 + .03) of y with document frequencies 3, 2 and 1.
func TestThetas(t *testing.T) {
	classes := []*count.Class{
		{Docs: 4, Tokens: 4, Terms: 2, Frequencies: []count.Pair{{N: 1, Count: 1}, {N: 3, Count: 1}}},
		{Docs: 2, Tokens: 2, Terms: 2, Frequencies: []count.Pair{{N: 1, Count: 2}}},
	}
	rows := []model.Row{
		{X: 1, DF: 3, Cells: []count.Cell{{Class: 0, DF: 3, TF: 3}}},
		{X: 1, DF: 2, Cells: []count.Cell{{Class: 0, DF: 1, TF: 1}, {Class: 1, DF: 1, TF: 1}}},
		{X: 1, DF: 1, Cells: []count.Cell{{Class: 1, DF: 1, TF: 1}}},
	}
	const bg = 2.01 / 6.03
	for name, want := range map[string]float64{
		"multinomial:ml": 1. / 4, "multinomial:binary,ml": 1. / 4, "multinomial:alpha=1": 2. / 7, "multinomial:m=6": 3. / 10,
		"multinomial:jm=0.5": .5/4 + .5*bg, "multinomial:dirichlet=2": (1 + 2*bg) / 6, "multinomial:discount=0.5": .5/4 + .5*2/4*bg,
	} {
		m, ok := Parse(name)
		if !ok || m.Name() != name {
			t.Fatalf("%s is not read", name)
		}
		s, sums := m.Prepare(model.Totals{Classes: classes, Documents: 6, Vocabulary: 3}), []float64{0, 0}
		for i := range rows {
			scores := make([]float64, 2)
			s.Score(&model.Evidence{Rows: rows[i : i+1]}, scores)
			sums[0], sums[1] = sums[0]+math.Exp(scores[0]), sums[1]+math.Exp(scores[1])
			if p := math.Exp(scores[0]); i == 1 && math.Abs(p-want) > 1e-12 {
				t.Errorf("%s: %v, want %v", name, p, want)
			}
		}
		if math.Abs(sums[0]-1) > 1e-12 || math.Abs(sums[1]-1) > 1e-12 {
			t.Errorf("%s: probabilities sum to %v", name, sums)
		}
	}
	for _, name := range []string{"multinomial", "bernoulli:ml", "multinomial:ml=1", "multinomial:m", "multinomial:jm=2", "multinomial:alpha=-1", "multinomial:x=1", "multinomial:"} {
		if _, ok := Parse(name); ok {
			t.Errorf("%s is read", name)
		}
	}
}
