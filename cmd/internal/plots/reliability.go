package plots

import (
	"math"
	"strconv"

	"github.com/polya-classifier/polya/classify/eval"
	"github.com/polya-classifier/polya/cmd/internal/evaluation"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
)

// fewDocuments is the number of documents below which a bin is not joined to its
// neighbours: its frequency has a standard error of 16 points or more.
const fewDocuments = 10

func reliabilitySection(r *evaluation.Report) section {
	s := section{ID: "reliability", Title: "Reliability",
		Read: "Of the documents of which the class was said with this probability (across), this share is of it (up), with its 95\u00a0% Wilson interval: honest probabilities lie on the diagonal, overconfident ones below. Lines join bins of " +
			strconv.Itoa(fewDocuments) + " documents or more. The lower part says of how many documents a mark tells."}
	indices, notes := detailed(r)
	for _, i := range indices {
		m := r.Models[i]
		name := printable(m.Name)
		if f, found := reliabilityFigure(name+": the class with the highest probability", i, m.Reliability); found {
			s.Figures = append(s.Figures, f)
		}
		if r.Positive == "" {
			continue
		}
		if f, found := reliabilityFigure(name+": the class "+printable(r.Positive), i, m.PositiveReliability); found {
			s.Figures = append(s.Figures, f)
		}
	}
	if len(s.Figures) == 0 {
		s.Missing = []string{"No diagram: no model gave probabilities of a document."}
		return s
	}
	s.Notes = append([]string{"The diagrams have bins of equal width. ECE in the table of the models is of " + strconv.Itoa(eval.Bins) + " bins of equal width."}, notes...)
	return s
}

// reliabilityFigure draws the observed frequency of answers against their probability,
// and below it the number of documents. It reports whether there was anything to draw.
func reliabilityFigure(caption string, index int, bins []evaluation.Bin) (figure, bool) {
	var seen []evaluation.Bin
	most := 1.
	for _, b := range bins {
		if b.Docs > 0 && areFinite(b.Probability, b.Frequency) {
			seen = append(seen, b)
			most = math.Max(most, float64(b.Docs))
		}
	}
	if seen == nil {
		return figure{}, false
	}
	top := newChart("", "share of which it is true")
	linear(&top.x, 0, 1, .2, percent)
	linear(&top.y, 0, 1, .2, percent)
	top.grid = true
	top.add(segment(0, 0, 1, 1))
	bottom := newChart("probability", "documents")
	linear(&bottom.x, 0, 1, .2, percent)
	logarithmic(&bottom.y, .8, most*1.5, terminal.Grouped[float64])
	bottom.grid = true
	for _, run := range joined(seen) {
		add(top, []curve{{index: index, points: frequencies(run)}}, false, false)
	}
	for _, b := range seen {
		top.add(whisker(index, b.Probability, b.FrequencyLow, b.FrequencyHigh))
		bottom.add(whisker(index, b.Probability, .8, float64(b.Docs)))
	}
	top.add(marks(index, frequencies(seen)))
	return stacked(caption, top, bottom), true
}

// joined returns the runs of neighbouring bins that a line joins.
func joined(bins []evaluation.Bin) [][]evaluation.Bin {
	var runs [][]evaluation.Bin
	var run []evaluation.Bin
	for _, b := range bins {
		if b.Docs >= fewDocuments {
			run = append(run, b)
			continue
		}
		runs, run = append(runs, run), nil
	}
	return append(runs, run)
}

func frequencies(bins []evaluation.Bin) []point {
	var points []point
	for _, b := range bins {
		points = append(points, point{X: b.Probability, Y: b.Frequency})
	}
	return points
}

func whisker(index int, x, low, high float64) layer {
	const half = 2.5
	return func(to *canvas, f field) {
		s := stroke{colour: series[index%len(series)], width: .9}
		from, end := f.at(point{x, low}), f.at(point{x, high})
		to.line(s, from, end)
		for _, p := range []point{from, end} {
			to.line(s, point{p.X - half, p.Y}, point{p.X + half, p.Y})
		}
	}
}

// stacked draws one chart above a lower one, with their axes in line.
func stacked(caption string, top, bottom *chart) figure {
	const lowerHeight = 110
	c := newCanvas(figureWidth, figureHeight-30+lowerHeight)
	upper, lower := c.all(), c.all()
	upper.bottom, lower.top = lowerHeight+8, lowerHeight
	margin := max(top.margin(), bottom.margin())
	top.draw(c, upper, margin)
	bottom.draw(c, lower, margin)
	return figure{Caption: caption, SVG: c.svg(caption)}
}
