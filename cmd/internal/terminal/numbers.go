package terminal

import (
	"fmt"
	"math"
	"strconv"
)

// Grouped writes a number with commas, 16,384.
func Grouped[N int | int64 | uint64 | float64](n N) string {
	s := strconv.FormatUint(uint64(n), 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Counted writes a number of things, "1 class" or "20 classes".
func Counted[N int | uint64](n N, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return Grouped(n) + " " + many
}

// Signed writes log-odds with a sign and three decimals.
func Signed(x float64) string {
	if math.Abs(x) < 0.0005 {
		x = 0 // rather than -0.000
	}
	return fmt.Sprintf("%+.3f", x)
}

// WithError writes a number ± its standard error, the error with two digits and the
// number with as many decimals: 0.185±0.073, 1.20e-06±7.1e-07.
func WithError(x, deviation float64) string {
	if !(deviation > 0) {
		return fmt.Sprintf("%.3g±%.2g", x, deviation)
	}
	last := exponent(deviation) - 1
	if last >= -6 {
		places := max(-last, 0)
		return fmt.Sprintf("%.*f±%.*f", places, x, places, deviation)
	}
	return fmt.Sprintf("%.*e±%.1e", max(exponent(x)-last, 0), x, deviation)
}

// exponent returns the exponent of |x| in scientific notation with two digits, 0 for 0.
func exponent(x float64) int {
	if x == 0 {
		return 0
	}
	e := int(math.Floor(math.Log10(math.Abs(x))))
	if math.Abs(x) >= 9.95*math.Pow10(e) {
		e++ // two digits round it up
	}
	return e
}
