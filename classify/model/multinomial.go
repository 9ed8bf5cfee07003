package model

import (
	"cmp"
	"math"
)

// DefaultMultinomialAlpha is the α of the zero Multinomial. On 20 Newsgroups (by date) .1 gives .819
// correct where 1, Laplace's rule, gives .764.
const DefaultMultinomialAlpha = 0.1

// Multinomial treats a document as independent draws of its terms. The log-likelihood in
// class c is, up to constants common to all classes,
//
//	Σ_t x_t log θ_ct,  θ_ct = (TF_ct + α) / (N_c + αV)
//
// with x_t the occurrences of term t in the document, TF_ct those in class c, N_c all tokens of the
// class, and V the vocabulary of all classes. θ_c is the posterior mean under a Dirichlet prior with
// α for each term.
//
// Special cases:
//
//	N_c = 0: θ_ct = 1/V
//	V = 0: computed as if V were 1; there is no known term to ask for
type Multinomial struct {
	// Alpha is α, the pseudo-count of each term, 0 < α ≤ 1e9. Zero means DefaultMultinomialAlpha.
	Alpha float64
}

// Name returns "multinomial", with an α that is not the default as in "multinomial:alpha=1".
func (m Multinomial) Name() string {
	return modelName("multinomial", shownAmount("alpha", m.Alpha, DefaultMultinomialAlpha))
}

func (m Multinomial) check() error {
	return checkAmount("alpha", cmp.Or(m.Alpha, DefaultMultinomialAlpha))
}

// Prepare computes the logarithm of N_c + αV for each class.
func (m Multinomial) Prepare(t Totals) Scorer {
	alpha := cmp.Or(m.Alpha, DefaultMultinomialAlpha)
	s := &summed{contributor: &multinomialScorer{alpha, math.Log(alpha)}, weights: &weightsX, lacks: make([]float64, len(t.Classes))}
	for c, class := range t.Classes {
		_, s.lacks[c] = multinomialNorm(float64(class.Tokens), alpha, float64(max(t.Vocabulary, 1)))
	}
	return s
}

// multinomialNorm returns log(N + αV) and the log θ of a term that the class lacks.
func multinomialNorm(total, alpha, v float64) (norm, lacks float64) {
	norm = math.Log(total + alpha*v)
	return norm, math.Log(alpha) - norm
}

type multinomialScorer struct {
	alpha float64
	log   float64 // log α, which is log θ + log(N_c + αV) of a term that a class lacks, for every class
}

func (s *multinomialScorer) contribute(row *Row, memory *contributions) {
	list := memory.of(row.Cells)
	for k := range row.Cells {
		cell := &row.Cells[k]
		list[k] = contribution{cell.Class, math.Log(float64(cell.TF)+s.alpha) - s.log}
	}
}
