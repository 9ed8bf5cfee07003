package plots

import (
	"math"

	"github.com/polya-classifier/polya/cmd/polya/internal/evaluation"
)

func reliabilitySection(r *evaluation.Report) section {
	s := section{ID: "reliability", Title: "Reliability",
		Read: "Of the documents of which the class was said with this probability (across), this share is of it (up): honest probabilities lie on the diagonal, overconfident ones below. The lower part says of how many documents a mark tells."}
	top, found := reliabilityFigure("the class with the highest probability", r.Models,
		func(m *evaluation.Model) []evaluation.Bin { return m.Reliability })
	if !found {
		s.Missing = []string{"No diagram: no model gave probabilities of a document."}
		return s
	}
	s.Figures = append(s.Figures, top)
	if r.Positive == "" {
		return s
	}
	positive, found := reliabilityFigure("the class "+printable(r.Positive), r.Models,
		func(m *evaluation.Model) []evaluation.Bin { return m.PositiveReliability })
	if found {
		s.Figures = append(s.Figures, positive)
	}
	return s
}

// reliabilityFigure draws the frequency of what was said against the probability
// with which it was said, and below it how many documents that was. It reports
// whether there was anything to draw.
func reliabilityFigure(caption string, models []*evaluation.Model, bins func(*evaluation.Model) []evaluation.Bin) (figure, bool) {
	var honest, counts []curve
	most := 1.
	for i, m := range models {
		above, below := curve{name: m.Name, index: i}, curve{name: m.Name, index: i}
		for _, b := range bins(m) {
			if b.Docs > 0 && areFinite(b.Probability, b.Frequency) {
				above.points = append(above.points, point{X: b.Probability, Y: b.Frequency})
				below.points = append(below.points, point{X: b.Probability, Y: float64(b.Docs)})
				most = math.Max(most, float64(b.Docs))
			}
		}
		if above.points != nil {
			honest, counts = append(honest, above), append(counts, below)
		}
	}
	if honest == nil {
		return figure{}, false
	}
	top := newChart("", "share of which it is true")
	linear(&top.x, 0, 1, .2, percent)
	linear(&top.y, 0, 1, .2, percent)
	top.grid = true
	top.add(segment(0, 0, 1, 1))
	add(top, honest, false, true)
	bottom := newChart("probability", "documents")
	linear(&bottom.x, 0, 1, .2, percent)
	logarithmic(&bottom.y, .8, most*1.5, grouped)
	bottom.grid = true
	add(bottom, counts, false, true)
	return stacked(caption, top, bottom, honest), true
}

// stacked draws one chart above a lower one, with their axes in line.
func stacked(caption string, top, bottom *chart, curves []curve) figure {
	const lowerHeight = 130
	c := newCanvas(figureWidth, figureHeight-10+lowerHeight)
	upper, lower := c.all(), c.all()
	upper.bottom, lower.top = lowerHeight+8, lowerHeight
	margin := max(top.margin(), bottom.margin())
	top.draw(c, upper, margin)
	bottom.draw(c, lower, margin)
	return figure{Caption: caption, SVG: c.svg(caption), Legend: keys(curves, true)}
}
