package model

import (
	"fmt"
	"math"

	"github.com/polya-classifier/polya/store/count"
)

// Multinomial treats a document as independent draws of its terms. The log-likelihood in
// class c is, up to constants common to all classes,
//
//	Σ_t x_t log θ_ct,  θ_ct = (n_ct + α) / (N_c + αV)
//
// with x_t the count of term t in the document, n_ct its count in class c, N_c = Σ_t
// n_ct, and V the vocabulary of all classes. Count selects the counts: by default
// occurrences, so that n_ct = TF_ct. θ_c is the posterior mean under a Dirichlet prior
// with α for each term; Estimator and Smoothing select others.
//
// Special cases:
//
//	N_c = 0: θ_ct = 1/V, the background with a Smoothing that has one
//	V = 0: computed as if V were 1; there is no known term to ask for
type Multinomial struct {
	// Count selects the counts of terms.
	Count Count

	// Smoothing selects the probability of terms that a class lacks. It must not be set if
	// Estimator is MaximumLikelihood.
	Smoothing Smoothing

	// Estimator must be DefaultEstimator or PosteriorMean with a Smoothing other
	// than Additive, and α at least 1 with PosteriorMode.
	Estimator Estimator
}

// Levels returns false: no Count reads more than the sums of a cell.
func (Multinomial) Levels() bool { return false }

// Name returns "multinomial" and the parameters, as in "multinomial:log,jm=0.7"
// or "multinomial:map,alpha=2".
func (m Multinomial) Name() string {
	smoothing := m.Smoothing.String()
	if (m.Smoothing.method == byAlpha || m.Smoothing.method == byDefaultAlpha) &&
		m.Smoothing.value() == DefaultMultinomialAlpha {
		smoothing = ""
	}
	return modelName("multinomial", m.Count.String(), m.Estimator.shown(PosteriorMean), smoothing)
}

func (m Multinomial) check() error {
	if m.Count > Binary {
		return fmt.Errorf("there is no %v", m.Count)
	}
	if m.Smoothing.method == byDefaultAlpha || m.Smoothing.method == byAlpha {
		if m.Smoothing == Additive(0) {
			return m.Smoothing.check()
		}
		return m.Estimator.check("alpha", m.Smoothing.amount, DefaultMultinomialAlpha)
	}
	if m.Estimator > PosteriorMean {
		return fmt.Errorf("%v with %v: want alpha=, which is the only smoothing that it goes with", m.Estimator, m.Smoothing)
	}
	return m.Smoothing.check()
}

// Prepare computes the logarithm of N_c + αV for each class. It panics if the
// parameters are out of range.
func (m Multinomial) Prepare(t Totals) Scorer {
	must(m.check())
	if !m.Smoothing.additive() {
		return additive{of: newBackgroundScorer(t, m.Count, m.Smoothing)}
	}
	v := float64(max(t.Vocabulary, 1))
	alpha := m.Estimator.added(m.Smoothing.alpha(v))
	s := &multinomialScorer{
		count:  m.Count,
		weight: m.Count.weights(),
		logs:   m.Smoothing.logs(alpha),
		norms:  make([]float64, len(t.Classes)),
		lacks:  make([]float64, len(t.Classes)),
	}
	for c, class := range t.Classes {
		s.norms[c], s.lacks[c] = multinomialNorm(m.Count.total(class), alpha, v)
	}
	if alpha == 0 {
		return additive{of: s}
	}
	return &quickMultinomial{additive{of: s}, s, math.Log(alpha)}
}

// multinomialNorm returns log(N + αV) and the log θ of a term that the class
// lacks.
func multinomialNorm(total, alpha, v float64) (norm, lacks float64) {
	if total+alpha*v == 0 {
		return math.Log(v), -math.Log(v) // the limit for α → 0
	}
	norm = math.Log(total + alpha*v)
	return norm, math.Log(alpha) - norm
}

type multinomialScorer struct {
	count  Count
	weight *countWeights
	logs   *smoothedLogs
	norms  []float64 // log(N_c + αV)
	lacks  []float64 // log θ of terms that the class lacks
}

func (s *multinomialScorer) base(int, *Evidence) float64 { return 0 }

func (s *multinomialScorer) missing(c, x int) float64 { return s.weight[x] * s.lacks[c] }

func (s *multinomialScorer) term(row *Row, cell *count.Cell) float64 {
	return s.weight[row.X] * (s.logOf(cell) - s.norms[cell.Class])
}

// logOf returns log(n_ct + α), from the table if n_ct is a whole number.
func (s *multinomialScorer) logOf(cell *count.Cell) float64 {
	switch s.count {
	case Occurrences:
		return s.logs.at(cell.TF)
	case Binary:
		return s.logs.at(cell.DF)
	}
	return math.Log(s.count.of(cell) + s.logs.alpha)
}

// quickMultinomial sums contributions; the result differs from the sum of parts only by rounding.
type quickMultinomial struct {
	additive
	s   *multinomialScorer
	log float64 // log α, which is log θ + log(N_c + αV) of a term that a class lacks, for every class
}

// Score implements Scorer.
func (q *quickMultinomial) Score(e *Evidence, scores []float64) {
	sumContributions(q, e, scores, new(contributions))
}

func (q *quickMultinomial) weights() *countWeights { return q.s.weight }

func (q *quickMultinomial) contribute(row *Row, memory *contributions) {
	list := memory.of(row.Cells)
	for k := range row.Cells {
		cell := &row.Cells[k]
		list[k] = contribution{cell.Class, q.s.logOf(cell) - q.log}
	}
}

func (q *quickMultinomial) conclude(_ *Evidence, sums []float64, total float64) {
	for c := range sums {
		sums[c] += total * q.s.lacks[c]
	}
}
