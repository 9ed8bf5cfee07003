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
