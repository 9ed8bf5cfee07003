package model

import (
	"cmp"
	"math"
)

// bruteScores computes the scores of d from their definitions: over the whole
// vocabulary and, except for the DCM, from the documents instead of the counts.
// Models that leave out a summand that all classes share are given it by what
// they say of class 0.
func bruteScores(k *counts, m EventModel, d document) []float64 {
	scores := make([]float64, len(k.classes))
	shared := false
	for c := range scores {
		switch m := m.(type) {
		case Multinomial:
			shared = !m.Smoothing.additive()
			scores[c] = bruteMultinomial(k, m, c, d)
		case Bernoulli:
			scores[c] = bruteBernoulli(k, m, c, d)
		case DCM:
			scores[c] = bruteDCM(k, m, c, d)
		case Normalised:
			shared = true
			scores[c] = bruteNormalised(k, m, c, d)
		case Complement:
			shared = true
			scores[c] = bruteComplement(k, m, c, d)
		}
	}
	if shared {
		own := k.scores(m, d)[0] - scores[0]
		for c := range scores {
			scores[c] += own
		}
	}
	return scores
}

// counted is what x occurrences count in a document of class c, or in one to be
// classified.
func counted(n Count, x int, learned bool) float64 {
	switch {
	case x == 0:
		return 0
	case n == Binary:
		return 1
	case n == LogCounts && learned:
		return float64(x)*math.Log(1.5) + math.Log(4./3)
	case n == LogCounts:
		return math.Log(1 + float64(x))
	}
	return float64(x)
}

// bruteCounts returns n_ct by term and N_c, from the documents.
func bruteCounts(k *counts, c int, of func(d document, term string) float64) (n map[string]float64, total float64) {
	n = map[string]float64{}
	for _, d := range k.docs {
		if d.class == c {
			for term := range d.terms {
				n[term] += of(d, term)
			}
		}
	}
	for _, term := range k.terms {
		total += n[term]
	}
	return n, total
}

// bruteBackground returns bg.
func bruteBackground(k *counts) map[string]float64 {
	bg, total := map[string]float64{}, 0.
	for _, d := range k.docs {
		for term := range d.terms {
			bg[term]++
		}
	}
	for term := range bg {
		bg[term] += .01
		total += bg[term]
	}
	for term := range bg {
		bg[term] /= total
	}
	return bg
}

func bruteMultinomial(k *counts, m Multinomial, c int, d document) float64 {
	n, total := bruteCounts(k, c, func(d document, term string) float64 { return counted(m.Count, d.terms[term], true) })
	bg, v := bruteBackground(k), float64(len(k.terms))
	var score float64
	for _, term := range k.terms {
		if d.terms[term] > 0 {
			theta := bruteTheta(m, n[term], total, bg[term], v, float64(len(n)))
			score += counted(m.Count, d.terms[term], false) * math.Log(theta)
		}
	}
	return score
}

// bruteTheta is the table of Smoothing.
func bruteTheta(m Multinomial, n, total, bg, v, terms float64) float64 {
	amount := m.Smoothing.value()
	p := 0.
	if total > 0 {
		p = n / total
	}
	switch m.Smoothing.method {
	case byM:
		return (n + amount/v) / (total + amount)
	case byJelinekMercer:
		if total == 0 {
			return bg
		}
		return (1-amount)*p + amount*bg
	case byDirichlet:
		return (n + amount*bg) / (total + amount)
	case byDiscount:
		if total == 0 {
			return bg
		}
		delta := amount
		if m.Count == LogCounts {
			delta *= math.Log(2)
		}
		return max(n-delta, 0)/total + delta*terms/total*bg
	}
	switch m.Estimator {
	case PosteriorMode:
		amount--
	case MaximumLikelihood:
		amount = 0
	}
	if total+amount == 0 {
		return 1 / v
	}
	return (n + amount) / (total + amount*v)
}

func bruteBernoulli(k *counts, m Bernoulli, c int, d document) float64 {
	df, _ := bruteCounts(k, c, func(document, string) float64 { return 1 })
	docs := float64(k.classes[c].Docs)
	yes, no := cmp.Or(m.Yes, defaultBernoulliPrior), cmp.Or(m.No, defaultBernoulliPrior)
	switch m.Estimator {
	case PosteriorMode:
		yes, no = yes-1, no-1
	case MaximumLikelihood:
		yes, no = 0, 0
	}
	if docs+yes+no == 0 {
		return -float64(len(k.terms)) * math.Log(2)
	}
	var score float64
	for _, term := range k.terms {
		if d.terms[term] > 0 {
			score += math.Log((df[term] + yes) / (docs + yes + no))
		} else {
			score += math.Log((docs - df[term] + no) / (docs + yes + no))
		}
	}
	return score
}

// bruteVector returns y of a document over the terms that are known.
func bruteVector(k *counts, d document) map[string]float64 {
	y, norm := map[string]float64{}, 0.
	for _, term := range k.terms {
		if x := d.terms[term]; x > 0 {
			y[term] = math.Log(1 + float64(x))
			norm += y[term] * y[term]
		}
	}
	for term := range y {
		y[term] /= math.Sqrt(norm)
	}
	return y
}

// bruteWeights returns W_ct and its sum: y rounded to units of 2^-16.
func bruteWeights(k *counts, c int) (w map[string]float64, total float64) {
	return bruteCounts(k, c, func(d document, term string) float64 {
		return math.Round(bruteVector(k, d)[term]*65536) / 65536
	})
}

func bruteNormalised(k *counts, m Normalised, c int, d document) float64 {
	lambda := cmp.Or(m.Lambda, defaultNormalisedLambda)
	w, total := bruteWeights(k, c)
	bg, score := bruteBackground(k), 0.
	for _, term := range k.terms {
		if y := bruteVector(k, d)[term]; y > 0 {
			theta := bg[term]
			if total > 0 {
				theta = (1-lambda)*w[term]/total + lambda*bg[term]
			}
			score += y * math.Log(theta)
		}
	}
	return score
}

func bruteComplement(k *counts, m Complement, c int, d document) float64 {
	alpha := m.Alpha
	switch {
	case alpha == 0 && m.Normalised:
		alpha = .1
	case alpha == 0:
		alpha = 1
	}
	rest, total := map[string]float64{}, 0.
	for other := range k.classes {
		if other == c {
			continue
		}
		n, sum := bruteCounts(k, other, func(d document, term string) float64 { return float64(d.terms[term]) })
		if m.Normalised {
			n, sum = bruteWeights(k, other)
		}
		for term := range n {
			rest[term] += n[term]
		}
		total += sum
	}
	score, y := 0., bruteVector(k, d)
	for _, term := range k.terms {
		x := float64(d.terms[term])
		if m.Normalised {
			x = y[term]
		}
		score -= x * math.Log((rest[term]+alpha)/(total+alpha*float64(len(k.terms))))
	}
	return score
}
