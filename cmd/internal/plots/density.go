package plots

import (
	"fmt"
	"math"

	"github.com/polya-classifier/polya/cmd/internal/evaluation"
)

func densitySection(r *evaluation.Report) section {
	s := section{ID: "densities", Title: "Densities of two classes",
		Read: "Where the two curves part, terms tell the classes apart: in the log-ratio, terms right of 0 speak for the class that is named first on the axis, which is the second of the legend, terms left of 0 for the other. The area under a curve is 1."}
	if r.Densities == nil {
		s.Missing = []string{"They compare two classes that have terms, and there are no two such classes here."}
		return s
	}
	ratio, probability := r.Densities.Ratio, r.Densities.Probability
	for _, d := range []struct {
		pair          evaluation.DensityPair
		caption, axis string
	}{
		{ratio, "log-ratio of the terms of each class", ratioAxis(ratio)},
		{probability, "log-probability of the terms of each class", "log probability of a term in its class, nats"},
	} {
		if why := undrawable(d.pair); why != "" {
			s.Missing = append(s.Missing, "No figure of the "+d.caption+": "+why+".")
			continue
		}
		s.Figures = append(s.Figures, densityFigure(d.caption, d.axis, d.pair))
	}
	if undrawable(probability) == "" {
		s.Notes = append(s.Notes, "The spikes at the left of the log-probability are the many terms that a class has once, twice and so on.")
	}
	if undrawable(ratio) == "" {
		s.Notes = append(s.Notes, fmt.Sprintf("The two curves of the log-ratio share %s of their area.", percent(math.Round(1000*overlap(ratio))/1000)))
	}
	return s
}

func ratioAxis(d evaluation.DensityPair) string {
	if len(d.Classes) != 2 {
		return ""
	}
	axis := func(of, against string) string {
		return fmt.Sprintf("log p(t | %s) − log p(t | %s), nats", of, against)
	}
	whole := axis(printable(d.Classes[1].Class), printable(d.Classes[0].Class))
	if textWidth(whole, labelSize) > figureWidth-50 {
		return axis("second", "first") // in the order of the legend
	}
	return whole
}

// undrawable returns why the histograms cannot be drawn, or "".
func undrawable(d evaluation.DensityPair) string {
	if len(d.Classes) != 2 || len(d.Edges) < 2 {
		return "it needs the terms of two classes"
	}
	for _, c := range d.Classes {
		if len(c.Bars) != len(d.Edges)-1 {
			return "its bins and bars do not match"
		}
		if !areFinite(c.Bars...) || !areFinite(d.Edges...) {
			return "its bins and bars are not all finite"
		}
	}
	span := d.Edges[len(d.Edges)-1] - d.Edges[0]
	if !(span > 0) || math.IsInf(span, 0) {
		return "its bins have no width"
	}
	return ""
}

// densityFigure draws two histograms over the same bins as outlines, filled faintly.
func densityFigure(caption, axis string, d evaluation.DensityPair) figure {
	first, last := d.Edges[0], d.Edges[len(d.Edges)-1]
	p := newChart(axis, "density")
	linear(&p.x, first, last, niceStep(last-first, 8), number)
	var curves []curve
	highest := 0.
	for i, c := range d.Classes {
		curves = append(curves, curve{c.Class, i, outline(d.Edges, c.Bars)})
		for _, bar := range c.Bars {
			highest = math.Max(highest, bar)
		}
	}
	if highest == 0 {
		highest = 1
	}
	linear(&p.y, 0, highest*1.05, niceStep(highest, 5), number)
	p.grid = true
	for _, c := range curves {
		p.add(area(c.index, .16, c.points))
	}
	if first < 0 && last > 0 {
		p.add(segment(0, 0, 0, highest*1.05))
	}
	add(p, curves, false, false)
	f := drawn(p, figureWidth, figureHeight-40, caption)
	f.Legend = keys(curves, false)
	return f
}

func outline(edges, bars []float64) []point {
	points := []point{{X: edges[0], Y: 0}}
	for i, bar := range bars {
		points = append(points, point{X: edges[i], Y: bar}, point{X: edges[i+1], Y: bar})
	}
	return append(points, point{X: edges[len(bars)], Y: 0})
}

// overlap returns the area under both histograms,
//
//	Σ_b width_b min(first_b, second_b)
//
// 1 if they are the same, 0 if they never meet.
func overlap(d evaluation.DensityPair) float64 {
	var area float64
	for i, bar := range d.Classes[0].Bars {
		area += (d.Edges[i+1] - d.Edges[i]) * math.Min(bar, d.Classes[1].Bars[i])
	}
	return area
}
