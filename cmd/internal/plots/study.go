package plots

import (
	"fmt"
	"math"
	"slices"

	"github.com/polya-classifier/polya/cmd/internal/evaluation"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
)

// presenceClasses is the largest number of classes with a figure of their terms.
const presenceClasses = 20

func presenceSection(r *evaluation.Report) section {
	s := section{ID: "presence", Title: "Terms by class",
		Read: "p(term in document | class) of all terms: the share of the documents of a class that have a term (up), the terms in order of how many documents of all classes have them (across). The grey line is the share of all documents. Where a class rises above it, or stays below, a term is informative."}
	p := r.Presence
	if p == nil {
		s.Missing = []string{"No class has terms."}
		return s
	}
	classes := slices.Clone(p.Classes)
	if len(classes) > presenceClasses {
		slices.SortStableFunc(classes, func(a, b evaluation.ClassPresence) int { return int(int64(b.Docs) - int64(a.Docs)) })
		classes = classes[:presenceClasses]
		s.Notes = append(s.Notes, fmt.Sprintf("Of %d classes these are the %d with the most documents.", len(p.Classes), presenceClasses))
	}
	if p.Terms > len(p.Columns) {
		s.Notes = append(s.Notes, "Where terms are closer together than a line, a line reaches to the greatest share of a term among them; the grey line is their mean.")
	}
	for i := range classes {
		s.Figures = append(s.Figures, presenceFigure(p, &classes[i]))
	}
	return s
}

// presenceFigure draws the greatest share of each column as an upright line, and the mean
// share of all documents as a grey one.
func presenceFigure(p *evaluation.Presence, class *evaluation.ClassPresence) figure {
	c := chart{height: chartHeight - 70, y: shares("share of documents"),
		x: logarithmic("term, by document frequency", .8, float64(p.Terms)+.5, terminal.Grouped[float64])}
	for k, column := range p.Columns {
		if x := column.Place(); class.Greatest[k] > 0 {
			c.rule(colour(0), "", point{x, 0}, point{x, class.Greatest[k]})
		}
		if k > 0 {
			before := p.Columns[k-1]
			c.rule(grey, "", point{before.Place(), before.Share}, point{column.Place(), column.Share})
		}
	}
	return c.figure(fmt.Sprintf("%s: %s terms, %s", printable(class.Class), terminal.Grouped(p.Terms), terminal.Counted(class.Docs, "document", "documents")))
}

func densitySection(r *evaluation.Report) section {
	s := section{ID: "densities", Title: "Densities of two classes",
		Read: "Where the two curves part, terms tell the classes apart: in the log-ratio, terms right of 0 speak for the second class of the legend, terms left of 0 for the first. The area under a curve is 1."}
	d := r.Densities
	if d == nil {
		s.Missing = []string{"They compare two classes that have terms, and there are no two such classes here."}
		return s
	}
	s.Figures = []figure{
		densityFigure("log-ratio of the terms of each class", "log p(t | second) − log p(t | first), nats", d.Ratio),
		densityFigure("log-probability of the terms of each class", "log probability of a term in its class, nats", d.Probability),
	}
	s.Notes = []string{"The spikes at the left of the log-probability are the many terms that a class has once, twice and so on.",
		fmt.Sprintf("The two curves of the log-ratio share %s of their area.", percent(math.Round(1000*overlap(d.Ratio))/1000))}
	return s
}

// densityFigure draws two histograms over the same bins as outlines, filled faintly.
func densityFigure(caption, label string, d evaluation.DensityPair) figure {
	first, last, highest := d.Edges[0], d.Edges[len(d.Edges)-1], 0.
	var curves []curve
	for i, class := range d.Classes {
		points := []point{{first, 0}}
		for b, bar := range class.Bars {
			points = append(points, point{d.Edges[b], bar}, point{d.Edges[b+1], bar})
			highest = max(highest, bar)
		}
		curves = append(curves, curve{class.Class, i, append(points, point{last, 0})})
	}
	c := chart{height: chartHeight - 40, x: linear(label, first, last, niceStep(last-first, 8), number),
		y: linear("density", 0, highest*1.05, niceStep(highest, 5), number)}
	for _, l := range curves {
		c.area(l.index, l.points)
		c.line(l.index, l.points...)
	}
	return c.figure(caption, curves...)
}

// overlap returns the area under both histograms,
//
//	Σ_b width_b min(first_b, second_b)
//
// 1 if they are the same, 0 if they never meet.
func overlap(d evaluation.DensityPair) float64 {
	var area float64
	for i, bar := range d.Classes[0].Bars {
		area += (d.Edges[i+1] - d.Edges[i]) * min(bar, d.Classes[1].Bars[i])
	}
	return area
}
