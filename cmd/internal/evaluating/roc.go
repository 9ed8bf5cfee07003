package evaluating

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/polya-classifier/polya/classify/eval"
	"github.com/polya-classifier/polya/cmd/internal/evaluation"
)

const (
	// cellsPerAxis is the resolution of the grid that thins out a ROC curve: cells of 1.5
	// points. A monotone curve passes through fewer than twice as many cells.
	cellsPerAxis = 240

	// classCurves is the largest number of classes whose curves share a figure.
	classCurves = 8
)

// tradeoff is the ROC of one class and model, and the operating point of the answers.
type tradeoff struct {
	name    string
	roc     eval.ROC
	decided eval.Point
}

// rocSection has the curves of all models for the positive class and, with more than two
// classes, those of the default model for each class against all others.
func rocSection(r *evaluation.Report) section {
	s := section{title: "ROC",
		read: "What share of the positives is missed (up) if only so many of the negatives may be called positive (across): lower left is better. The mark is what was said; a rate of 0 is drawn as half a document."}
	if r.Positive != "" {
		var list []tradeoff
		for _, m := range r.Models {
			list = append(list, tradeoffOf(m, r.Positive))
		}
		s.add("positive: "+printable(r.Positive), list)
	}
	if m := r.DefaultModel(); m != nil && (len(r.Classes) != 2 || r.Positive == "") {
		var list []tradeoff
		for _, c := range r.Classes {
			t := tradeoffOf(m, c.Name)
			t.name = c.Name
			list = append(list, t)
		}
		if n := len(list); n > classCurves {
			slices.SortStableFunc(list, func(a, b tradeoff) int {
				return cmp.Compare(b.roc.OneMinusROCAPercent(), a.roc.OneMinusROCAPercent())
			})
			list = list[:classCurves]
			s.notes = []string{fmt.Sprintf("Of %d classes these are the %d with the largest areas above the ROC curve.", n, classCurves)}
		}
		s.add(printable(m.Name)+": each class against all others", list)
	}
	return s
}

// add adds a figure of the curves that can be drawn.
func (s *section) add(caption string, list []tradeoff) {
	list = slices.DeleteFunc(list, func(t tradeoff) bool { return t.roc.Positives == 0 || t.roc.Negatives == 0 })
	if len(list) > 0 {
		s.figures = append(s.figures, rocFigure(caption, list))
	}
}

// tradeoffOf returns the curve of a class. Answers of that class count as positive.
func tradeoffOf(m *evaluation.Model, positive string) tradeoff {
	i := slices.Index(m.Results.Classes(), positive)
	if i < 0 {
		return tradeoff{}
	}
	c := m.Results.Confusion()
	right := c.Counts[i][i]
	return tradeoff{m.Name, m.Results.ROC(i), eval.Point{TruePositives: right, FalsePositives: c.Said(i) - right}}
}

// rocFigure draws the miss rate against the false-positive rate, both on scales of
// logarithms. Every curve has positives and negatives.
func rocFigure(caption string, list []tradeoff) figure {
	var curves []curve
	low := point{X: 1, Y: 1}
	for i, t := range list {
		floor := t.at(eval.Point{TruePositives: t.roc.Positives})
		low = point{min(low.X, floor.X), min(low.Y, floor.Y)}
		curves = append(curves, curve{t.name, i, t.missRates()})
	}
	c := chart{height: chartHeight, x: logarithmic("false-positive rate", low.X, 1, percentage), y: logarithmic("miss rate", low.Y, 1, percentage)}
	for i, l := range curves {
		c.line(l.index, stepped(l.points)...)
		c.marks(l.index, list[i].at(list[i].decided))
	}
	return c.figure(caption, curves...)
}

// stepped returns points between which a line goes across before it goes up or down.
func stepped(points []point) []point {
	var list []point
	for i, p := range points {
		if i > 0 {
			list = append(list, point{p.X, points[i-1].Y})
		}
		list = append(list, p)
	}
	return list
}

func (t *tradeoff) at(p eval.Point) point {
	missed := float64(t.roc.Positives - p.TruePositives)
	return point{
		X: max(float64(p.FalsePositives), .5) / float64(t.roc.Negatives),
		Y: max(missed, .5) / float64(t.roc.Positives),
	}
}

// missRates returns the first of neighbouring points of the curve in one cell of a grid over the
// drawing, and the last point.
func (t *tradeoff) missRates() []point {
	across, up := math.Log(2*float64(t.roc.Negatives)), math.Log(2*float64(t.roc.Positives))
	var kept []point
	var before [2]int
	for i, p := range t.roc.Points {
		at := t.at(p)
		cell := [2]int{int(cellsPerAxis * math.Log(at.X) / across), int(cellsPerAxis * math.Log(at.Y) / up)}
		if i == 0 || i == len(t.roc.Points)-1 || cell != before {
			kept = append(kept, at)
			before = cell
		}
	}
	return kept
}
