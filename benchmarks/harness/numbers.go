package harness

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Quantile returns the q-quantile, 0 ≤ q ≤ 1, by linear interpolation between the order
// statistics (type 7 of Hyndman and Fan, "Sample quantiles in statistical packages",
// 1996). It is NaN if x is empty.
func Quantile(x []float64, q float64) float64 {
	if len(x) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(x))
	h := float64(len(sorted)-1) * q
	low := int(h)
	if low+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[low] + (h-float64(low))*(sorted[low+1]-sorted[low])
}

// Median returns the median, NaN if x is empty.
func Median(x []float64) float64 { return Quantile(x, .5) }

// Milliseconds returns d in milliseconds.
func Milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// Number writes x with so many decimals, or a dash if it was not measured.
func Number(x float64, decimals int) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return "–"
	}
	return strconv.FormatFloat(x, 'f', decimals, 64)
}

// Percent writes the share of n in all, in percent.
func Percent(n, all, decimals int) string { return Number(100*float64(n)/float64(all), decimals) }

// Spread writes the median, the least and the greatest.
func Spread(x []float64, decimals int) string {
	return fmt.Sprintf("%s (%s to %s)", Number(Median(x), decimals), Number(Quantile(x, 0), decimals), Number(Quantile(x, 1), decimals))
}

// Head prints the first two lines of a table in Markdown.
func Head(columns ...string) {
	fmt.Printf("\n| %s |\n|%s\n", strings.Join(columns, " | "), strings.Repeat(" --- |", len(columns)))
}

// Row prints a row of a table.
func Row(cells ...any) {
	fmt.Print("|")
	for _, c := range cells {
		fmt.Print(" ", c, " |")
	}
	fmt.Println()
}
