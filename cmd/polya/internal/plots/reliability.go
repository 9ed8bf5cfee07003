package plots

import (
	"math"

	"github.com/polya-classifier/polya/cmd/polya/internal/evaluation"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"
)

func reliabilitySection(r *evaluation.Report) (section, error) {
	s := section{ID: "reliability", Title: "Reliability",
		Read: "Of the documents of which the class was said with this probability (across), this share is of it (up): honest probabilities lie on the diagonal, overconfident ones below. The lower part says of how many documents a mark tells."}
	top, found, err := reliabilityFigure("the class with the highest probability", r.Models,
		func(m *evaluation.Model) []evaluation.Bin { return m.Reliability })
	if err != nil {
		return s, err
	}
	if !found {
		s.Missing = []string{"No diagram: no model gave probabilities of a document."}
		return s, nil
	}
	s.Figures = append(s.Figures, top)
	if r.Positive == "" {
		return s, nil
	}
	positive, found, err := reliabilityFigure("the class "+printable(r.Positive), r.Models,
		func(m *evaluation.Model) []evaluation.Bin { return m.PositiveReliability })
	if found {
		s.Figures = append(s.Figures, positive)
	}
	return s, err
}

// reliabilityFigure draws the frequency of what was said against the probability
// with which it was said, and below it how many documents that was. It reports
// whether there was anything to draw.
func reliabilityFigure(caption string, models []*evaluation.Model, bins func(*evaluation.Model) []evaluation.Bin) (figure, bool, error) {
	var honest, counts []curve
	most := 1.
	for i, m := range models {
		above, below := curve{name: m.Name, index: i}, curve{name: m.Name, index: i}
		for _, b := range bins(m) {
			if b.Docs > 0 && plotter.CheckFloats(b.Probability, b.Frequency) == nil {
				above.points = append(above.points, plotter.XY{X: b.Probability, Y: b.Frequency})
				below.points = append(below.points, plotter.XY{X: b.Probability, Y: float64(b.Docs)})
				most = math.Max(most, float64(b.Docs))
			}
		}
		if above.points != nil {
			honest, counts = append(honest, above), append(counts, below)
		}
	}
	if honest == nil {
		return figure{}, false, nil
	}
	top := newPlot("", "share of which it is true")
	linear(&top.X, 0, 1, .2, percent)
	linear(&top.Y, 0, 1, .2, percent)
	withGrid(top)
	top.Add(segment(0, 0, 1, 1))
	add(top, honest, plotter.NoStep, true)
	bottom := newPlot("probability", "documents")
	linear(&bottom.X, 0, 1, .2, percent)
	logarithmic(&bottom.Y, .8, most*1.5, grouped)
	withGrid(bottom)
	add(bottom, counts, plotter.NoStep, true)
	f, err := stacked(caption, top, bottom, honest)
	return f, true, err
}

// stacked draws one plot above a lower one, with their axes in line.
func stacked(caption string, top, bottom *plot.Plot, curves []curve) (figure, error) {
	const lowerHeight = 130
	c := newCanvas(figureWidth, figureHeight-10+lowerHeight)
	all := margin(draw.New(c))
	upper := draw.Crop(all, 0, 0, lowerHeight+8, 0)
	lower := draw.Crop(all, 0, 0, 0, lowerHeight-all.Size().Y)
	shift := top.DataCanvas(upper).Min.X - bottom.DataCanvas(lower).Min.X
	top.Draw(draw.Crop(upper, max(-shift, 0), 0, 0, 0))
	bottom.Draw(draw.Crop(lower, max(shift, 0), 0, 0, 0))
	svg, err := c.svg(caption)
	if err != nil {
		return figure{}, err
	}
	legend, err := keys(curves, true)
	return figure{Caption: caption, SVG: svg, Legend: legend}, err
}
