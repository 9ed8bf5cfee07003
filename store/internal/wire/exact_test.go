package wire

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/polya-classifier/polya/store/count"
)

// anyReal draws numbers of all sizes that can be the value of a Real: subnormal
// ones, whole ones, ones of 17 digits.
func anyReal() *rapid.Generator[float64] {
	return rapid.OneOf(
		rapid.Float64Range(-count.MaxReal, count.MaxReal),
		rapid.Float64Range(-10, 10),
		rapid.SampledFrom([]float64{0, math.Copysign(0, -1), 1, -1, 0.1, 1e-300, -1e-300, 5e-324, 1e150, -1e150, count.MaxReal, -count.MaxReal, 1<<53 + 2, 0.30000000000000004, 2.2250738585072014e-308, 12345678901234567}),
		rapid.Map(rapid.IntRange(-5, 5), func(n int) float64 { return float64(n) / 4 }),
	)
}

// A sum has one encoding, which gives it back.
func TestExactEncoding(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var sum count.Exact
		for _, x := range rapid.SliceOfN(anyReal(), 0, 12).Draw(t, "numbers") {
			a := count.ExactOf(x)
			if rapid.Bool().Draw(t, "squared") {
				a = a.Mul(a)
			}
			sum = sum.Add(a)
			mustReadAgain(t, sum)
		}
	})
}

func mustReadAgain(t rapid.TB, a count.Exact) {
	t.Helper()
	raw := AppendExact(nil, a)
	r := Reader{Data: raw}
	if back := r.Exact(); r.Bad || r.At != len(raw) || back.Sub(a).Sign() != 0 || string(AppendExact(nil, back)) != string(raw) {
		t.Fatalf("%s, encoded as %x, is read as %s", a, raw, back)
	}
}

func FuzzExact(f *testing.F) {
	for _, x := range []float64{0, 1, -0.1, 1e-300, 1e150, -5e-324} {
		f.Add(AppendExact(nil, count.ExactOf(x)))
		f.Add(AppendExact(nil, count.ExactOf(x).Mul(count.ExactOf(x))))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r := Reader{Data: data}
		if a := r.Exact(); !r.Bad && string(AppendExact(nil, a)) != string(data[:r.At]) {
			t.Errorf("%x is written again as %x", data[:r.At], AppendExact(nil, a))
		}
	})
}
