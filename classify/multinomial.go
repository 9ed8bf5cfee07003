package classify

import (
	"math"

	"github.com/polya-classifier/polya/store"
)

// DefaultMultinomialAlpha is the α of the zero Multinomial. On 20 Newsgroups
// (by date) .1 gives .808 correct where 1, Laplace's rule, gives .775 and .01
// gives .806; on Reuters R8 the three give .960, .952 and .953.
const DefaultMultinomialAlpha = 0.1

// Multinomial reads a document as independent draws of its terms. The
// log-likelihood in class c is, up to the multinomial coefficient, which all
// classes share,
//
//	Σ_t x_t log θ_ct,  θ_ct = (TF_ct + α) / (N_c + αV)
//
// with TF_ct the occurrences of term t in class c, N_c = Σ_t TF_ct those of all
// its terms and V the vocabulary of all classes. θ_c is the posterior mean
// under a Dirichlet prior with α for each term.
//
// Special cases:
//
//	N_c = 0: θ_ct = 1/V
//	V = 0: computed as if V were 1; there is no known term to ask for
type Multinomial struct {
	// Alpha is α, the occurrences of each term that are seen beforehand, 0 < α
	// < ∞. Zero means DefaultMultinomialAlpha.
	Alpha float64
}

// Levels returns false: the model reads only term frequencies.
func (Multinomial) Levels() bool { return false }

// Name returns "multinomial".
func (Multinomial) Name() string { return "multinomial" }

// Prepare computes the logarithm of N_c + αV for each class. It panics if Alpha
// is negative, infinite or not a number.
func (m Multinomial) Prepare(t Totals) Scorer {
	alpha := smoothing(m.Alpha, DefaultMultinomialAlpha)
	s := &multinomialScorer{logs: newSmoothedLogs(alpha), norms: make([]float64, len(t.Classes))}
	prior := alpha * float64(max(t.Vocabulary, 1))
	for c, class := range t.Classes {
		s.norms[c] = math.Log(float64(class.Tokens) + prior)
	}
	return s
}

type multinomialScorer struct {
	logs  *smoothedLogs
	norms []float64 // log(N_c + αV)
}

// Base returns 0: the norms are in the terms, so that each term's weight is its
// own.
func (s *multinomialScorer) Base(c, n int) float64 { return 0 }

// Missing returns x log θ for TF = 0.
func (s *multinomialScorer) Missing(c, x int) float64 {
	return float64(x) * (s.logs.at(0) - s.norms[c])
}

// Term returns x log θ.
func (s *multinomialScorer) Term(x int, cell store.Cell) float64 {
	return float64(x) * (s.logs.at(cell.TF) - s.norms[cell.Class])
}

// smoothing returns alpha, or byDefault if alpha is zero.
func smoothing(alpha, byDefault float64) float64 {
	if alpha == 0 {
		return byDefault
	}
	if !(alpha > 0) || math.IsInf(alpha, 1) {
		panic("classify: smoothing must be positive and finite")
	}
	return alpha
}

// smoothedLogs gives log(n + α), from a table for the small n that most cells
// have.
type smoothedLogs struct {
	alpha float64
	small [256]float64
}

func newSmoothedLogs(alpha float64) *smoothedLogs {
	l := &smoothedLogs{alpha: alpha}
	for n := range l.small {
		l.small[n] = math.Log(float64(n) + alpha)
	}
	return l
}

func (l *smoothedLogs) at(n uint64) float64 {
	if n < uint64(len(l.small)) {
		return l.small[n]
	}
	return math.Log(float64(n) + l.alpha)
}
