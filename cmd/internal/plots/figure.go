package plots

import (
	"fmt"
	"math"
	"strings"
)

// figure is a drawing and its legend. The legend is HTML, which has room for names of any
// length and script.
type figure struct {
	Caption string
	SVG     string
	Legend  []key
	Large   bool // too fine to be shrunk to the width of a phone
}

// key explains a line: a sample of it, and its name.
type key struct {
	Sample string
	Name   string
}

// curve is a line of a figure.
type curve struct {
	name   string
	index  int // the colour and the marks, which a model keeps in all figures
	points []point
}

func drawn(p *chart, w, h float64, caption string) figure {
	c := newCanvas(w, h)
	p.draw(c, c.all(), p.margin())
	return figure{Caption: caption, SVG: c.svg(caption), Large: w > figureWidth+50}
}

func keys(curves []curve, marked bool) []key {
	var list []key
	for _, c := range curves {
		list = append(list, key{Sample: lineSample(c.index, marked), Name: printable(c.name)})
	}
	return list
}

func lineSample(i int, marked bool) string {
	c := newCanvas(34, 10)
	c.line(line(i), point{1, 5}, point{33, 5})
	if marked {
		mark(c, i, point{17, 5})
	}
	return c.svg(fmt.Sprintf("line %d", i+1))
}

// add draws curves, with marks at their points if marked. With steps, lines go across
// before they go up or down.
func add(p *chart, curves []curve, steps, marked bool) {
	for _, c := range curves {
		points := c.points
		if steps {
			points = stepped(points)
		}
		p.add(func(to *canvas, f field) { to.line(line(c.index), f.all(points)...) })
		if marked {
			p.add(marks(c.index, c.points))
		}
	}
}

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

// marks draws the marks of line i at points.
func marks(i int, points []point) layer {
	return func(to *canvas, f field) {
		for _, p := range points {
			mark(to, i, f.at(p))
		}
	}
}

// area fills a polygon faintly in the colour of line i.
func area(i int, opacity float64, points []point) layer {
	return func(to *canvas, f field) { to.fill(series[i%len(series)], opacity, f.all(points)...) }
}

// segment draws a thin grey reference line between two points.
func segment(x0, y0, x1, y1 float64) layer {
	return func(to *canvas, f field) {
		to.line(stroke{grey, .7, []float64{3, 3}}, f.at(point{x0, y0}), f.at(point{x1, y1}))
	}
}

func finite(points []point) []point {
	var kept []point
	for _, p := range points {
		if areFinite(p.X, p.Y) {
			kept = append(kept, p)
		}
	}
	return kept
}

func areFinite(numbers ...float64) bool {
	for _, x := range numbers {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return false
		}
	}
	return true
}

// percent writes a fraction in percent with as few digits as possible.
func percent(x float64) string {
	return number(100*x) + "\u00a0%"
}

// number writes a tick with as few digits as possible.
func number(x float64) string {
	if math.Abs(x) < 1e-12 {
		return "0"
	}
	return strings.Replace(fmt.Sprintf("%.6g", x), "-", "−", 1)
}
