package plots

import (
	"fmt"
	"html"
	"image/color"
	"math"
	"strconv"
	"strings"
)

// point is a place: on a canvas in points of 1/72 inch from its lower left corner, or
// in a chart in the units of its axes.
type point struct{ X, Y float64 }

// rectangle is a part of a canvas.
type rectangle struct{ left, bottom, right, top float64 }

// corners returns the corners of r, the first at both ends.
func (r rectangle) corners() []point {
	return []point{{r.left, r.bottom}, {r.right, r.bottom}, {r.right, r.top}, {r.left, r.top}, {r.left, r.bottom}}
}

// stroke is how a line is drawn.
type stroke struct {
	colour color.RGBA
	width  float64
	dashes []float64 // nil for a solid line
}

// lettering is how a line of text is drawn.
type lettering struct {
	colour  color.RGBA
	size    float64
	along   float64 // the share of it before its point: 0, ½ or 1
	upright bool    // turned to the left, and read upwards
}

// canvas is a drawing in SVG.
type canvas struct {
	width, height float64
	body          strings.Builder
}

func newCanvas(width, height float64) *canvas { return &canvas{width: width, height: height} }

func (c *canvas) all() rectangle { return rectangle{0, 0, c.width, c.height} }

// svg returns the drawing as an element that can stand in an HTML document. Label is its
// text for screen readers.
func (c *canvas) svg(label string) string {
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %s %s" width="%spt" role="img" aria-label="%s" font-family="%s">%s</svg>`,
		short2(c.width), short2(c.height), short2(c.width), html.EscapeString(label), families, c.body.String())
}

func (c *canvas) line(s stroke, points ...point) {
	if len(points) < 2 {
		return
	}
	fmt.Fprintf(&c.body, `<path d="%s" fill="none" stroke="%s" stroke-width="%s"`, c.path(points), hex(s.colour), short2(s.width))
	if s.dashes != nil {
		dashes := make([]string, len(s.dashes))
		for i, d := range s.dashes {
			dashes[i] = short2(d)
		}
		fmt.Fprintf(&c.body, ` stroke-dasharray="%s"`, strings.Join(dashes, ","))
	}
	c.body.WriteString("/>\n")
}

// fill fills the polygon of the points with this opacity, 0 to 1.
func (c *canvas) fill(colour color.RGBA, opacity float64, points ...point) {
	if len(points) < 3 {
		return
	}
	fmt.Fprintf(&c.body, `<path d="%sZ" fill="%s"`, c.path(points), hex(colour))
	if opacity < 1 {
		fmt.Fprintf(&c.body, ` fill-opacity="%s"`, short2(opacity))
	}
	c.body.WriteString("/>\n")
}

func (c *canvas) disc(colour color.RGBA, at point, radius float64) {
	fmt.Fprintf(&c.body, `<path d="%s" fill="%s"/>`+"\n", c.circle(at, radius), hex(colour))
}

func (c *canvas) ring(s stroke, at point, radius float64) {
	fmt.Fprintf(&c.body, `<path d="%s" fill="none" stroke="%s" stroke-width="%s"/>`+"\n", c.circle(at, radius), hex(s.colour), short2(s.width))
}

func (c *canvas) circle(at point, radius float64) string {
	r, across := short2(radius), short2(2*radius)
	return fmt.Sprintf("M%s,%sa%s,%s 0 1,0 %s,0a%s,%s 0 1,0 -%s,0Z", short2(at.X-radius), short2(c.height-at.Y), r, r, across, r, r, across)
}

// text draws a line of text whose base line goes through the point. It keeps its layout
// width in any font of the reader, if the widths of its letters are known.
func (c *canvas) text(how lettering, at point, s string) {
	wide := textWidth(s, how.size)
	x, y := at.X-how.along*wide, c.height-at.Y
	turn := ""
	if how.upright {
		x, y = at.X, c.height-at.Y+how.along*wide
		turn = fmt.Sprintf(` transform="rotate(-90,%s,%s)"`, short2(x), short2(y))
	}
	c.body.WriteString("<text ")
	if known(s) && wide > 0 {
		fmt.Fprintf(&c.body, `textLength="%s" lengthAdjust="spacingAndGlyphs" `, short2(wide))
	}
	fmt.Fprintf(&c.body, `x="%s" y="%s"%s font-size="%s" fill="%s">%s</text>`+"\n",
		short2(x), short2(y), turn, short2(how.size), hex(how.colour), html.EscapeString(s))
}

func (c *canvas) path(points []point) string {
	var b strings.Builder
	for i, p := range points {
		b.WriteByte("ML"[min(i, 1)])
		b.WriteString(short2(p.X))
		b.WriteByte(',')
		b.WriteString(short2(c.height - p.Y))
	}
	return b.String()
}

func hex(c color.RGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }

// short2 writes a coordinate with two decimals, finer than any screen.
func short2(x float64) string {
	return strconv.FormatFloat(math.Round(x*100)/100+0, 'f', -1, 64)
}
