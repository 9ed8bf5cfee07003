package plots

import (
	"math"

	"github.com/polya-classifier/polya/classify/eval"
	"github.com/polya-classifier/polya/cmd/internal/evaluation"
)

// cellsPerAxis is the resolution of the grid that thins out a ROC curve: cells of 1.5
// points. A monotone curve passes through fewer than twice as many cells.
const cellsPerAxis = 240

func rocSection(r *evaluation.Report) section {
	return tradeoffSection(r, rocFigure, section{ID: "roc", Title: "ROC",
		Read: "What share of the positives is missed (up) if only so many of the negatives may be called positive (across): lower left is better. The mark is what was said; a rate of 0 is drawn as half a document."})
}

// rocFigure draws the miss rate against the false-positive rate, both on scales of
// logarithms. Every model has positives and negatives.
func rocFigure(caption string, models []tradeoff) figure {
	var curves []curve
	low := point{X: 1, Y: 1}
	for _, m := range models {
		floor := m.at(eval.Point{TruePositives: m.roc.Positives})
		low.X, low.Y = math.Min(low.X, floor.X), math.Min(low.Y, floor.Y)
		curves = append(curves, curve{m.name, m.index, missRates(m)})
	}
	c := chart{height: chartHeight, x: logarithmic("false-positive rate", low.X, 1, percent), y: logarithmic("miss rate", low.Y, 1, percent)}
	for i, l := range curves {
		c.line(l.index, stepped(l.points)...)
		c.marks(l.index, models[i].at(models[i].decided))
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

func (m tradeoff) at(p eval.Point) point {
	missed := float64(m.roc.Positives - p.TruePositives)
	return point{
		X: math.Max(float64(p.FalsePositives), .5) / float64(m.roc.Negatives),
		Y: math.Max(missed, .5) / float64(m.roc.Positives),
	}
}

func missRates(m tradeoff) []point {
	points := make([]point, len(m.roc.Points))
	for i, p := range m.roc.Points {
		points[i] = m.at(p)
	}
	across, up := math.Log(2*float64(m.roc.Negatives)), math.Log(2*float64(m.roc.Positives))
	return thinned(points, func(p point) (x, y float64) {
		return cellsPerAxis * math.Log(p.X) / across, cellsPerAxis * math.Log(p.Y) / up
	})
}

// thinned returns the first of neighbouring points in one cell of a grid over the
// drawing, and the last point. place returns the coordinates of a point in cells.
func thinned(points []point, place func(point) (x, y float64)) []point {
	var kept []point
	var before [2]int
	for i, p := range points {
		x, y := place(p)
		cell := [2]int{int(x), int(y)}
		if i == 0 || i == len(points)-1 || cell != before {
			kept = append(kept, p)
			before = cell
		}
	}
	return kept
}
