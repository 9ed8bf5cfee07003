package page

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/polya-classifier/polya/classify/eval"
)

// Charts are SVG in a box of these units, with colours from the style sheet.
const (
	chartWidth, chartHeight = 360.0, 220.0
	left, right             = 44.0, 10.0 // margins between box and frame
	top, bottom             = 10.0, 30.0
)

// tick is a mark of an axis.
type tick struct {
	At   float64
	Text string
}

// point is a mark with the interval about it.
type point struct {
	X, Y, Low, High float64
	Size            float64
	Title           string
}

// across and up return the coordinates of a share of the axes.
func across(share float64) float64 { return round(left + share*(chartWidth-left-right)) }
func up(share float64) float64 {
	return round(chartHeight - bottom - share*(chartHeight-top-bottom))
}

// chart is points on a line, before a diagonal.
type chart struct {
	Points       []point
	X, Y         []tick
	Line, Behind string // paths
}

func reliabilityOf(bins []eval.Bin) (c chart) {
	most := 1
	for _, b := range bins {
		most = max(most, b.Docs)
	}
	var line []string
	for _, b := range bins {
		if b.Docs == 0 {
			continue
		}
		low, high := eval.Wilson(b.Frequency, b.Docs)
		p := point{
			X: across(b.Probability), Y: up(b.Frequency), Low: up(low), High: up(high),
			Size:  round(2.5 + 4*math.Sqrt(float64(b.Docs)/float64(most))),
			Title: fmt.Sprintf("%d %s said with %s on average: %s right", b.Docs, plural(b.Docs, "answer"), percent(b.Probability), percent(b.Frequency)),
		}
		c.Points = append(c.Points, p)
		line = append(line, fmt.Sprintf("%g %g", p.X, p.Y))
	}
	if line != nil {
		c.Line = "M" + strings.Join(line, "L")
	}
	c.Behind = fmt.Sprintf("M%g %gL%g %g", across(0), up(0), across(1), up(1))
	for _, x := range []float64{0, .25, .5, .75, 1} {
		text := strconv.FormatFloat(100*x, 'f', -1, 64)
		c.X, c.Y = append(c.X, tick{across(x), text}), append(c.Y, tick{up(x), text})
	}
	return c
}
