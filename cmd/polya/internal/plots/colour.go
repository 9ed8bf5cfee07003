package plots

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

var (
	ink   = color.RGBA{0x22, 0x22, 0x22, 0xff}
	faint = color.RGBA{0xdd, 0xdd, 0xdd, 0xff}
	grey  = color.RGBA{0x77, 0x77, 0x77, 0xff}
	black = color.RGBA{0, 0, 0, 0xff}
	white = color.RGBA{0xff, 0xff, 0xff, 0xff}
)

// series are the colours of lines: those of Okabe and Ito ("Color Universal Design",
// 2008), which readers with any of the usual kinds of colour blindness tell apart,
// without yellow, which is too light on white.
var series = []color.RGBA{
	{0x00, 0x72, 0xb2, 0xff}, // blue
	{0xd5, 0x5e, 0x00, 0xff}, // vermilion
	{0x00, 0x9e, 0x73, 0xff}, // bluish green
	{0x00, 0x00, 0x00, 0xff}, // black
	{0xcc, 0x79, 0xa7, 0xff}, // reddish purple
	{0xe6, 0x9f, 0x00, 0xff}, // orange
	{0x56, 0xb4, 0xe9, 0xff}, // sky blue
}

// dashes are the patterns of lines, in points. There are as many as do not divide
// the number of colours, so that 28 lines differ, and neighbours differ in print
// without colour.
var dashes = [][]vg.Length{nil, {6, 2}, {2, 2}, {7, 2, 1.5, 2}}

var glyphs = []draw.GlyphDrawer{
	draw.CircleGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{}, diamond{},
	draw.RingGlyph{}, draw.SquareGlyph{}, draw.TriangleGlyph{}, draw.CrossGlyph{},
}

// diamond is a filled square on its corner.
type diamond struct{}

// DrawGlyph draws it.
func (diamond) DrawGlyph(c *draw.Canvas, sty draw.GlyphStyle, at vg.Point) {
	r := 1.4 * sty.Radius
	c.FillPolygon(sty.Color, []vg.Point{
		{X: at.X - r, Y: at.Y}, {X: at.X, Y: at.Y - r}, {X: at.X + r, Y: at.Y}, {X: at.X, Y: at.Y + r},
	})
}

// line returns the style of line i of a figure.
func line(i int) draw.LineStyle {
	return draw.LineStyle{Color: series[i%len(series)], Width: vg.Points(1.4), Dashes: dashes[i%len(dashes)]}
}

// glyph returns the style of the marks of line i of a figure.
func glyph(i int) draw.GlyphStyle {
	return draw.GlyphStyle{Color: series[i%len(series)], Radius: vg.Points(3), Shape: glyphs[i%len(glyphs)]}
}

// shade returns the colour of a fraction of 0 to 1, from white to dark blue. Its
// lightness falls evenly, which is what print without colour shows.
func shade(x float64) color.RGBA {
	x = math.Min(math.Max(x, 0), 1)
	dark := color.RGBA{0x08, 0x30, 0x6b, 0xff}
	mix := func(from, to uint8) uint8 {
		return uint8(math.Round(float64(from) + x*(float64(to)-float64(from))))
	}
	return color.RGBA{mix(white.R, dark.R), mix(white.G, dark.G), mix(white.B, dark.B), 0xff}
}

// on returns the colour in which text is read best on shade(x). At the bound black
// and white both have a contrast of 4.6.
func on(x float64) color.RGBA {
	if x > .66 {
		return white
	}
	return black
}
