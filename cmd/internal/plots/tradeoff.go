package plots

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/polya-classifier/polya/classify/eval"
	"github.com/polya-classifier/polya/cmd/internal/evaluation"
)

// classCurves is the largest number of classes whose curves share a figure.
const classCurves = 8

// tradeoff is the ROC of one class and model, and the operating point of the answers.
type tradeoff struct {
	name    string
	index   int
	roc     eval.ROC
	decided eval.Point
}

// curveGroup are the curves of one figure.
type curveGroup struct {
	caption string
	curves  []tradeoff
	notes   []string
}

// tradeoffSection returns s with a figure of each group of curves.
func tradeoffSection(r *evaluation.Report, figure func(string, []tradeoff) figure, s section) section {
	for _, group := range tradeoffs(r, &s.Missing) {
		s.Figures = append(s.Figures, figure(group.caption, group.curves))
		s.Notes = append(s.Notes, group.notes...)
	}
	return s
}

// tradeoffs returns the curves of all models for the positive class and, with more than
// two classes, the default model's curves of each class against all others. It appends
// the reasons for missing curves to missing.
func tradeoffs(r *evaluation.Report, missing *[]string) []curveGroup {
	var groups []curveGroup
	if r.Positive != "" {
		g := curveGroup{caption: "positive: " + printable(r.Positive)}
		for i, m := range r.Models {
			t, why := tradeoffOf(i, m, r.Positive)
			if why != "" {
				*missing = append(*missing, "No curve of "+printable(m.Name)+": "+why+".")
				continue
			}
			g.curves = append(g.curves, t)
		}
		if len(g.curves) > 0 {
			groups = append(groups, g)
		}
	}
	if len(r.Classes) == 2 && r.Positive != "" {
		return groups
	}
	if g := oneVersusRest(r, missing); len(g.curves) > 0 {
		groups = append(groups, g)
	}
	return groups
}

// oneVersusRest returns the default model's curves of each class against all others; of
// many classes only those with the largest areas above their ROC curves.
func oneVersusRest(r *evaluation.Report, missing *[]string) curveGroup {
	m := r.DefaultModel()
	if m == nil {
		return curveGroup{}
	}
	g := curveGroup{caption: printable(m.Name) + ": each class against all others"}
	for _, c := range r.Classes {
		t, why := tradeoffOf(0, m, c.Name)
		if why != "" {
			*missing = append(*missing, "No curve of the class "+printable(c.Name)+": "+why+".")
			continue
		}
		t.name = c.Name
		g.curves = append(g.curves, t)
	}
	if n := len(g.curves); n > classCurves {
		slices.SortStableFunc(g.curves, func(a, b tradeoff) int {
			return cmp.Compare(b.roc.OneMinusROCAPercent(), a.roc.OneMinusROCAPercent())
		})
		g.curves = g.curves[:classCurves]
		g.notes = []string{fmt.Sprintf("Of %d classes these are the %d with the largest areas above the ROC curve; the tables of the classes have all.", n, classCurves)}
	}
	for i := range g.curves {
		g.curves[i].index = i
	}
	return g
}

// tradeoffOf returns the curve of a class, or why there is none. Answers of that class
// count as positive.
func tradeoffOf(index int, m *evaluation.Model, positive string) (t tradeoff, why string) {
	if m.Results == nil {
		return t, "the single answers are not in the report"
	}
	for i, name := range m.Results.Classes() {
		if name != positive {
			continue
		}
		c := m.Results.Confusion()
		right := c.Counts[i][i]
		t = tradeoff{m.Name, index, m.Results.ROC(i), eval.Point{TruePositives: right, FalsePositives: c.Said(i) - right}}
	}
	switch {
	case t.roc.Positives == 0:
		return t, "no document of the test is of the class"
	case t.roc.Negatives == 0:
		return t, "all documents of the test are of the class"
	case len(t.roc.Points) < 3:
		return t, "all documents have the same score"
	}
	return t, ""
}
