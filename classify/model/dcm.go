package model

import (
	"cmp"
	"errors"
	"math"

	"github.com/polya-classifier/polya/internal/numeric"
	"github.com/polya-classifier/polya/store/count"
)

// DCM is the Dirichlet compound multinomial, Pólya's urn: every time a term is drawn, one
// more of it is put back, so that a term that has occurred once is likely to occur again.
// The log-likelihood in class c is, up to the multinomial coefficient, which is common to
// all classes,
//
//	Σ_t R(α_ct, x_t) - R(A_c, n),  R(α, x) = log Γ(α+x) - log Γ(α) = Σ_{j<x} log(α+j)
//
// with A_c = Σ_t α_ct, the precision: the smaller, the burstier. The α of a
// term is not stored. It is the root of
//
//	Σ_j U_ctj/(α+j) + ε/α = d_c
//	d_c = Σ_m L_cm/(A_c+m) + εV/A_c
//
// where U_ctj documents of the class have the term more than j times and L_cm have more
// than m tokens: the maximum of the likelihood of the documents of the class and of a
// pseudo-document of weight ε for each term of the vocabulary that contains the term
// once. A term that the class lacks has α = ε/d_c.
//
// Only A_c is fitted, by FitDCM, and d_c follows from it and the present counts, new
// terms of the vocabulary included. So the α stay in proportion (they sum to about A_c,
// exactly at the fit) while documents change, and a fit ages slowly.
//
// The α are the posterior mode under the pseudo-documents; MaximumLikelihood omits these
// (ε = 0), so a class that lacks a term scores -Inf. A_c comes from the same fit, which
// was made with DefaultDCMEpsilon.
//
// Special cases:
//
//	A_c = +Inf: the multinomial with θ_ct = (TF_ct + ε) / (N_c + εV)
//	no tokens: α_ct = A_c/V
//	no usable fit, or fewer than MinDCMDocuments: A_c is the geometric mean of
//		the finite A of the other classes, weighted by their documents; +Inf if
//		those are all +Inf, 500 if there are none
//	V = 0: computed as if V were 1; there is no known term to ask for
type DCM struct {
	// Epsilon is ε, the weight of each term's pseudo-document, 0 < ε ≤ 1e9. Zero means
	// DefaultDCMEpsilon. It must not be set if Estimator is MaximumLikelihood.
	Epsilon float64

	// Fits are the fits of the classes, in the order of Totals.Classes. The zero Fit means
	// no fit, as does a shorter slice. They are ignored if Exponential.
	Fits []Fit

	// Exponential uses Elkan's approximation of the DCM, which has a closed form and needs
	// neither fits nor Cell.U: see edcmScorer.
	Exponential bool

	// Estimator is PosteriorMode, the default, or MaximumLikelihood.
	Estimator Estimator
}

// Levels returns true: the model reads Cell.U, unless it is Exponential.
func (m DCM) Levels() bool { return !m.Exponential }

// Name returns "dcm" and the parameters, as in "dcm:epsilon=0.1" or "dcm:edcm".
// Fits are not part of it.
func (m DCM) Name() string {
	word := ""
	if m.Exponential {
		word = "edcm"
	}
	return modelName("dcm", word, m.Estimator.shown(PosteriorMode), shownAmount("epsilon", m.Epsilon, DefaultDCMEpsilon))
}

func (m DCM) check() error {
	switch m.Estimator {
	case PosteriorMean:
		return errors.New("mean: want map or ml, as the mean has no closed form")
	case PosteriorMode:
		// The mode is interior for any ε, which corresponds to α - 1 in other priors.
		return DefaultEstimator.check("epsilon", m.Epsilon, DefaultDCMEpsilon)
	}
	return m.Estimator.check("epsilon", m.Epsilon, DefaultDCMEpsilon)
}

// epsilon returns the effective ε.
func (m DCM) epsilon() float64 {
	if m.Estimator == MaximumLikelihood {
		return 0
	}
	return cmp.Or(m.Epsilon, DefaultDCMEpsilon)
}

// Prepare computes d_c for each class, in time proportional to the distinct
// lengths. It panics if the parameters are out of range.
func (m DCM) Prepare(t Totals) Scorer {
	must(m.check())
	if m.Exponential {
		return additive{of: newEDCMScorer(t, m.epsilon())}
	}
	shared := sharedPrecision(m.Fits, t)
	s := &dcmScorer{epsilon: m.epsilon(), classes: make([]dcmClass, len(t.Classes))}
	for c, class := range t.Classes {
		a := shared
		if usable(m.Fits, t, c) {
			a = m.Fits[c].A
		}
		s.classes[c] = newDCMClass(class, a, s.epsilon, float64(max(t.Vocabulary, 1)))
	}
	return additive{of: s}
}

// WithFits returns m, with fits if it is a DCM that has none.
func WithFits(m EventModel, fits []Fit) EventModel {
	if d, ok := m.(DCM); ok && d.Fits == nil {
		d.Fits = fits
		return d
	}
	return m
}

type dcmScorer struct {
	epsilon float64
	classes []dcmClass
}

// dcmClass holds the constants of a class for scoring.
type dcmClass struct {
	a, d   float64
	norm   float64     // log(N_c + εV), for A = +Inf
	unseen float64     // α of a term that the class lacks; its log θ for A = +Inf
	lacks  [17]float64 // R(unseen, x) for small x
}

func newDCMClass(class *count.Class, a, epsilon, v float64) dcmClass {
	k := dcmClass{a: a}
	if k.multinomial() {
		k.norm, k.unseen = multinomialNorm(float64(class.Tokens), epsilon, v)
	} else {
		k.d = dcmD(class.Lengths, epsilon*v, a)
		k.unseen = dcmUnseen(k.d, a, epsilon, v)
	}
	for x := range k.lacks {
		k.lacks[x] = k.absent(x)
	}
	return k
}

func (k *dcmClass) multinomial() bool { return math.IsInf(k.a, 1) }

// absent returns R(unseen, x).
func (k *dcmClass) absent(x int) float64 {
	if k.multinomial() && x > 0 {
		return float64(x) * k.unseen
	}
	return numeric.LogRising(k.unseen, x)
}

// base returns -R(A_c, n).
func (s *dcmScorer) base(c int, e *Evidence) float64 {
	k := &s.classes[c]
	if k.multinomial() {
		return 0
	}
	return -numeric.LogRising(k.a, e.Tokens)
}

// missing returns R(ε/d_c, x).
func (s *dcmScorer) missing(c, x int) float64 {
	k := &s.classes[c]
	if x < len(k.lacks) {
		return k.lacks[x]
	}
	return k.absent(x)
}

// term returns R(α, x).
func (s *dcmScorer) term(row *Row, cell *count.Cell) float64 {
	k := &s.classes[cell.Class]
	if k.multinomial() {
		return float64(row.X) * (math.Log(float64(cell.TF)+s.epsilon) - k.norm)
	}
	return numeric.LogRising(dcmAlpha(cell.U, s.epsilon, k.d), row.X)
}

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

func (s *edcmScorer) base(c int, e *Evidence) float64 { return -numeric.LogRising(s.s[c], e.Tokens) }

func (s *edcmScorer) missing(c, _ int) float64 { return s.lacks[c] }

func (s *edcmScorer) term(_ *Row, cell *count.Cell) float64 {
	return s.logs.at(cell.DF) - s.norms[cell.Class]
}
