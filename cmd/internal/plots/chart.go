package plots

import "math"

// Sizes of a figure in points, small enough that a phone need not shrink it much.
const (
	figureWidth  = 330.
	figureHeight = 260.
	labelSize    = 11.
	tickSize     = 10.
)

// For letters of size 1: the height of capitals and digits, the depth below the base line, and
// the line height.
const (
	capital = .7
	descent = .22
	leading = 1.15
)

const (
	tickLength = 7. // of a labelled tick; others are half as long
	labelSpace = 4. // between an axis's label and its tick labels
	tickSpace  = 2. // between a tick and its label
)

// tick is a mark at an axis, with a label or none.
type tick struct {
	value float64
	label string
}

// axis is one of the two of a chart.
type axis struct {
	label     string
	low, high float64
	log       bool
	ticks     []tick
	names     bool // ticks are names of cells: without lines, and upright below the chart
}

// part returns the position of a value between the ends of the axis, clamped to 0 to 1.
func (a *axis) part(value float64) float64 {
	low, high := a.low, a.high
	if a.log {
		low, high, value = math.Log(low), math.Log(high), math.Log(max(value, low))
	}
	return min(max((value-low)/(high-low), 0), 1)
}

func (a *axis) labels() []string {
	var list []string
	for _, t := range a.ticks {
		list = append(list, t.label)
	}
	return list
}

func (a *axis) tickRoom() float64 {
	if a.names {
		return tickSpace
	}
	return tickLength + tickSpace
}

func (a *axis) labelRoom() float64 {
	if a.label == "" {
		return 0
	}
	return labelSize*leading + labelSpace
}

// chart is two axes, and what is drawn between them.
type chart struct {
	x, y   axis
	grid   bool
	layers []layer
}

// layer draws one thing in the field of a chart.
type layer func(*canvas, field)

// field is the part of a canvas between the axes of a chart.
type field struct {
	rectangle
	chart *chart
}

// at returns the canvas coordinates of a point of the chart.
func (f field) at(p point) point {
	return point{
		f.left + f.chart.x.part(p.X)*(f.right-f.left),
		f.bottom + f.chart.y.part(p.Y)*(f.top-f.bottom),
	}
}

func (f field) all(points []point) []point {
	list := make([]point, len(points))
	for i, p := range points {
		list[i] = f.at(p)
	}
	return list
}

func newChart(x, y string) *chart {
	return &chart{x: axis{label: x}, y: axis{label: y}}
}

func (c *chart) add(l layer) { c.layers = append(c.layers, l) }

func (c *chart) margin() float64 {
	return 2 + c.y.labelRoom() + widest(c.y.labels(), tickSize) + c.y.tickRoom()
}

// foot returns the height of the room below the field.
func (c *chart) foot() float64 {
	ticks := tickSize * leading
	if c.x.names {
		ticks = widest(c.x.labels(), tickSize)
	}
	return 2 + c.x.labelRoom() + ticks + c.x.tickRoom()
}

// draw draws the chart in a part of the canvas, with the margin given. It leaves room at the
// right and above for half a letter at the ends of axes.
func (c *chart) draw(to *canvas, in rectangle, margin float64) {
	f := field{rectangle{in.left + margin, in.bottom + c.foot(), in.right - 14, in.top - 6}, c}
	if c.grid {
		c.drawGrid(to, f)
	}
	for _, l := range c.layers {
		l(to, f)
	}
	c.drawX(to, f, in)
	c.drawY(to, f, in)
}

func (c *chart) drawGrid(to *canvas, f field) {
	s := stroke{colour: faint, width: .5}
	for _, t := range c.x.ticks {
		if x := f.at(point{X: t.value}).X; t.label != "" {
			to.line(s, point{x, f.bottom}, point{x, f.top})
		}
	}
	for _, t := range c.y.ticks {
		if y := f.at(point{Y: t.value}).Y; t.label != "" {
			to.line(s, point{f.left, y}, point{f.right, y})
		}
	}
}

func (c *chart) drawX(to *canvas, f field, in rectangle) {
	s := stroke{colour: grey, width: .5}
	how := lettering{colour: ink, size: tickSize, along: .5}
	for _, t := range c.x.seen() {
		x := f.at(point{X: t.value}).X
		if c.x.names {
			how.along, how.upright = 1, true
			to.text(how, point{x + capital*tickSize/2, f.bottom - tickSpace}, t.label)
			continue
		}
		to.line(s, point{x, f.bottom}, point{x, f.bottom - t.length()})
		if t.label != "" {
			to.text(how, point{x, f.bottom - c.x.tickRoom() - capital*tickSize}, t.label)
		}
	}
	if !c.x.names {
		to.line(s, point{f.left, f.bottom}, point{f.right, f.bottom})
	}
	if c.x.label != "" {
		to.text(lettering{colour: ink, size: labelSize, along: .5}, point{(f.left + f.right) / 2, in.bottom + 2 + descent*labelSize}, c.x.label)
	}
}

func (c *chart) drawY(to *canvas, f field, in rectangle) {
	s := stroke{colour: grey, width: .5}
	for _, t := range c.y.seen() {
		y := f.at(point{Y: t.value}).Y
		if !c.y.names {
			to.line(s, point{f.left, y}, point{f.left - t.length(), y})
		}
		if t.label != "" {
			to.text(lettering{colour: ink, size: tickSize, along: 1}, point{f.left - c.y.tickRoom(), y - capital*tickSize/2}, t.label)
		}
	}
	if !c.y.names {
		to.line(s, point{f.left, f.bottom}, point{f.left, f.top})
	}
	if c.y.label != "" {
		// Left of the widest tick label, which may be in the other of two charts.
		x := f.left - c.y.tickRoom() - widest(c.y.labels(), tickSize) - labelSpace - descent*labelSize
		to.text(lettering{colour: ink, size: labelSize, along: .5, upright: true}, point{x, (f.bottom + f.top) / 2}, c.y.label)
	}
}

// seen returns the ticks between the ends of the axis.
func (a *axis) seen() []tick {
	var list []tick
	slack := 1e-9 * (a.high - a.low)
	for _, t := range a.ticks {
		if t.value >= a.low-slack && t.value <= a.high+slack {
			list = append(list, t)
		}
	}
	return list
}

func (t tick) length() float64 {
	if t.label == "" {
		return tickLength / 2
	}
	return tickLength
}
