package plots

import (
	"math"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Sizes of a figure in points. It is drawn small, so that a phone need not shrink
// it much.
const (
	figureWidth  vg.Length = 330
	figureHeight vg.Length = 260
	labelSize    vg.Length = 11
	tickSize     vg.Length = 10
)

// maxTicks bounds the ticks of an axis whose step is too small to count, as
// happens where steps are lost in rounding.
const maxTicks = 50

// newPlot returns a plot with these axis labels and nothing in it.
func newPlot(x, y string) *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Color, a.Tick.Color = grey, grey
		a.Label.TextStyle = style(labelSize, draw.XCenter, draw.YBottom)
		a.Label.Padding = vg.Points(4)
		a.Padding = 0
	}
	p.X.Label.Text, p.Y.Label.Text = x, y
	p.X.Tick.Label = style(tickSize, draw.XCenter, draw.YTop)
	p.Y.Tick.Label = style(tickSize, draw.XRight, draw.YCenter)
	p.Legend.TextStyle = style(tickSize, draw.XLeft, draw.YBottom)
	p.Legend.TextStyle.Handler, p.TextHandler = plain, plain
	return p
}

// withGrid adds grid lines at the labelled ticks.
func withGrid(p *plot.Plot) {
	g := plotter.NewGrid()
	g.Vertical.Color, g.Horizontal.Color = faint, faint
	p.Add(g)
}

// linear makes an axis run from low to high with a tick at each step.
func linear(a *plot.Axis, low, high, step float64, label func(float64) string) {
	a.Min, a.Max = low, high
	ticks := []plot.Tick{}
	for i := math.Ceil(low/step - 1e-9); i*step <= high*(1+1e-9); i++ {
		if len(ticks) == maxTicks {
			break
		}
		ticks = append(ticks, plot.Tick{Value: i * step, Label: label(i * step)})
	}
	a.Tick.Marker = plot.ConstantTicks(ticks)
}

// logarithmic makes an axis run from low to high, both positive, on a scale of
// logarithms. Decades are labelled, and where few of them are seen, their 2 and 5.
func logarithmic(a *plot.Axis, low, high float64, label func(float64) string) {
	if !(high > low) {
		low, high = low/2, high*2
	}
	a.Min, a.Max = low, high
	a.Scale = plot.LogScale{}
	few := math.Log10(high/low) < 2.2
	var ticks []plot.Tick
	for e := math.Floor(math.Log10(low)); e <= math.Ceil(math.Log10(high)); e++ {
		for m := 1; m < 10; m++ {
			t := plot.Tick{Value: decimal(m, int(e))}
			if m == 1 || few && (m == 2 || m == 5) {
				t.Label = label(t.Value)
			}
			ticks = append(ticks, t)
		}
	}
	a.Tick.Marker = plot.ConstantTicks(ticks)
}

// decimal returns the number that is written m·10^e, without the error that
// multiplying leaves.
func decimal(m, e int) float64 {
	x, _ := strconv.ParseFloat(strconv.Itoa(m)+"e"+strconv.Itoa(e), 64)
	return x
}

// niceStep returns 1, 2 or 5 times a power of ten that cuts a range into about n
// pieces.
func niceStep(span float64, n int) float64 {
	if !(span > 0) || math.IsInf(span, 0) {
		return 1
	}
	e := int(math.Floor(math.Log10(span / float64(n))))
	for _, m := range []int{1, 2, 5} {
		if step := decimal(m, e); step*float64(n) >= span*(1-1e-9) {
			return step
		}
	}
	return decimal(1, e+1)
}
