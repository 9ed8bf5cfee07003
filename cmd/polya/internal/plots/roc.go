package plots

import (
	"fmt"
	"math"

	"github.com/polya-classifier/polya/classify/eval"
	"github.com/polya-classifier/polya/cmd/polya/internal/evaluation"
)

// cellsPerAxis is how fine the grid is on which a ROC curve is thinned out: 1.5
// points of the drawing. A curve that only falls passes fewer than twice as many
// cells.
const cellsPerAxis = 240

func rocSection(r *evaluation.Report) section {
	s := section{ID: "roc", Title: "ROC",
		Read: "What share of the positives is missed (up) if only so many of the negatives may be called positive (across): lower left is better. The mark is what was said; a rate of 0 is drawn as half a document."}
	if r.Positive == "" {
		s.Missing = []string{fmt.Sprintf("No curve: it needs a class that is looked for, and of the %d classes none was named. The area above the curve of each class is in the tables of the classes.", len(r.Classes))}
		return s
	}
	var models []tradeoff
	for i, m := range r.Models {
		t, why := tradeoffOf(i, m, r.Positive)
		if why != "" {
			s.Missing = append(s.Missing, "No curve of "+printable(m.Name)+": "+why+".")
			continue
		}
		models = append(models, t)
	}
	if len(models) == 0 {
		return s
	}
	s.Figures = []figure{rocFigure("positive: "+printable(r.Positive), models)}
	return s
}

// tradeoff is the ROC of one model, and what it decided.
type tradeoff struct {
	name    string
	index   int
	roc     eval.ROC
	decided eval.Point
}

// tradeoffOf returns the curve of a class, or why there is none. What was said to be
// of that class was called positive.
func tradeoffOf(index int, m *evaluation.Model, positive string) (t tradeoff, why string) {
	if m.Results == nil {
		return t, "its single answers are not in the report"
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
		return t, "no document of the test is of the class that is looked for"
	case t.roc.Negatives == 0:
		return t, "all documents of the test are of the class that is looked for"
	case len(t.roc.Points) < 3:
		return t, "it gives all documents the same score"
	}
	return t, ""
}

// rocFigure draws the miss rate against the false-positive rate, both on scales of
// logarithms. Every model has positives and negatives.
func rocFigure(caption string, models []tradeoff) figure {
	var curves []curve
	low := point{X: 1, Y: 1}
	for _, m := range models {
		floor := m.at(eval.Point{TruePositives: m.roc.Positives})
		low.X, low.Y = math.Min(low.X, floor.X), math.Min(low.Y, floor.Y)
		curves = append(curves, curve{m.name, m.index, thinned(m)})
	}
	p := newChart("false-positive rate", "miss rate")
	logarithmic(&p.x, low.X, 1, percent)
	logarithmic(&p.y, low.Y, 1, percent)
	p.grid = true
	add(p, curves, true, false)
	for _, m := range models {
		p.add(marks(m.index, []point{m.at(m.decided)}))
	}
	f := drawn(p, figureWidth, figureHeight+40, caption)
	f.Legend = keys(curves, true)
	return f
}

// at returns where a point is drawn.
func (m tradeoff) at(p eval.Point) point {
	missed := float64(m.roc.Positives - p.TruePositives)
	return point{
		X: math.Max(float64(p.FalsePositives), .5) / float64(m.roc.Negatives),
		Y: math.Max(missed, .5) / float64(m.roc.Positives),
	}
}

// thinned returns the points of the curve that are seen: of those in one cell of a
// grid over the drawing, the first. The last point is kept.
func thinned(m tradeoff) []point {
	var kept []point
	var before [2]int
	for i, p := range m.roc.Points {
		at := m.at(p)
		cell := [2]int{
			int(cellsPerAxis * math.Log(at.X) / math.Log(2*float64(m.roc.Negatives))),
			int(cellsPerAxis * math.Log(at.Y) / math.Log(2*float64(m.roc.Positives))),
		}
		if i == 0 || i == len(m.roc.Points)-1 || cell != before {
			kept = append(kept, at)
			before = cell
		}
	}
	return kept
}
