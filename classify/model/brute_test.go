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
	n, total := bruteCounts(k, c, func(d document, term string) float64 { return float64(d.terms[term]) })
	alpha, v := cmp.Or(m.Alpha, DefaultMultinomialAlpha), float64(len(k.terms))
	var score float64
	for _, term := range k.terms {
		score += float64(d.terms[term]) * math.Log((n[term]+alpha)/(total+alpha*v))
	}
	return score
}

func bruteBernoulli(k *counts, m Bernoulli, c int, d document) float64 {
	df, _ := bruteCounts(k, c, func(document, string) float64 { return 1 })
	docs := float64(k.classes[c].Docs)
	yes, no := cmp.Or(m.Yes, defaultBernoulliPrior), cmp.Or(m.No, defaultBernoulliPrior)
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
	alpha := cmp.Or(m.Alpha, 1)
	rest, total := map[string]float64{}, 0.
	for other := range k.classes {
		if other == c {
			continue
		}
		n, sum := bruteCounts(k, other, func(d document, term string) float64 { return float64(d.terms[term]) })
		for term := range n {
			rest[term] += n[term]
		}
		total += sum
	}
	score := 0.
	for _, term := range k.terms {
		score -= float64(d.terms[term]) * math.Log((rest[term]+alpha)/(total+alpha*float64(len(k.terms))))
	}
	return score
}
