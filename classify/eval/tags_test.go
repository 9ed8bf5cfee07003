package eval

import (
	"math"
	"testing"
)

// The figures are computed by hand from the definitions in scikit-learn's user guide, section
// "Classification metrics": precision, recall and F1 of averages "micro" and "macro" with
// zero_division=0 over label indicators, accuracy_score as the share of exact sets, and log_loss
// of each column, clipped at the machine's epsilon.
func TestTagged(t *testing.T) {
	var r Tagged
	r.Add([]string{"a", "b"}, []string{"a"}, map[string]float64{"a": .9, "b": .4, "c": .1})
	r.Add([]string{"a"}, []string{"a", "c"}, map[string]float64{"a": .8, "b": .1, "c": .6})
	r.Add(nil, nil, map[string]float64{"a": .2, "b": .3, "c": .1, "never": .5})
	r.Add([]string{"b"}, []string{"b"}, map[string]float64{"a": 1, "c": 0}) // b was not known
	m := r.Measures()
	near(t, "micro F1", m.MicroF1, 3./4) // right 3, said 4, to be said 4
	near(t, "precision", m.Precision, 3./4)
	near(t, "recall", m.Recall, 3./4)
	near(t, "macro F1", m.MacroF1, (1+2./3+0)/3) // without "never"
	near(t, "exact", m.Exact, 2./4)
	worst := 52 * math.Ln2
	losses := []float64{
		-(math.Log(.9) + math.Log(.8) + math.Log(.8) - worst) / 4,
		-(math.Log(.4) + math.Log(.9) + math.Log(.7) - worst) / 4,
		-(math.Log(.9) + math.Log(.4) + math.Log(.9) + math.Log1p(-Epsilon)) / 4,
		-math.Log(.5) / 4,
	}
	sum := 0.0
	for i, c := range m.Tags {
		near(t, "log loss of "+c.Tag, c.LogLoss, losses[i])
		sum += losses[i]
	}
	near(t, "log loss", m.LogLoss, sum/4)
	if b, c := m.Tags[1], m.Tags[2]; b.Tag != "b" || b.Docs != 2 || b.Said != 1 || b.Right != 1 || c.Precision() != 0 || c.Recall() != 0 || c.F1() != 0 {
		t.Errorf("%+v, %+v", b, c)
	}
	if m := new(Tagged).Measures(); m.MicroF1 != 0 || m.MacroF1 != 0 || m.Exact != 0 || m.LogLoss != 0 {
		t.Errorf("of nothing: %+v", m)
	}
}
