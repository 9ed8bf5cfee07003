package evaluating

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// axis is one of the two of a chart.
type axis struct {
	label     string
	low, high float64
	log       bool
	ticks     []tick
}

// tick is a line across the chart, with a label, or a short mark without one.
type tick struct {
	value float64
	label string
}

// end returns where the line of a tick ends that begins at an axis.
func (t tick) end(axis, across float64) float64 {
	if t.label == "" {
		return axis
	}
	return across
}

// part returns the position of a value between the ends of the axis, clamped to 0 to 1.
func (a *axis) part(value float64) float64 {
	low, high := a.low, a.high
	if a.log {
		low, high, value = math.Log(low), math.Log(high), math.Log(max(value, low))
	}
	return min(max((value-low)/(high-low), 0), 1)
}

// linear returns an axis from low to high with a tick at each step.
func linear(label string, low, high, step float64, text func(float64) string) axis {
	a := axis{label: label, low: low, high: high}
	const most = 50 // ticks, where the step is lost in rounding
	for i := math.Ceil(low/step - 1e-9); i*step <= high*(1+1e-9) && len(a.ticks) < most; i++ {
		a.ticks = append(a.ticks, tick{i * step, text(i * step)})
	}
	return a
}

// shares returns an axis of shares, from 0 to 1.
func shares(label string) axis { return linear(label, 0, 1, .2, percentage) }

// logarithmic returns an axis from low to high, both positive, on a scale of logarithms.
// Decades are labelled and, if few are visible, their 2 and 5.
func logarithmic(label string, low, high float64, text func(float64) string) axis {
	if !(high > low) {
		low, high = low/2, high*2
	}
	a := axis{label: label, low: low, high: high, log: true}
	few := math.Log10(high/low) < 2.2
	for e := math.Floor(math.Log10(low)); e <= math.Ceil(math.Log10(high)); e++ {
		for m := 1; m < 10; m++ {
			t := tick{value: exact(m, int(e))}
			if t.value < low*(1-1e-9) || t.value > high*(1+1e-9) {
				continue
			}
			if m == 1 || few && (m == 2 || m == 5) {
				t.label = text(t.value)
			}
			a.ticks = append(a.ticks, t)
		}
	}
	return a
}

// exact returns the number written m·10^e, without the rounding error of multiplying.
func exact(m, e int) float64 {
	x, _ := strconv.ParseFloat(strconv.Itoa(m)+"e"+strconv.Itoa(e), 64)
	return x
}

// niceStep returns 1, 2 or 5 times a power of ten that divides a range into about n
// pieces.
func niceStep(span float64, n int) float64 {
	if !(span > 0) || math.IsInf(span, 0) {
		return 1
	}
	e := int(math.Floor(math.Log10(span / float64(n))))
	for _, m := range []int{1, 2, 5} {
		if step := exact(m, e); step*float64(n) >= span*(1-1e-9) {
			return step
		}
	}
	return exact(1, e+1)
}

// percentage writes a tick in percent with as few digits as possible.
func percentage(x float64) string { return number(100*x) + "\u00a0%" }

// number writes a tick with as few digits as possible.
func number(x float64) string {
	if math.Abs(x) < 1e-12 {
		return "0"
	}
	return strings.Replace(fmt.Sprintf("%.6g", x), "-", "−", 1)
}

func finite(points []point) []point {
	var kept []point
	for _, p := range points {
		if x := p.X + p.Y; !math.IsNaN(x) && !math.IsInf(x, 0) {
			kept = append(kept, p)
		}
	}
	return kept
}
