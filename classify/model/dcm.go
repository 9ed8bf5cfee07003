package model

import (
	"cmp"
	"math"
	"slices"

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
// Only A_c is fitted, by FitDCM, and d_c follows from it and the present counts. So the α
// stay in proportion while documents change, and a fit ages slowly.
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
	// DefaultDCMEpsilon, with which A_c is fitted in any case.
	Epsilon float64

	// Fits are the A of the classes by FitDCM, in the order of Totals.Classes. 0 means no fit,
	// as does a shorter slice.
	Fits []float64
}

// Name returns "dcm", with an ε that is not the default as in "dcm:epsilon=0.1". Fits are not part of it.
func (m DCM) Name() string {
	return modelName("dcm", shownAmount("epsilon", m.Epsilon, DefaultDCMEpsilon))
}

func (m DCM) check() error { return checkAmount("epsilon", cmp.Or(m.Epsilon, DefaultDCMEpsilon)) }

// Prepare computes d_c for each class, in time proportional to the distinct
// lengths.
func (m DCM) Prepare(t Totals) Scorer {
	shared := sharedPrecision(m.Fits, t)
	s := &dcmScorer{epsilon: cmp.Or(m.Epsilon, DefaultDCMEpsilon)}
	for c, class := range t.Classes {
		a := shared
		if usable(m.Fits, t, c) {
			a = m.Fits[c]
		}
		s.add(class, a, float64(max(t.Vocabulary, 1)))
	}
	return &summed{contributor: s, weights: &weightsOne, absent: s.length}
}

type dcmScorer struct {
	epsilon float64
	classes []dcmClass
}

// dcmClass holds the constants of a class for scoring.
type dcmClass struct {
	a, d   float64
	norm   float64 // log(N_c + εV), for A = +Inf
	unseen float64 // α of a term that the class lacks; its log θ for A = +Inf
}

func (s *dcmScorer) add(class *count.Class, a, v float64) {
	k := dcmClass{a: a}
	if k.multinomial() {
		k.norm, k.unseen = multinomialNorm(float64(class.Tokens), s.epsilon, v)
	} else {
		k.d = dcmD(class.Lengths, s.epsilon*v, a)
		k.unseen = s.epsilon / k.d
	}
	s.classes = append(s.classes, k)
}

func (k *dcmClass) multinomial() bool { return math.IsInf(k.a, 1) }

// absent returns R(unseen, x).
func (k *dcmClass) absent(x int) float64 {
	if k.multinomial() {
		return float64(x) * k.unseen
	}
	return numeric.LogRising(k.unseen, x)
}

// length returns -R(A_c, n).
func (s *dcmScorer) length(c int, e *Evidence) float64 {
	k := &s.classes[c]
	if k.multinomial() {
		return 0
	}
	return -numeric.LogRising(k.a, e.Tokens)
}

// contribute sets memory to R(α, x) of every class, which is not in proportion to x.
func (s *dcmScorer) contribute(row *Row, memory *contributions) {
	list := slices.Grow(memory.list[:0], len(s.classes))[:len(s.classes)]
	for c := range list {
		list[c] = contribution{c, s.classes[c].absent(row.X)}
	}
	for i := range row.Cells {
		cell := &row.Cells[i]
		k := &s.classes[cell.Class]
		if k.multinomial() {
			list[cell.Class].value = float64(row.X) * (math.Log(float64(cell.TF)+s.epsilon) - k.norm)
		} else {
			list[cell.Class].value = numeric.LogRising(dcmAlpha(cell.U, s.epsilon, k.d), row.X)
		}
	}
	memory.list = list
}

const (
	// DefaultDCMEpsilon is the ε of the zero DCM. Between .001 and .1 it changes .2 to 1 % of
	// the answers on 20 Newsgroups, Reuters R8 and SpamAssassin, for the better and the worse.
	DefaultDCMEpsilon = 0.01

	// defaultDCMPrecision is the A of every class before any fit. Fits gave 230 to 1,260.
	defaultDCMPrecision = 500

	// MinDCMDocuments is the number of documents that a class needs for its own A. The A of
	// a few documents is mostly noise, and often +Inf.
	MinDCMDocuments = 10
)

// usable reports whether the fit of class c can be used.
func usable(fits []float64, t Totals, c int) bool {
	return c < len(fits) && fits[c] > 0 && t.Classes[c].Docs >= MinDCMDocuments
}

// sharedPrecision returns the A of classes without a usable fit.
func sharedPrecision(fits []float64, t Totals) float64 {
	var sum, docs float64
	infinite := false
	for c, class := range t.Classes {
		switch {
		case !usable(fits, t, c):
		case math.IsInf(fits[c], 1):
			infinite = true
		default:
			sum += float64(class.Docs) * math.Log(fits[c])
			docs += float64(class.Docs)
		}
	}
	switch {
	case docs > 0:
		return math.Exp(sum / docs)
	case infinite:
		return math.Inf(1)
	}
	return defaultDCMPrecision
}
