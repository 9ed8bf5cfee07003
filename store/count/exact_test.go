package count

import (
	"fmt"
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

// rat is a as a rational number.
func rat(a Exact) *big.Rat {
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

// anyReal draws numbers of all sizes that can be the value of a Real: subnormal
// ones, whole ones, ones of 17 digits.
func anyReal() *rapid.Generator[float64] {
	return rapid.OneOf(
		rapid.Float64Range(-MaxReal, MaxReal),
		rapid.Float64Range(-10, 10),
		rapid.SampledFrom([]float64{0, math.Copysign(0, -1), 1, -1, 0.1, 1e-300, -1e-300, 5e-324, 1e150, -1e150, MaxReal, -MaxReal, 1<<53 + 2, 0.30000000000000004, 2.2250738585072014e-308, 12345678901234567}),
		rapid.Map(rapid.IntRange(-5, 5), func(n int) float64 { return float64(n) / 4 }),
	)
}

// Sums, differences and products are those of math/big's rationals, rounded once
// where they are rounded, and each has one encoding.
func TestExact(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var sum Exact
		want := new(big.Rat)
		for _, x := range rapid.SliceOfN(anyReal(), 0, 12).Draw(t, "numbers") {
			a, r := ExactOf(x), new(big.Rat).SetFloat64(x)
			if got := a.rounded(); got != x {
				t.Fatalf("%v comes back as %v", x, got)
			}
			switch rapid.IntRange(0, 3).Draw(t, "operation") {
			case 0:
				sum, want = sum.Sub(a), want.Sub(want, r)
			case 1:
				sum, want = sum.Add(a.Mul(a)), want.Add(want, r.Mul(r, r))
			default:
				sum, want = sum.Add(a), want.Add(want, r)
			}
			if rat(sum).Cmp(want) != 0 || sum.Sign() != want.Sign() {
				t.Fatalf("%s, want %s", sum, want)
			}
			if f, _ := want.Float64(); sum.rounded() != f {
				t.Fatalf("%s is rounded to %v, want %v", sum, sum.rounded(), f)
			}
			n := rapid.Uint64Range(1, 1<<40).Draw(t, "n")
			quotient, _ := new(big.Rat).Quo(want, new(big.Rat).SetInt(new(big.Int).SetUint64(n))).Float64()
			if got := sum.quotient(n); got != quotient {
				t.Fatalf("%s / %d is %v, want %v", sum, n, got, quotient)
			}
			if back, err := ParseExact(sum.String()); err != nil || back.String() != sum.String() || rat(back).Cmp(rat(sum)) != 0 {
				t.Fatalf("%s is read as %s", sum, back)
			}
		}
	})
}

// What was added is taken away again in any order, and nothing is left.
func TestExactTakenAway(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		numbers := rapid.SliceOf(anyReal()).Draw(t, "numbers")
		var sum Exact
		for _, x := range numbers {
			sum = sum.Add(ExactOf(x))
		}
		for _, x := range rapid.Permutation(numbers).Draw(t, "order") {
			sum = sum.Sub(ExactOf(x))
		}
		if sum.Sign() != 0 || sum.String() != "0p0" {
			t.Fatalf("%s is left", sum)
		}
	})
}

// Mean and Deviations are the exact rationals rounded once, even where the usual
// formulas lose every digit.
func TestMeanAndDeviations(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		numbers := rapid.SliceOfN(anyReal(), 1, 20).Draw(t, "numbers")
		if rapid.Bool().Draw(t, "near each other") {
			for i := range numbers {
				numbers[i] = 1e9 + float64(i%3)*0x1p-20
			}
		}
		var c AttributeCell
		sum, n := new(big.Rat), new(big.Rat).SetInt64(int64(len(numbers)))
		for _, x := range numbers {
			a := ExactOf(x)
			c.N, c.Sum, c.Squares = c.N+1, c.Sum.Add(a), c.Squares.Add(a.Mul(a))
			sum.Add(sum, new(big.Rat).SetFloat64(x))
		}
		mean := new(big.Rat).Quo(sum, n)
		deviations := new(big.Rat)
		for _, x := range numbers { // by the definition
			d := new(big.Rat).SetFloat64(x)
			d.Sub(d, mean)
			deviations.Add(deviations, d.Mul(d, d))
		}
		wantMean, _ := mean.Float64()
		wantDeviations, _ := deviations.Float64()
		if c.Mean() != wantMean || c.Deviations() != wantDeviations {
			t.Fatalf("mean %v, deviations %v, want %v, %v", c.Mean(), c.Deviations(), wantMean, wantDeviations)
		}
		if c.Check() != nil {
			t.Fatal("these sums are refused")
		}
	})
	var none AttributeCell
	if none.Mean() != 0 || none.Deviations() != 0 {
		t.Error("mean and deviations of nothing are not 0")
	}
}

// Income in the example of the taxpayers (Tan, Steinbach, Kumar, Introduction to
// Data Mining, section 5.3): mean 110 and variance 2975 of those who do not cheat,
// 90 and 25 of those who do.
func TestTaxpayers(t *testing.T) {
	t.Parallel()
	for _, of := range []struct {
		incomes        []float64
		mean, variance float64
	}{
		{[]float64{125, 100, 70, 120, 60, 220, 75}, 110, 2975},
		{[]float64{95, 85, 90}, 90, 25},
	} {
		var c AttributeCell
		for _, x := range of.incomes {
			c.N++
			c.Sum = c.Sum.Add(ExactOf(x))
			c.Squares = c.Squares.Add(ExactOf(x).Mul(ExactOf(x)))
		}
		if got := c.Deviations() / float64(c.N-1); c.Mean() != of.mean || got != of.variance {
			t.Errorf("mean %v, variance %v, want %v, %v", c.Mean(), got, of.mean, of.variance)
		}
	}
}

// What is cut off decides how a quotient is rounded.
func TestExactQuotientRoundedOnce(t *testing.T) {
	t.Parallel()
	for _, sign := range []int64{1, -1} {
		for _, above := range []int64{-1, 0, 1} {
			// Half way between 2^53 and 2^53 + 2, or 2^-200 / 3 beside that.
			m := new(big.Int).Lsh(big.NewInt(3*(1<<53+1)), 200)
			m.Mul(m.Add(m, big.NewInt(above)), big.NewInt(sign))
			want := float64(sign) * []float64{1 << 53, 1 << 53, 1<<53 + 2}[above+1]
			if got := NewExact(m, -200).quotient(3); got != want {
				t.Errorf("%v, want %v", got, want)
			}
		}
	}
	if got := ExactOf(5e-324).quotient(2); got != 0 {
		t.Errorf("half of the least number is %v, want 0, the even one", got)
	}
	if got := ExactOf(1.5e-323).quotient(2); got != 1e-323 {
		t.Errorf("one and a half of the least number is %v, want %v", got, 1e-323)
	}
	if got := fmt.Sprint(ExactOf(-0.375), Exact{}, ExactOf(math.Copysign(0, -1)), ExactOf(6)); got != "-3p-3 0p0 0p0 3p1" {
		t.Error(got)
	}
}

func FuzzParseExact(f *testing.F) {
	for _, x := range []float64{0, 1, -0.1, 1e-300, 1e150, -5e-324} {
		f.Add(ExactOf(x).String())
	}
	f.Fuzz(func(t *testing.T, text string) {
		if a, err := ParseExact(text); err == nil && a.String() != text {
			t.Errorf("%q is written again as %q", text, a)
		}
	})
}

// Pooled adds the classes, and takes the least and the greatest value of those that have any.
func TestPooled(t *testing.T) {
	t.Parallel()
	a := AttributeTotals{Classes: []AttributeCell{
		{}, {N: 2, Yes: 1, Sum: ExactOf(3), Squares: ExactOf(5), Least: 1, Greatest: 2}, {N: 1, Sum: ExactOf(.5), Squares: ExactOf(.25), Least: .5, Greatest: .5}, {},
	}}
	all := a.Pooled()
	if all.N != 3 || all.Yes != 1 || all.Sum.rounded() != 3.5 || all.Squares.rounded() != 5.25 || all.Least != .5 || all.Greatest != 2 {
		t.Errorf("%+v", all)
	}
}
