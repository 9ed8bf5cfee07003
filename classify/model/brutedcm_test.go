package model

import "math"

func bruteDCM(k *counts, m DCM, c int, d document) float64 {
	if m.Exponential {
		return bruteEDCM(k, m, c, d)
	}
	epsilon := m.epsilon()
	a := sharedPrecision(m.Fits, k.totals())
	if usable(m.Fits, k.totals(), c) {
		a = m.Fits[c].A
	}
	if math.IsInf(a, 1) {
		if epsilon == 0 {
			return bruteMultinomial(k, Multinomial{Estimator: MaximumLikelihood}, c, d)
		}
		return bruteMultinomial(k, Multinomial{Smoothing: Additive(epsilon)}, c, d)
	}
	rate := bruteRate(k, c, a, epsilon)
	var score, n float64
	for _, t := range k.terms {
		if x := float64(d.terms[t]); x > 0 {
			score += bruteR(bruteAlpha(k, k.cell(c, t).U, epsilon, rate, a), x)
			n += x
		}
	}
	return score - bruteR(a, n)
}

// bruteAlpha returns α, 0 for a term that was never seen if nothing is added.
func bruteAlpha(k *counts, u []uint32, epsilon, rate, a float64) float64 {
	switch {
	case rate == 0:
		return a / float64(len(k.terms))
	case epsilon == 0 && len(u) == 0:
		return 0
	}
	return bisectAlpha(u, epsilon, rate)
}

func bruteR(a, n float64) float64 {
	if a == 0 {
		return math.Inf(-1)
	}
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

func bruteEDCM(k *counts, m DCM, c int, d document) float64 {
	s, epsilon, v := brutePrecision(k, c), m.epsilon(), float64(len(k.terms))
	rate := bruteRate(k, c, s, epsilon)
	score, n := 0., 0.
	for _, term := range k.terms {
		if x := float64(d.terms[term]); x > 0 {
			n += x
			if rate == 0 {
				score += math.Log(s / v)
			} else {
				score += math.Log((float64(k.cell(c, term).DF) + epsilon) / rate)
			}
		}
	}
	return score - bruteR(s, n)
}

// brutePrecision returns s, by bisection of the equation at edcmScorer, or the
// geometric mean of those of the classes that have one.
func brutePrecision(k *counts, c int) float64 {
	var sum, docs float64
	for other := range k.classes {
		distinct, tokens, n := 0, 0, 0
		for _, d := range k.docs {
			if d.class == other {
				distinct, tokens, n = distinct+len(d.terms), tokens+d.tokens(), n+1
			}
		}
		if n < MinDCMDocuments || distinct == tokens {
			continue
		}
		low, high := math.Log(1e-3), math.Log(1e9)
		for range 200 {
			s := math.Exp((low + high) / 2)
			if s*bruteRate(k, other, s, 0) < float64(distinct) {
				low = (low + high) / 2
			} else {
				high = (low + high) / 2
			}
		}
		if other == c {
			return math.Exp(low)
		}
		sum += float64(n) * low
		docs += float64(n)
	}
	if docs == 0 {
		return defaultDCMPrecision
	}
	return math.Exp(sum / docs)
}
