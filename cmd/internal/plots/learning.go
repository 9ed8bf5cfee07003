package plots

import (
	"fmt"
	"math"

	"github.com/polya-classifier/polya/cmd/internal/evaluation"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
)

// baseline is the name of the model that others are compared with.
const baseline = "logistic"

func curveSection(r *evaluation.Report) section {
	s := section{ID: "curve", Title: "Learning curve",
		Read: "How often each model is right (up) after it learned so many documents (across). A curve that still rises at its right end wants more documents."}
	curves, bands := learningCurves(r)
	if r.Curve != nil && r.Curve.Kind == evaluation.CurveRunning {
		s.Read += " Each point is the mean over all documents of the stream so far."
	} else {
		s.Read += " The bands are 95\u00a0% bootstrap intervals."
	}
	if len(curves) == 0 {
		s.Missing = []string{"No curve: the models were tested at one size of the training set only."}
		if r.Curve != nil {
			s.Missing = []string{"No curve: it has no point with a number of documents and an accuracy."}
		}
		return s
	}
	from, sentences := crossings(r.Curve, baseline)
	s.Notes = sentences
	s.Figures = []figure{curveFigure(curves, bands, from)}
	return s
}

// learningCurves returns the models' accuracies by training size, and their intervals as
// polygons, nil for a model without intervals.
func learningCurves(r *evaluation.Report) (curves []curve, bands [][]point) {
	if r.Curve == nil {
		return nil, nil
	}
	for i, m := range r.Models {
		c := curve{name: m.Name, index: i}
		var low, high []point
		for _, p := range r.Curve.Points {
			v, found := valuesOf(p, m.Name)
			if !found || p.Docs <= 0 {
				continue
			}
			x := float64(p.Docs)
			c.points = append(c.points, point{X: x, Y: float64(v.Accuracy.Value)})
			low = append(low, point{X: x, Y: float64(v.Accuracy.Low)})
			high = append(high, point{X: x, Y: float64(v.Accuracy.High)})
		}
		if c.points = finite(c.points); c.points != nil {
			curves, bands = append(curves, c), append(bands, band(finite(low), finite(high)))
		}
	}
	return curves, bands
}

// band returns the polygon between two lines.
func band(low, high []point) []point {
	if len(low) < 2 || len(high) < 2 {
		return nil
	}
	for i := len(high) - 1; i >= 0; i-- {
		low = append(low, high[i])
	}
	return low
}

func valuesOf(p evaluation.CurvePoint, model string) (evaluation.CurveValues, bool) {
	for _, v := range p.Models {
		if v.Name == model {
			return v, true
		}
	}
	return evaluation.CurveValues{}, false
}

// curveFigure draws the curves, and a line at the size from which the baseline wins
// against all, if from is not 0.
func curveFigure(curves []curve, bands [][]point, from int) figure {
	low, high := extent(curves, bands)
	if high.Y-low.Y < .02 {
		low.Y, high.Y = low.Y-.01, high.Y+.01
	}
	step := niceStep(high.Y-low.Y, 6)
	c := chart{height: chartHeight, x: logarithmic("documents learned", low.X, high.X, terminal.Grouped[float64]),
		y: linear("accuracy", max(0, math.Floor(low.Y/step)*step), min(1, math.Ceil(high.Y/step+.2)*step), step, percent)}
	for i, b := range bands {
		c.area(curves[i].index, b)
	}
	if from > 0 {
		c.rule(grey, "3,3", point{float64(from), c.y.low}, point{float64(from), c.y.high})
	}
	for _, l := range curves {
		c.line(l.index, l.points...)
		c.marks(l.index, l.points...)
	}
	return c.figure("accuracy by training size", curves...)
}

func extent(curves []curve, bands [][]point) (low, high point) {
	low, high = point{X: math.Inf(1), Y: math.Inf(1)}, point{X: math.Inf(-1), Y: math.Inf(-1)}
	for i := range curves {
		for _, points := range [][]point{curves[i].points, bands[i]} {
			for _, p := range points {
				low.X, low.Y = min(low.X, p.X), min(low.Y, p.Y)
				high.X, high.Y = max(high.X, p.X), max(high.Y, p.Y)
			}
		}
	}
	return low, high
}

// crossings says for each other model from which size on the named model stays more
// accurate, and returns the size from which that holds against all of them, 0 if there is
// none.
func crossings(c *evaluation.Curve, name string) (all int, sentences []string) {
	if len(c.Points) == 0 {
		return 0, nil
	}
	last := c.Points[len(c.Points)-1]
	if _, found := valuesOf(last, name); !found {
		return 0, nil
	}
	always := true
	for _, v := range last.Models {
		if v.Name == name {
			continue
		}
		from, found := winsFrom(c.Points, name, v.Name)
		always = always && found
		all = max(all, from)
		sentences = append(sentences, crossing(printable(name), printable(v.Name), from, c.Points[0].Docs, last.Docs, found))
	}
	if !always || len(sentences) == 0 {
		return 0, sentences
	}
	return all, append(sentences, fmt.Sprintf("The grey upright line marks the size from which %s is ahead of all others.", printable(name)))
}

func crossing(name, other string, from, first, last int, found bool) string {
	switch {
	case !found:
		return fmt.Sprintf("At %s documents, %s is not more often right than %s.", terminal.Grouped(last), name, other)
	case from <= first:
		return fmt.Sprintf("At all sizes, %s is more often right than %s.", name, other)
	default:
		return fmt.Sprintf("From %s documents on, %s is more often right than %s.", terminal.Grouped(from), name, other)
	}
}

// winsFrom returns the smallest size from which on a is more accurate than b at every
// size.
func winsFrom(points []evaluation.CurvePoint, a, b string) (docs int, found bool) {
	for i := len(points) - 1; i >= 0; i-- {
		x, hasX := valuesOf(points[i], a)
		y, hasY := valuesOf(points[i], b)
		if !hasX || !hasY || !(x.Accuracy.Value > y.Accuracy.Value) {
			break
		}
		docs, found = points[i].Docs, true
	}
	return docs, found
}
