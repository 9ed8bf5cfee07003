package numeric

import (
	"math/big"
	"math/rand/v2"
	"testing"
)

// The numbers of documents at which one more may exceed the limit, at a content and a
// confidence of 95 %: those of Wilks, as reactor safety tabulates them.
func TestWilks(t *testing.T) {
	for r, n := range []int{59, 93, 124, 153, 181, 208} {
		if got := Exceeding(n, .05, .95); got != r {
			t.Errorf("%d documents: %d may exceed, want %d", n, got, r)
		}
		if got := Exceeding(n-1, .05, .95); got != r-1 {
			t.Errorf("%d documents: %d may exceed, want %d", n-1, got, r-1)
		}
	}
	for rate, n := range map[float64]int{.05: 59, .01: 299, .003: 998, .001: 2995} {
		if got := LeastSample(rate, .95); got != n {
			t.Errorf("rate %v: %d needed, want %d", rate, got, n)
		}
	}
}

// The sums agree with sums of exact fractions.
func TestExceedingExactly(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 40 {
		n, part := 1+rng.IntN(250), 1+rng.Int64N(999)
		power := func(base int64, times int) *big.Int {
			return new(big.Int).Exp(big.NewInt(base), big.NewInt(int64(times)), nil)
		}
		limit := power(1000, n) // of sums that are 20·1000ⁿ times as large as probabilities
		want, sum := -1, new(big.Int)
		for r := range n {
			term := new(big.Int).Binomial(int64(n), int64(r))
			term.Mul(term, power(part, r)).Mul(term, power(1000-part, n-r)).Mul(term, big.NewInt(20))
			if sum.Add(sum, term).Cmp(limit) > 0 {
				break
			}
			want = r
		}
		if got := Exceeding(n, float64(part)/1000, .95); got != want {
			t.Errorf("%d documents at %d per mille: %d, want %d", n, part, got, want)
		}
		if known := n >= LeastSample(float64(part)/1000, .95); known != (want >= 0) {
			t.Errorf("%d documents at %d per mille: enough %t", n, part, known)
		}
	}
}
