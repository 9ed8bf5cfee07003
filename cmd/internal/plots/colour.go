package plots

import (
	"image/color"
	"math"
)

var (
	ink   = color.RGBA{0x22, 0x22, 0x22, 0xff}
	faint = color.RGBA{0xdd, 0xdd, 0xdd, 0xff}
	grey  = color.RGBA{0x77, 0x77, 0x77, 0xff}
	black = color.RGBA{0, 0, 0, 0xff}
	white = color.RGBA{0xff, 0xff, 0xff, 0xff}
)

// series are the colours of lines, from Okabe and Ito ("Color Universal Design", 2008):
// readers with any of the usual kinds of colour blindness can distinguish them. Yellow is
// left out, as too light on white.
var series = []color.RGBA{
	{0x00, 0x72, 0xb2, 0xff}, // blue
	{0xd5, 0x5e, 0x00, 0xff}, // vermilion
	{0x00, 0x9e, 0x73, 0xff}, // bluish green
	{0x00, 0x00, 0x00, 0xff}, // black
	{0xcc, 0x79, 0xa7, 0xff}, // reddish purple
	{0xe6, 0x9f, 0x00, 0xff}, // orange
	{0x56, 0xb4, 0xe9, 0xff}, // sky blue
}

// dashes are the patterns of lines, in points. Their number is coprime to the number of
// colours, so that 28 lines differ, and neighbours differ in print without colour.
var dashes = [][]float64{nil, {6, 2}, {2, 2}, {7, 2, 1.5, 2}}

func line(i int) stroke {
	return stroke{series[i%len(series)], 1.4, dashes[i%len(dashes)]}
}

// markKinds is the number of different marks.
const markKinds = 8

// mark draws a mark of line i: a disc, a square, a triangle or a diamond, these hollow,
// or a cross.
func mark(c *canvas, i int, at point) {
	const r = 3.
	colour := series[i%len(series)]
	s := stroke{colour: colour, width: .8}
	around := func(corners ...point) []point {
		for i := range corners {
			corners[i] = point{at.X + r*corners[i].X, at.Y + r*corners[i].Y}
		}
		return corners
	}
	square := around(point{-.89, -.89}, point{.89, -.89}, point{.89, .89}, point{-.89, .89}, point{-.89, -.89})
	triangle := around(point{-1.04, -.6}, point{1.04, -.6}, point{0, 1.2}, point{-1.04, -.6})
	switch i % markKinds {
	case 0:
		c.disc(colour, at, r)
	case 1:
		c.fill(colour, 1, square...)
	case 2:
		c.fill(colour, 1, triangle...)
	case 3:
		c.fill(colour, 1, around(point{-1.4, 0}, point{0, -1.4}, point{1.4, 0}, point{0, 1.4})...)
	case 4:
		c.ring(s, at, r)
	case 5:
		c.line(s, square...)
	case 6:
		c.line(s, triangle...)
	case 7:
		c.line(s, square[0], square[2])
		c.line(s, square[1], square[3])
	}
}

// shade returns the colour of a fraction of 0 to 1, from white to dark blue. Its
// lightness falls evenly, for print without colour.
func shade(x float64) color.RGBA {
	x = math.Min(math.Max(x, 0), 1)
	dark := color.RGBA{0x08, 0x30, 0x6b, 0xff}
	mix := func(from, to uint8) uint8 {
		return uint8(math.Round(float64(from) + x*(float64(to)-float64(from))))
	}
	return color.RGBA{mix(white.R, dark.R), mix(white.G, dark.G), mix(white.B, dark.B), 0xff}
}

// on returns the most readable text colour on shade(x). At the bound black and white both
// have a contrast of 4.6.
func on(x float64) color.RGBA {
	if x > .66 {
		return white
	}
	return black
}
