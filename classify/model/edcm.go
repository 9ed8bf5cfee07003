package model

import (
	"math"

	"github.com/polya-classifier/polya/classify/internal/gamma"
	"github.com/polya-classifier/polya/store/count"
)

// edcmScorer scores by the exponential-family approximation of the DCM for small
// α (C. Elkan, Clustering Documents with an Exponential-Family Approximation of
// the Dirichlet Compound Multinomial Distribution, ICML 2006). Up to Σ_t log x_t,
// which all classes share, and n!, the log-likelihood in class c is
//
//	Σ_t log b_ct - R(s_c, n),  over the terms of the document
//
// so that only the presence of a term matters, not its frequency, and of repetitions only
// their total number. With pseudo-documents of weight ε, as in the DCM, the likelihood of
// the class is maximal for
//
//	b_ct = (DF_ct + ε) / d_c
//	d_c = Σ_m L_cm/(s_c+m) + εV/s_c
//	s_c Σ_m L_cm/(s_c+m) = Σ_t DF_ct
//
// where L_cm documents have more than m tokens. Σ_t b_ct = s_c. Pruned terms are assumed
// never to repeat in a document.
//
// Special cases:
//
//	no term repeats, s_c = +Inf, or fewer than MinDCMDocuments: s_c is shared as
//		the A_c of the DCM are, 500 if no class has one of its own
//	no document has two distinct terms: s_c = 0.001
//	no tokens: b_ct = s_c/V
type edcmScorer struct {
	logs  *smoothedLogs
	s     []float64
	norms []float64 // log d_c
	lacks []float64 // log b_ct of terms that the class lacks
}

func newEDCMScorer(t Totals, epsilon float64) *edcmScorer {
	classes, v := len(t.Classes), float64(max(t.Vocabulary, 1))
	scorer := &edcmScorer{
		logs: smoothedLogsOf(epsilon),
		s:    make([]float64, classes), norms: make([]float64, classes), lacks: make([]float64, classes),
	}
	fits := make([]Fit, classes)
	for c, class := range t.Classes {
		if class.Docs >= MinDCMDocuments {
			fits[c] = Fit{A: edcmPrecision(class), Docs: class.Docs}
		}
	}
	shared := sharedPrecision(fits, t)
	for c, class := range t.Classes {
		s := shared
		if usable(fits, t, c) {
			s = fits[c].A
		}
		d := dcmD(class.Lengths, epsilon*v, s)
		scorer.s[c], scorer.norms[c] = s, math.Log(d)
		scorer.lacks[c] = math.Log(dcmUnseen(d, s, epsilon, v))
	}
	return scorer
}

// edcmPrecision solves the equation for s, 0 if that is +Inf.
func edcmPrecision(class *count.Class) float64 {
	distinct := sumFrequencies(class) + float64(class.Dropped)
	if distinct == 0 || distinct >= float64(class.Tokens) {
		return 0
	}
	x := dcmRoot(func(x float64) float64 {
		s := math.Exp(x)
		return math.Log(distinct / (s * dcmD(class.Lengths, 0, s)))
	}, math.Log(defaultDCMPrecision), 0.5, math.Log(dcmMinA), math.Log(dcmMaxA))
	if math.IsInf(x, 1) {
		return 0
	}
	return math.Exp(x)
}

func (s *edcmScorer) base(c int, e *Evidence) float64 { return -gamma.LogRising(s.s[c], e.Tokens) }

func (s *edcmScorer) missing(c, _ int) float64 { return s.lacks[c] }

func (s *edcmScorer) term(_ *Row, cell *count.Cell) float64 {
	return s.logs.at(cell.DF) - s.norms[cell.Class]
}
