package count

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// Exact is a sum of floating-point numbers, or of their products, without any rounding:
// the dyadic rational m · 2^e with an integer m of any length. So added numbers can be
// subtracted again, in any order, without a remainder. The zero value is 0. It is
// immutable.
type Exact struct {
	m *big.Int // odd, or nil for 0
	e int
}

// ExactOf returns x, which must be finite.
func ExactOf(x float64) Exact {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		panic(fmt.Sprintf("count: %v has no exact value", x))
	}
	fraction, exponent := math.Frexp(x)
	return NewExact(big.NewInt(int64(fraction*(1<<53))), exponent-53)
}

// NewExact returns m · 2^e. It may change m, which belongs to the result.
func NewExact(m *big.Int, e int) Exact {
	if m.Sign() == 0 {
		return Exact{}
	}
	even := m.TrailingZeroBits()
	return Exact{m.Rsh(m, even), e + int(even)}
}

// Parts returns m and e of a = m · 2^e: m is odd, or nil if a is 0. It must not be
// changed.
func (a Exact) Parts() (m *big.Int, e int) { return a.m, a.e }

// over returns the mantissa of a over 2^e; e must not be above the exponent of a. The
// result may share memory with a.
func (a Exact) over(e int) *big.Int {
	switch {
	case a.m == nil:
		return new(big.Int)
	case a.e == e:
		return a.m
	}
	return new(big.Int).Lsh(a.m, uint(a.e-e))
}

// Add returns a + b.
func (a Exact) Add(b Exact) Exact {
	switch {
	case a.m == nil:
		return b
	case b.m == nil:
		return a
	}
	e := min(a.e, b.e)
	return NewExact(new(big.Int).Add(a.over(e), b.over(e)), e)
}

// Sub returns a - b.
func (a Exact) Sub(b Exact) Exact {
	if b.m == nil {
		return a
	}
	return a.Add(Exact{new(big.Int).Neg(b.m), b.e})
}

// Mul returns a · b.
func (a Exact) Mul(b Exact) Exact {
	if a.m == nil || b.m == nil {
		return Exact{}
	}
	return Exact{new(big.Int).Mul(a.m, b.m), a.e + b.e} // odd · odd is odd
}

// Sign returns -1, 0 or 1.
func (a Exact) Sign() int {
	if a.m == nil {
		return 0
	}
	return a.m.Sign()
}

// rounded returns a rounded once, to the nearest number, to even on a tie. Beyond the
// greatest number it returns ±Inf, but the sums of squares of fewer than 2^24 documents
// are below it.
func (a Exact) rounded() float64 {
	if a.m == nil {
		return 0
	}
	bits := a.m.BitLen()
	if top := a.e + bits; bits <= 53 && top > -1022 && top <= 1024 {
		return math.Ldexp(float64(a.m.Int64()), a.e) // no digit is lost
	}
	f := new(big.Float).SetInt(a.m) // of as many digits as m
	x, _ := f.SetMantExp(f, a.e).Float64()
	return x
}

// String returns the mantissa and the exponent of 2 in decimal: 3p-1 is one and a half,
// 0p0 is 0. The mantissa is odd, so equal sums have equal strings.
func (a Exact) String() string {
	if a.m == nil {
		return "0p0"
	}
	return a.m.String() + "p" + strconv.Itoa(a.e)
}

// quotient returns a / n rounded once. n is above 0.
func (a Exact) quotient(n uint64) float64 {
	if a.m == nil {
		return 0
	}
	// The quotient is truncated after more digits than a float64 has. One more digit
	// (sticky) says whether the truncated rest was above 0, so that the single rounding is
	// correct.
	d := new(big.Int).SetUint64(n)
	shift := max(0, d.BitLen()+64-a.m.BitLen())
	q, rest := new(big.Int).Lsh(a.m, uint(shift)), new(big.Int)
	q.QuoRem(q, d, rest)
	q.Lsh(q, 1)
	if rest.Sign() != 0 {
		q.Add(q, big.NewInt(int64(a.m.Sign())))
	}
	return NewExact(q, a.e-shift-1).rounded()
}

// The bounds of a sum of squares: the least number squared is 2^-2148, and 2^32
// documents of MaxReal are 2^1032.
const (
	leastExponent  = -2148
	greatestLength = 1033
)

// InBounds reports whether a can be a sum of numbers or of their squares.
func (a Exact) InBounds() bool {
	return a.m == nil || a.e >= leastExponent && a.e <= greatestLength && a.e+a.m.BitLen() <= greatestLength
}

// ParseExact reads what String returns, and nothing else. The error wraps ErrInvalid.
func ParseExact(s string) (Exact, error) {
	bad := fmt.Errorf("exact number %.40q: %w", s, ErrInvalid)
	mantissa, exponent, found := strings.Cut(s, "p")
	e, err := strconv.Atoi(exponent)
	m, ok := new(big.Int).SetString(mantissa[:min(len(mantissa), 1<<10)], 10)
	if !found || err != nil || !ok {
		return Exact{}, bad
	}
	a := NewExact(m, e)
	if !a.InBounds() || a.String() != s {
		return Exact{}, bad
	}
	return a, nil
}
