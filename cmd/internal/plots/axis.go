package plots

import (
	"math"
	"strconv"
)

// maxTicks bounds the ticks of an axis whose step is lost in rounding.
const maxTicks = 50

// linear makes an axis run from low to high with a tick at each step.
func linear(a *axis, low, high, step float64, label func(float64) string) {
	a.low, a.high = low, high
	a.ticks = nil
	for i := math.Ceil(low/step - 1e-9); i*step <= high*(1+1e-9); i++ {
		if len(a.ticks) == maxTicks {
			break
		}
		a.ticks = append(a.ticks, tick{i * step, label(i * step)})
	}
}

// logarithmic makes an axis run from low to high, both positive, on a scale of
// logarithms. Decades are labelled and, if few are visible, their 2 and 5.
func logarithmic(a *axis, low, high float64, label func(float64) string) {
	if !(high > low) {
		low, high = low/2, high*2
	}
	a.low, a.high = low, high
	a.log, a.ticks = true, nil
	few := math.Log10(high/low) < 2.2
	for e := math.Floor(math.Log10(low)); e <= math.Ceil(math.Log10(high)); e++ {
		for m := 1; m < 10; m++ {
			t := tick{value: decimal(m, int(e))}
			if m == 1 || few && (m == 2 || m == 5) {
				t.label = label(t.value)
			}
			a.ticks = append(a.ticks, t)
		}
	}
}

// decimal returns the number written m·10^e, without the rounding error of multiplying.
func decimal(m, e int) float64 {
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
		if step := decimal(m, e); step*float64(n) >= span*(1-1e-9) {
			return step
		}
	}
	return decimal(1, e+1)
}
