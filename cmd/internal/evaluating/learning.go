package evaluating

import (
	"math"
	"slices"

	"github.com/polya-classifier/polya/cmd/internal/evaluation"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
)

func curveSection(r *evaluation.Report) section {
	s := section{title: "Learning curve",
		read: "How often each model is right (up) after it learned so many documents (across). A curve that still rises at its right end wants more documents."}
	if r.Curve == nil {
		return s
	}
	if r.Curve.Kind == evaluation.CurveRunning {
		s.read += " Each point is the mean over all documents of the stream so far."
	} else {
		s.read += " The bands are 95\u00a0% bootstrap intervals."
	}
	if curves, bands := learningCurves(r); len(curves) > 0 {
		s.figures = []figure{curveFigure(curves, bands)}
	}
	return s
}

// learningCurves returns the models' accuracies by training size, and their intervals as
// polygons, empty for a model without intervals.
func learningCurves(r *evaluation.Report) (curves []curve, bands [][]point) {
	for i, m := range r.Models {
		c := curve{name: m.Name, index: i}
		var low, high []point
		for _, p := range r.Curve.Points {
			x, v := float64(p.Docs), p.Models[i].Accuracy
			c.points = append(c.points, point{x, float64(v.Value)})
			low = append(low, point{x, float64(v.Low)})
			high = append(high, point{x, float64(v.High)})
		}
		if c.points = finite(c.points); len(c.points) > 0 {
			high = finite(high)
			slices.Reverse(high)
			curves, bands = append(curves, c), append(bands, append(finite(low), high...))
		}
	}
	return curves, bands
}

func curveFigure(curves []curve, bands [][]point) figure {
	low, high := extent(curves, bands)
	if high.Y-low.Y < .02 {
		low.Y, high.Y = low.Y-.01, high.Y+.01
	}
	step := niceStep(high.Y-low.Y, 6)
	c := chart{height: chartHeight, x: logarithmic("documents learned", low.X, high.X, terminal.Grouped[float64]),
		y: linear("accuracy", max(0, math.Floor(low.Y/step)*step), min(1, math.Ceil(high.Y/step+.2)*step), step, percentage)}
	for i, b := range bands {
		c.area(curves[i].index, b)
	}
	for _, l := range curves {
		c.line(l.index, l.points...)
		c.marks(l.index, l.points...)
	}
	return c.figure("accuracy by training size", curves...)
}

func extent(curves []curve, bands [][]point) (low, high point) {
	low, high = point{math.Inf(1), math.Inf(1)}, point{math.Inf(-1), math.Inf(-1)}
	for i := range curves {
		for _, p := range slices.Concat(curves[i].points, bands[i]) {
			low = point{min(low.X, p.X), min(low.Y, p.Y)}
			high = point{max(high.X, p.X), max(high.Y, p.Y)}
		}
	}
	return low, high
}
