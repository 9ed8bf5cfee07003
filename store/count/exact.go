package count

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
)

// Exact is a sum of floating-point numbers, or of their products, without any rounding:
// the dyadic rational m · 2^e with an integer m. So added numbers can be subtracted again,
// in any order, without a remainder. The zero value is 0. It is immutable.
type Exact struct{ x *big.Float } // nil for 0

// digits is more bits than any sum InBounds has, or the product of two.
const digits = 1 << 13

func (a Exact) float() *big.Float {
	if a.x == nil {
		return new(big.Float)
	}
	return a.x
}

func newFloat() *big.Float { return new(big.Float).SetPrec(digits) }

// ExactOf returns x, which must be finite.
func ExactOf(x float64) Exact { return Exact{newFloat().SetFloat64(x)} }

// NewExact returns m · 2^e.
func NewExact(m *big.Int, e int) Exact {
	x := newFloat().SetInt(m)
	return Exact{x.SetMantExp(x, e)}
}

// Parts returns m and e of a = m · 2^e: m is odd, or nil if a is 0.
func (a Exact) Parts() (m *big.Int, e int) {
	if a.Sign() == 0 {
		return nil, 0
	}
	bits := int(a.x.MinPrec())
	e = a.x.MantExp(nil) - bits
	m, _ = newFloat().SetMantExp(a.x, -e).Int(nil)
	return m, e
}

// Add returns a + b.
func (a Exact) Add(b Exact) Exact { return Exact{newFloat().Add(a.float(), b.float())} }

// Sub returns a - b.
func (a Exact) Sub(b Exact) Exact { return Exact{newFloat().Sub(a.float(), b.float())} }

// Mul returns a · b.
func (a Exact) Mul(b Exact) Exact { return Exact{newFloat().Mul(a.float(), b.float())} }

// Sign returns -1, 0 or 1.
func (a Exact) Sign() int { return a.float().Sign() }

// rounded returns a rounded once, to the nearest number, to even on a tie. Beyond the
// greatest number it returns ±Inf, but the sums of squares of fewer than 2^24 documents
// are below it.
func (a Exact) rounded() float64 {
	x, _ := a.float().Float64()
	return x + 0 // -0 is 0
}

// String returns the mantissa and the exponent of 2 in decimal: 3p-1 is one and a half,
// 0p0 is 0. The mantissa is odd, so equal sums have equal strings.
func (a Exact) String() string {
	m, e := a.Parts()
	if m == nil {
		return "0p0"
	}
	return m.String() + "p" + strconv.Itoa(e)
}

// quotient returns a / n rounded once. n is above 0.
func (a Exact) quotient(n uint64) float64 {
	// The quotient is cut off after more digits than a float64 has. One more digit says whether
	// the rest was above 0, so that the single rounding is correct.
	const enough = 64
	q := new(big.Float).SetPrec(enough).SetMode(big.ToZero).Quo(a.float(), new(big.Float).SetUint64(n))
	if q.Acc() != big.Exact {
		more := new(big.Float).SetMantExp(big.NewFloat(float64(q.Sign())), q.MantExp(nil)-enough-2)
		q.SetPrec(enough+2).SetMode(big.ToNearestEven).Add(q, more)
	}
	return Exact{q}.rounded()
}

// The bounds of a sum of squares: the least number squared is 2^-2148, and 2^32
// documents of MaxReal are 2^1032.
const (
	leastExponent  = -2148
	greatestLength = 1033
)

// InBounds reports whether a can be a sum of numbers or of their squares.
func (a Exact) InBounds() bool {
	x := a.float()
	end := x.MantExp(nil)
	return !x.IsInf() && (x.Sign() == 0 || end-int(x.MinPrec()) >= leastExponent && end <= greatestLength)
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
