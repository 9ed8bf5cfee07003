package model

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"

	"github.com/polya-classifier/polya/store/count"
)

// Histograms collects the terms of one class that occur more than once in some document,
// by their counts U: a million terms have a few thousand distinct U. The zero value is
// empty and ready for use.
type Histograms struct {
	index map[string]int // U as bytes → index in list
	list  []histogram
	key   []byte
}

// histogram counts the terms of a class that have the same U.
type histogram struct {
	u     []uint32
	terms uint64
}

// Add counts the term of a cell with U filled in, if it occurs more than once in some
// document. U is not kept.
func (h *Histograms) Add(cell count.Cell) {
	if cell.TF <= cell.DF {
		return
	}
	h.key = h.key[:0]
	for _, docs := range cell.U {
		h.key = binary.LittleEndian.AppendUint32(h.key, docs)
	}
	at, ok := h.index[string(h.key)]
	if !ok {
		if h.index == nil {
			h.index = make(map[string]int)
		}
		at = len(h.list)
		h.index[string(h.key)] = at
		h.list = append(h.list, histogram{u: slices.Clone(cell.U)})
	}
	h.list[at].terms++
}

// FitDCM returns the A of a class that maximises the likelihood described at DCM:
// with α_t(d) the root for the counts of term t, the A with
//
//	Σ_t α_t(d(A)) = A,  d(A) = Σ_m L_m/(A+m) + εV/A
//
// where the counts U of the class's terms come from repeated, which has the repeating
// terms, and from c.Frequencies. L comes from c.Lengths, and V = vocabulary is the number
// of terms of all classes. Terms that the class lacks have α = ε/d. An epsilon of zero
// means DefaultDCMEpsilon.
//
// The root of log(Σα/A) in log A is bracketed and found by secant steps within the
// bracket. (Iterating A ← Σα instead, plainly or accelerated, diverged to +Inf on real
// mail.)
//
// Special cases:
//
//	no burstiness, Σα > A for all A: A = +Inf. So for one document of
//		several terms, and for documents without a repeated term
//	no document has two distinct terms, Σα < A for all A: A = 0.001
//	no document has two tokens: 0, no fit, since every A is equally good
func FitDCM(c *count.Class, repeated *Histograms, vocabulary uint64, epsilon float64) float64 {
	epsilon = cmp.Or(epsilon, DefaultDCMEpsilon)
	if len(c.Lengths) == 0 || c.Lengths[len(c.Lengths)-1].N < 2 {
		return 0
	}
	f := newDCMFitter(c, repeated, vocabulary, epsilon)
	return math.Exp(dcmRoot(f.excess, math.Log(defaultDCMPrecision), 0.5, math.Log(dcmMinA), math.Log(dcmMaxA)))
}

// dcmFitter evaluates the equation for A.
type dcmFitter struct {
	lengths []count.Pair
	epsilon float64
	pseudo  float64     // εV
	linear  float64     // Σ (U_0+ε) over the terms that occur at most once in a document
	many    []histogram // of the others
}

// newDCMFitter takes terms that repeated does not have to have their document frequency as U. Sums
// do not depend on the order of the rows.
func newDCMFitter(c *count.Class, repeated *Histograms, vocabulary uint64, epsilon float64) *dcmFitter {
	pseudo := epsilon * float64(max(vocabulary, 1))
	f := &dcmFitter{lengths: c.Lengths, epsilon: epsilon, pseudo: pseudo, linear: pseudo, many: slices.Clone(repeated.list)}
	slices.SortFunc(f.many, func(x, y histogram) int {
		return cmp.Or(cmp.Compare(len(x.u), len(y.u)), slices.Compare(x.u, y.u))
	})
	added := make(map[uint64]uint64)
	for _, h := range f.many {
		added[uint64(h.u[0])] += h.terms
	}
	for _, p := range c.Frequencies {
		f.linear += float64(p.Count-min(added[p.N], p.Count)) * float64(p.N)
	}
	for _, h := range f.many {
		f.linear -= float64(h.terms) * epsilon
	}
	return f
}

// excess returns log(Σα/A) for A = exp(x): positive below the maximum of the
// likelihood, negative above.
func (f *dcmFitter) excess(x float64) float64 {
	a := math.Exp(x)
	d := dcmD(f.lengths, f.pseudo, a)
	sum := f.linear / d
	for _, h := range f.many {
		sum += float64(h.terms) * dcmAlpha(h.u, f.epsilon, d)
	}
	return math.Log(sum / a)
}
