package eval

import "math"

// normal95 is the 0.975 quantile of the standard normal distribution.
const normal95 = 1.959963984540054

// Interval returns the 95 % Wilson score interval of the bin's Frequency: the
// probabilities p under which a frequency at least as far from p as the bin's has, in
// normal approximation, a probability of at least 5 %,
//
//	(f + z²/2n ± z √(f(1-f)/n + z²/4n²)) / (1 + z²/n),  z = 1.96
//
// with n the number of documents (Wilson, "Probable inference, the law of succession,
// and statistical inference", Journal of the American Statistical Association 22, 1927).
// It lies within 0 and 1, and is 0 to 1 if there are no documents.
func (b Bin) Interval() (low, high float64) {
	if b.Docs == 0 {
		return 0, 1
	}
	n, f := float64(b.Docs), b.Frequency
	z2 := normal95 * normal95
	middle := f + z2/(2*n)
	width := normal95 * math.Sqrt(f*(1-f)/n+z2/(4*n*n))
	low, high = (middle-width)/(1+z2/n), (middle+width)/(1+z2/n)
	if f == 0 {
		low = 0 // exact, unlike the rounded formula
	}
	if f == 1 {
		high = 1
	}
	return max(low, 0), min(high, 1)
}
