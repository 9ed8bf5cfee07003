package evaluating

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
	chartWidth   = 330.
	chartHeight  = 280.
	marginLeft   = 62.
	marginRight  = 16.
	marginTop    = 6.
	marginBottom = 38.
)

const (
	ink   = "#222222"
	grey  = "#777777"
	faint = "#dddddd"
)

// colours are those of lines, from Okabe and Ito ("Color Universal Design", 2008): readers
// with any of the usual kinds of colour blindness can distinguish them.
var colours = []string{"#0072b2", "#d55e00", "#009e73", "#000000", "#cc79a7", "#e69f00", "#56b4e9"}

// dashes are the patterns of lines. Their number is coprime to the number of colours, so
// that 28 lines differ, and neighbours differ in print without colour.
var dashes = []string{"", "6,2", "2,2", "7,2,1.5,2"}

// shapes are the marks of lines around their place: a disc, a square, a triangle and a
// diamond. Those of the next four lines are hollow.
var shapes = []string{"m-3,0a3,3 0 1,0 6,0a3,3 0 1,0 -6,0Z", "m-2.7,-2.7h5.4v5.4h-5.4Z", "m0,-3.6l3.1,5.4h-6.2Z", "m0,-4.2l4.2,4.2l-4.2,4.2l-4.2,-4.2Z"}

func colour(i int) string { return colours[i%len(colours)] }

// point is a place in the units of the axes of a chart.
type point struct{ X, Y float64 }

// chart is a drawing in SVG between two axes, which are set before anything is drawn.
type chart struct {
	x, y   axis
	height float64
	body   strings.Builder
}

// place returns the coordinates of a point in the SVG element.
func (c *chart) place(p point) (x, y string) {
	return coordinate(marginLeft + c.x.part(p.X)*(chartWidth-marginLeft-marginRight)),
		coordinate(c.height - marginBottom - c.y.part(p.Y)*(c.height-marginTop-marginBottom))
}

func (c *chart) path(points []point) string {
	var b strings.Builder
	for i, p := range points {
		x, y := c.place(p)
		b.WriteByte("ML"[min(i, 1)])
		b.WriteString(x + "," + y)
	}
	return b.String()
}

// line draws line i through points.
func (c *chart) line(i int, points ...point) {
	if len(points) > 1 {
		fmt.Fprintf(&c.body, `<path class="line" d="%s" fill="none" stroke="%s" stroke-width="1.4"%s/>`+"\n", c.path(points), colour(i), dashed(i))
	}
}

func dashed(i int) string {
	if d := dashes[i%len(dashes)]; d != "" {
		return ` stroke-dasharray="` + d + `"`
	}
	return ""
}

// rule draws a thin line through points.
func (c *chart) rule(colour, dashes string, points ...point) {
	fmt.Fprintf(&c.body, `<path d="%s" fill="none" stroke="%s" stroke-width="0.7" stroke-dasharray="%s"/>`+"\n", c.path(points), colour, dashes)
}

// area fills a polygon faintly in the colour of line i.
func (c *chart) area(i int, points []point) {
	if len(points) > 2 {
		fmt.Fprintf(&c.body, `<path d="%sZ" fill="%s" fill-opacity="0.14"/>`+"\n", c.path(points), colour(i))
	}
}

// marks draws the marks of line i at points.
func (c *chart) marks(i int, points ...point) {
	for _, p := range points {
		x, y := c.place(p)
		c.body.WriteString(mark(i, x, y))
	}
}

func mark(i int, x, y string) string {
	fill := colour(i)
	if i/len(shapes)%2 == 1 {
		fill = "none"
	}
	return fmt.Sprintf(`<path d="M%s,%s%s" fill="%s" stroke="%s" stroke-width="0.8"/>`+"\n", x, y, shapes[i%len(shapes)], fill, colour(i))
}

// svg returns the drawing as an element of an HTML document. Label is its text for screen
// readers.
func (c *chart) svg(label string) string {
	left, right, top, bottom := marginLeft, chartWidth-marginRight, marginTop, c.height-marginBottom
	var b strings.Builder
	fmt.Fprintf(&b, `<svg viewBox="0 0 %v %v" width="%[1]vpt" role="img" aria-label="%[3]s" font-family="sans-serif" font-size="10" fill="%[4]s">`+"\n",
		chartWidth, c.height, html.EscapeString(label), ink)
	for _, t := range c.x.ticks {
		x, _ := c.place(point{X: t.value})
		fmt.Fprintf(&b, `<path d="M%s,%vV%v" stroke="%s" stroke-width="0.5"/>`+"\n", x, bottom+3, t.end(bottom, top), faint)
		fmt.Fprintf(&b, `<text x="%s" y="%v" text-anchor="middle">%s</text>`+"\n", x, bottom+14, t.label)
	}
	for _, t := range c.y.ticks {
		_, y := c.place(point{Y: t.value})
		fmt.Fprintf(&b, `<path d="M%v,%sH%v" stroke="%s" stroke-width="0.5"/>`+"\n", left-3, y, t.end(left, right), faint)
		fmt.Fprintf(&b, `<text x="%v" y="%s" dy="3.5" text-anchor="end">%s</text>`+"\n", left-6, y, t.label)
	}
	b.WriteString(c.body.String())
	fmt.Fprintf(&b, `<path d="M%v,%vV%vH%v" fill="none" stroke="%s" stroke-width="0.5"/>`+"\n", left, top, bottom, right, grey)
	fmt.Fprintf(&b, `<text x="%v" y="%v" text-anchor="middle">%s</text>`+"\n", (left+right)/2, c.height-6, html.EscapeString(c.x.label))
	fmt.Fprintf(&b, `<text transform="translate(12,%v) rotate(-90)" text-anchor="middle">%s</text>`+"\n</svg>", (top+bottom)/2, html.EscapeString(c.y.label))
	return b.String()
}

// coordinate writes one with two decimals, finer than any screen.
func coordinate(x float64) string { return strconv.FormatFloat(math.Round(x*100)/100+0, 'f', -1, 64) }

// figure is a drawing and its legend. The legend is HTML, which has room for names of any
// length and script.
type figure struct {
	Caption string
	SVG     string
	Legend  []key
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

func (c *chart) figure(caption string, curves ...curve) figure {
	f := figure{Caption: caption, SVG: c.svg(caption)}
	for _, l := range curves {
		sample := fmt.Sprintf(`<svg viewBox="0 0 34 10" width="34pt" role="img" aria-label="line %d"><path d="M1,5H33" stroke="%s" stroke-width="1.4"%s/>%s</svg>`,
			l.index+1, colour(l.index), dashed(l.index), mark(l.index, "17", "5"))
		f.Legend = append(f.Legend, key{sample, printable(l.name)})
	}
	return f
}
