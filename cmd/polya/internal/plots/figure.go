package plots

import (
	"fmt"
	"html/template"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// figure is a drawing and the lines that are explained below it. The legend stands
// in HTML, where names of any length and script find room.
type figure struct {
	Caption string
	SVG     template.HTML
	Legend  []key
	Large   bool // too fine to be shrunk to the width of a phone
}

// key explains a line: a sample of it, and its name.
type key struct {
	Sample template.HTML
	Name   string
}

// curve is a line of a figure.
type curve struct {
	name   string
	index  int // the colour and the marks, which a model keeps in all figures
	points plotter.XYs
}

// drawn returns a plot as a figure of this size.
func drawn(p *plot.Plot, w, h vg.Length, caption string) (figure, error) {
	c := newCanvas(w, h)
	p.Draw(margin(draw.New(c)))
	svg, err := c.svg(caption)
	return figure{Caption: caption, SVG: svg, Large: w > figureWidth+50}, err
}

// margin leaves room for the halves of letters that stand at the ends of axes.
func margin(c draw.Canvas) draw.Canvas {
	return draw.Crop(c, 2, -14, 2, -6)
}

// keys returns the legend of curves.
func keys(curves []curve, marked bool) ([]key, error) {
	var list []key
	for _, c := range curves {
		sample, err := lineSample(c.index, marked)
		if err != nil {
			return nil, err
		}
		list = append(list, key{Sample: sample, Name: printable(c.name)})
	}
	return list, nil
}

// lineSample draws a short piece of line i.
func lineSample(i int, marked bool) (template.HTML, error) {
	c := newCanvas(34, 10)
	d := draw.New(c)
	d.StrokeLine2(line(i), 1, 5, 33, 5)
	if marked {
		d.DrawGlyph(glyph(i), vg.Point{X: 17, Y: 5})
	}
	return c.svg(fmt.Sprintf("line %d", i+1))
}

// add draws curves with marks, where asked, at their points.
func add(p *plot.Plot, curves []curve, steps plotter.StepKind, marked bool) {
	for _, c := range curves {
		l := &plotter.Line{XYs: c.points, LineStyle: line(c.index), StepStyle: steps}
		p.Add(fixed{l})
		if marked {
			p.Add(fixed{&plotter.Scatter{XYs: c.points, GlyphStyle: glyph(c.index)}})
		}
	}
}

// fixed is a plotter that has no say in the ranges of the axes, nor in the room
// around them.
type fixed struct{ plot.Plotter }

// finite returns the points both of whose coordinates are numbers.
func finite(points plotter.XYs) plotter.XYs {
	var kept plotter.XYs
	for _, p := range points {
		if plotter.CheckFloats(p.X, p.Y) == nil {
			kept = append(kept, p)
		}
	}
	return kept
}

// segment returns a thin grey line between two points, drawn as a yardstick.
func segment(x0, y0, x1, y1 float64) plot.Plotter {
	return fixed{&plotter.Line{
		XYs:       plotter.XYs{{X: x0, Y: y0}, {X: x1, Y: y1}},
		LineStyle: draw.LineStyle{Color: grey, Width: .7, Dashes: []vg.Length{3, 3}},
	}}
}

// percent writes a fraction in percent with the digits it needs and no more.
func percent(x float64) string {
	return number(100*x) + "\u00a0%"
}

// number writes a tick: as few digits as tell it.
func number(x float64) string {
	if math.Abs(x) < 1e-12 {
		return "0"
	}
	return strings.Replace(fmt.Sprintf("%.6g", x), "-", "−", 1)
}
