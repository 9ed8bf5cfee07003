package store

import (
	"math"
	"math/big"
	"testing"

	"github.com/polya-classifier/polya/store/count"
	"pgregory.net/rapid"
)

// ratOf is a as a rational number.
func ratOf(a count.Exact) *big.Rat {
	r := new(big.Rat)
	m, e := a.Parts()
	if m == nil {
		return r
	}
	two := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(max(e, -e))))
	if r.SetInt(m); e < 0 {
		return r.Quo(r, two)
	}
	return r.Mul(r, two)
}

// realNumber draws numbers of all sizes that can be the value of a Real: subnormal
// ones, whole ones, ones of 17 digits.
func realNumber() *rapid.Generator[float64] {
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
		for _, x := range rapid.SliceOfN(realNumber(), 0, 12).Draw(t, "numbers") {
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
	raw := appendExact(nil, a)
	r := reader{data: raw}
	if back := r.exact(); r.bad || r.at != len(raw) || ratOf(back).Cmp(ratOf(a)) != 0 || string(appendExact(nil, back)) != string(raw) {
		t.Fatalf("%s, encoded as %x, is read as %s", a, raw, back)
	}
}

func FuzzExact(f *testing.F) {
	for _, x := range []float64{0, 1, -0.1, 1e-300, 1e150, -5e-324} {
		f.Add(appendExact(nil, count.ExactOf(x)))
		f.Add(appendExact(nil, count.ExactOf(x).Mul(count.ExactOf(x))))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r := reader{data: data}
		if a := r.exact(); !r.bad && string(appendExact(nil, a)) != string(data[:r.at]) {
			t.Errorf("%x is written again as %x", data[:r.at], appendExact(nil, a))
		}
	})
}
