package model

import (
	"cmp"
	"math"
)

func bruteDCM(k *counts, m DCM, c int, d document) float64 {
	epsilon := cmp.Or(m.Epsilon, DefaultDCMEpsilon)
	a := sharedPrecision(m.Fits, k.totals())
	if usable(m.Fits, k.totals(), c) {
		a = m.Fits[c]
	}
	if math.IsInf(a, 1) {
		return bruteMultinomial(k, Multinomial{Alpha: epsilon}, c, d)
	}
	rate := bruteRate(k, c, a, epsilon)
	var score, n float64
	for _, t := range k.terms {
		if x := float64(d.terms[t]); x > 0 {
			score += bruteR(bisectAlpha(k.cell(c, t).U, epsilon, rate), x)
			n += x
		}
	}
	return score - bruteR(a, n)
}

func bruteR(a, n float64) float64 {
	high, _ := math.Lgamma(a + n)
	low, _ := math.Lgamma(a)
	return high - low
}

// bruteRate returns d, from the documents.
func bruteRate(k *counts, c int, a, epsilon float64) float64 {
	rate := epsilon * float64(len(k.terms)) / a
	for _, d := range k.docs {
		if d.class == c {
			for n := range d.tokens() {
				rate += 1 / (a + float64(n))
			}
		}
	}
	return rate
}

// bisectAlpha solves the equation of dcmAlpha by bisection of log α.
func bisectAlpha(u []uint32, epsilon, d float64) float64 {
	low, high := -700., 700.
	for range 200 {
		alpha := math.Exp((low + high) / 2)
		s := epsilon / alpha
		for j, count := range u {
			s += float64(count) / (alpha + float64(j))
		}
		if s > d {
			low = (low + high) / 2
		} else {
			high = (low + high) / 2
		}
	}
	return math.Exp(low)
}
