package similar

import (
	"math"

	"github.com/polya-classifier/polya/internal/numeric"
)

// prior is the prior of the rate of every term in a set of documents.
type prior struct {
	options
	docs int // N, of the set
}

// odds returns the log ratios for a document that has, and one that lacks, a term with
// share m in the background, 0 < m < 1, and s of the set's documents, 0 ≤ s ≤ N:
//
//	has  = log p(x=1|Q)/p(x=1) = log(1 + v (s/m - N)/(c+N))
//	lack = log p(x=0|Q)/p(x=0) = log(1 + v ((N-s)/(1-m) - N)/(c+N))
//
// With w = 1, v is 1 and these are log (α+s)/(c+N) c/α and log (β+N-s)/(c+N) c/β.
func (p prior) odds(m float64, s int) (has, lack float64) {
	n := float64(p.docs)
	v := p.own(m, s) / (p.strength + n)
	return math.Log1p(v * (float64(s)/m - n)), math.Log1p(v * (float64(p.docs-s)/(1-m) - n))
}

// own returns v, the posterior probability that the term's rate in the set is its
// own:
//
//	v = w B / (w B + (1-w) m^s (1-m)^(N-s))
//	B = Γ(α+s)/Γ(α) Γ(β+N-s)/Γ(β) Γ(c)/Γ(c+N),  α = c m,  β = c (1-m)
func (p prior) own(m float64, s int) float64 {
	if p.share == 1 {
		return 1
	}
	lacks := p.docs - s
	own := numeric.LogRising(p.strength*m, s) + numeric.LogRising(p.strength*(1-m), lacks) - numeric.LogRising(p.strength, p.docs)
	same := float64(s)*math.Log(m) + float64(lacks)*math.Log1p(-m)
	return 1 / (1 + math.Exp(same-own)*(1-p.share)/p.share)
}
