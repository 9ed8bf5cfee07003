package model

import (
	"cmp"
	"math"
)

// defaultComplementAlpha is the α of the zero Complement. On 20 Newsgroups
// (by date) 1 gives .848 correct and .1 .842, on Reuters R8 .949 and .944.
const defaultComplementAlpha = 1

// Complement scores how badly a document fits the other classes: for a small class, the
// other classes together give better estimates than the class itself. The score of class
// c is, up to a constant common to all classes,
//
//	-Σ_t x_t log θ'_ct,  θ'_ct = (n_t - n_ct + α) / (N - N_c + αV)
//
// with n_ct the occurrences of term t in class c, N_c the occurrences of all its terms,
// n_t and N their sums over all classes, and V the vocabulary (J. Rennie, L. Shih, J.
// Teevan and D. Karger, Tackling the Poor Assumptions of Naive Bayes Text Classifiers,
// ICML 2003, section 3.1). It is computed as
//
//	Σ_t x_t [log(N - N_c + αV) - log(n_t - n_ct + α) + log(n_t + α)]
//
// so that a term that the class lacks contributes x log(N - N_c + αV) whatever its row.
// With two classes each is the other's complement, and score differences equal the
// multinomial's with this α.
//
// Special cases:
//
//	one class: its complement is empty, θ'_ct = 1/V
//	V = 0: computed as if V were 1; there are no known terms
type Complement struct {
	// Alpha is α, the pseudo-count of each term in the complement, 0 < α ≤ 1e9. Zero means 1.
	Alpha float64
}

// Name returns "complement", with an α that is not the default as in "complement:alpha=0.1".
func (m Complement) Name() string {
	return modelName("complement", shownAmount("alpha", m.Alpha, defaultComplementAlpha))
}

func (m Complement) check() error {
	return checkAmount("alpha", cmp.Or(m.Alpha, defaultComplementAlpha))
}

// Prepare computes the logarithm of N - N_c + αV for each class.
func (m Complement) Prepare(t Totals) Scorer {
	alpha := cmp.Or(m.Alpha, defaultComplementAlpha)
	norms := make([]float64, len(t.Classes))
	var all uint64
	for _, class := range t.Classes {
		all += class.Tokens
	}
	for c, class := range t.Classes {
		norms[c] = math.Log(float64(all-class.Tokens) + alpha*float64(max(t.Vocabulary, 1)))
	}
	return &summed{contributor: &complementScorer{alpha}, weights: &weightsX, lacks: norms}
}

type complementScorer struct{ alpha float64 }

func (s *complementScorer) contribute(row *Row, memory *contributions) {
	list := memory.of(row.Cells)
	for k := range row.Cells {
		cell := &row.Cells[k]
		list[k] = contribution{cell.Class, math.Log(float64(row.TF)+s.alpha) - math.Log(float64(row.TF-cell.TF)+s.alpha)}
	}
}
