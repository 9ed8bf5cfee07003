package evaluation

import (
	"fmt"
	"html"
	"math"
	"strconv"
	"strings"
)

// Sizes of a chart in points, small enough that a phone need not shrink it much, and its
// margins, which have room for the labels of the axes.
const (
	chartWidth, chartHeight = 330., 280.
	left, right             = 62., chartWidth - 16
	top, bottom             = 6., chartHeight - 38
	ink, grey, faint        = "#222222", "#777777", "#dddddd"
)

// colours are those of lines, from Okabe and Ito ("Color Universal Design", 2008): readers
// with any of the usual kinds of colour blindness can distinguish them.
var colours = []string{"#0072b2", "#d55e00", "#009e73", "#000000", "#cc79a7", "#e69f00", "#56b4e9"}

// dashes are the patterns of lines. Their number is coprime to the number of colours, so
// that 28 lines differ, and neighbours differ in print without colour.
var dashes = []string{"none", "6,2", "2,2", "7,2,1.5,2"}

// look returns the attributes of line i.
func look(i int) string {
	return fmt.Sprintf(`stroke="%s" stroke-dasharray="%s"`, colours[i%len(colours)], dashes[i%len(dashes)])
}

// point is a place in the units of the axes of a chart.
type point struct{ X, Y float64 }

// axis goes from 0 to 1 or, if low is above 0, from there to 1 on a scale of logarithms.
type axis struct {
	label string
	low   float64
}

// part returns the position of a value between the ends of the axis, clamped to 0 to 1.
func (a axis) part(value float64) float64 {
	if a.low > 0 {
		value = 1 - math.Log(max(value, a.low))/math.Log(a.low)
	}
	return min(max(value, 0), 1)
}

func (a axis) ticks() []float64 {
	if a.low == 0 {
		return []float64{0, .2, .4, .6, .8, 1}
	}
	var decades []float64
	for t := 1.; t >= a.low; t /= 10 {
		decades = append(decades, t)
	}
	return decades
}

// percentage writes a share in percent with as few digits as possible.
func percentage(x float64) string { return fmt.Sprintf("%.6g\u00a0%%", 100*x) }

// chart is a drawing in SVG between two axes.
type chart struct {
	x, y axis
	body strings.Builder
}

// place returns the coordinates of a point in the SVG element.
func (c *chart) place(p point) (x, y string) {
	return coordinate(left + c.x.part(p.X)*(right-left)), coordinate(bottom - c.y.part(p.Y)*(bottom-top))
}

// coordinate writes one with a decimal, finer than most screens.
func coordinate(x float64) string { return strconv.FormatFloat(math.Round(x*10)/10, 'f', -1, 64) }

// line draws a line through points, without those that cannot be distinguished from the one
// before.
func (c *chart) line(attributes string, points ...point) {
	var path []byte
	before := ""
	for _, p := range points {
		x, y := c.place(p)
		if at := x + "," + y; at != before {
			path = append(append(path, "ML"[min(len(path), 1)]), at...)
			before = at
		}
	}
	fmt.Fprintf(&c.body, `<path d="%s" fill="none" %s/>`+"\n", path, attributes)
}

func (c *chart) mark(i int, p point) {
	x, y := c.place(p)
	fmt.Fprintf(&c.body, `<circle cx="%s" cy="%s" r="3" fill="%s"/>`+"\n", x, y, colours[i%len(colours)])
}

// svg returns the drawing as an element of an HTML document. Label is its text for screen
// readers.
func (c *chart) svg(label string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg viewBox="0 0 %v %v" width="%[1]vpt" role="img" aria-label="%[3]s" font-family="sans-serif" font-size="10" fill="%[4]s">`+"\n",
		chartWidth, chartHeight, html.EscapeString(label), ink)
	for _, t := range c.x.ticks() {
		x, _ := c.place(point{X: t})
		fmt.Fprintf(&b, `<path d="M%s,%vV%v" stroke="%s"/><text x="%[1]s" y="%[5]v" text-anchor="middle">%[6]s</text>`+"\n", x, bottom, top, faint, bottom+14, percentage(t))
	}
	for _, t := range c.y.ticks() {
		_, y := c.place(point{Y: t})
		fmt.Fprintf(&b, `<path d="M%v,%sH%v" stroke="%s"/><text x="%[5]v" y="%[2]s" dy="3.5" text-anchor="end">%[6]s</text>`+"\n", left, y, right, faint, left-6, percentage(t))
	}
	fmt.Fprintf(&b, `%s<text x="%v" y="%v" text-anchor="middle">%s</text>`+"\n", c.body.String(), (left+right)/2, chartHeight-6, html.EscapeString(c.x.label))
	fmt.Fprintf(&b, `<text transform="translate(12,%v) rotate(-90)" text-anchor="middle">%s</text>`+"\n</svg>", (top+bottom)/2, html.EscapeString(c.y.label))
	return b.String()
}
