package model

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/polya-classifier/polya/store/count"
)

// Fit is what is kept of a DCM fitted to a class. The zero Fit means that there
// is none.
type Fit struct {
	// A is the precision, the sum of all α, > 0. +Inf means that the class is
	// no burstier than a multinomial. 0 means that there is no fit.
	A float64

	// D is the d at the fit, 0 if A is +Inf. Scoring derives its own from A
	// and the counts of its time.
	D float64

	// Docs is the number of documents of the class at the fit.
	Docs uint64
}

// fitBytes is the length of a marshalled Fit.
const fitBytes = 24

// MarshalBinary returns the 24 bytes A, D (IEEE 754 bits) and Docs, each
// little-endian. It never fails.
func (f Fit) MarshalBinary() ([]byte, error) {
	data := make([]byte, 0, fitBytes)
	data = binary.LittleEndian.AppendUint64(data, math.Float64bits(f.A))
	data = binary.LittleEndian.AppendUint64(data, math.Float64bits(f.D))
	return binary.LittleEndian.AppendUint64(data, f.Docs), nil
}

// UnmarshalBinary reads what MarshalBinary returned. On an error f is
// unchanged.
func (f *Fit) UnmarshalBinary(data []byte) error {
	if len(data) != fitBytes {
		return fmt.Errorf("classify: a DCM fit has %d bytes, not %d", fitBytes, len(data))
	}
	a := math.Float64frombits(binary.LittleEndian.Uint64(data))
	d := math.Float64frombits(binary.LittleEndian.Uint64(data[8:]))
	if !(a >= 0) || !(d >= 0) || math.IsInf(d, 1) {
		return fmt.Errorf("classify: not a DCM fit: A = %v, d = %v", a, d)
	}
	*f = Fit{A: a, D: d, Docs: binary.LittleEndian.Uint64(data[16:])}
	return nil
}

// Histograms gathers the terms of one class that occur more than once in some document,
// by their counts U: of a million terms a few thousand distinct U remain. The zero value
// is empty and ready for use.
type Histograms struct {
	index map[string]int // U as bytes → place in list
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

// all returns the histograms of all terms of the class, which has these document
// frequencies: terms that were not added have them as their U. They are ordered by U, so
// that sums over them do not depend on the order of the rows.
func (h *Histograms) all(frequencies []count.Pair) []histogram {
	added := make(map[uint64]uint64)
	for _, one := range h.list {
		added[uint64(one.u[0])] += one.terms
	}
	var all []histogram
	for _, f := range frequencies {
		if once := f.Count - min(added[f.N], f.Count); once > 0 {
			all = append(all, histogram{[]uint32{uint32(f.N)}, once})
		}
	}
	once := len(all)
	all = append(all, h.list...)
	slices.SortFunc(all[once:], func(x, y histogram) int {
		return cmp.Or(cmp.Compare(len(x.u), len(y.u)), slices.Compare(x.u, y.u))
	})
	return all
}

const (
	// dcmMinA and dcmMaxA bound the search for A. At the lower bound documents
	// have one distinct term each; the upper one is taken for +Inf.
	dcmMinA = 1e-3
	dcmMaxA = 1e9

	// dcmTolerance is the relative tolerance of A.
	dcmTolerance = 1e-12
)

// FitDCM finds the A of a class that maximises the likelihood described at DCM:
// with α_t(d) the root for the counts of term t, the A with
//
//	Σ_t α_t(d(A)) = A,  d(A) = Σ_m L_m/(A+m) + εV/A
//
// where the counts U of the class's terms come from repeated, to which those were added
// that repeat, and c.Frequencies, L comes from c.Lengths, and V = vocabulary is the number of terms of all classes. The
// vocabulary's terms that the class lacks have α = ε/d. An epsilon of zero means
// DefaultDCMEpsilon; FitDCM panics if it is negative, infinite or not a number.
//
// The root of log(Σα/A) in log A is bracketed, from warm.A if there is one, and
// found by secant steps held in the bracket. (Iterating A ← Σα instead, plainly
// or accelerated, ran off to +Inf on real mail.) warm saves time and changes
// the result by rounding only, as long as the likelihood has one maximum.
//
// Special cases:
//
//	no burstiness, Σα > A for all A: A = +Inf, D = 0. So for one document of
//		several terms, and for documents without a repeated term
//	no document has two distinct terms, Σα < A for all A: A = 0.001
//	no document has two tokens: no fit (A = 0), as every A is as good
func FitDCM(c *count.Class, repeated *Histograms, vocabulary uint64, epsilon float64, warm Fit) Fit {
	epsilon = smoothing(epsilon, DefaultDCMEpsilon)
	if len(c.Lengths) == 0 || c.Lengths[len(c.Lengths)-1].N < 2 {
		return Fit{Docs: c.Docs}
	}
	f := newDCMFitter(c, repeated.all(c.Frequencies), vocabulary, epsilon)
	start, step := math.Log(DefaultDCMPrecision), 0.5
	if warm.A >= dcmMinA && warm.A <= dcmMaxA {
		start, step = math.Log(warm.A), 0.02
	}
	x := dcmRoot(f.excess, start, step, math.Log(dcmMinA), math.Log(dcmMaxA))
	if math.IsInf(x, 1) {
		return Fit{A: x, Docs: c.Docs}
	}
	a := math.Exp(x)
	return Fit{A: a, D: dcmD(c.Lengths, f.pseudo, a), Docs: c.Docs}
}

// dcmFitter evaluates the equation for A.
type dcmFitter struct {
	lengths []count.Pair
	epsilon float64
	pseudo  float64 // εV
	linear  float64 // Σ (U_0+ε) over the terms with at most one level
	many    []dcmLevels
}

// dcmLevels is a histogram of two or more levels with the sums of dcmAlpha.
type dcmLevels struct {
	u     []uint32
	terms float64
	first float64 // U_0 + ε
	n     float64 // N + ε
	mean  float64 // j̄
}

func newDCMFitter(c *count.Class, hist []histogram, vocabulary uint64, epsilon float64) *dcmFitter {
	f := &dcmFitter{lengths: c.Lengths, epsilon: epsilon, pseudo: epsilon * float64(max(vocabulary, 1))}
	f.linear = f.pseudo // less ε for each term that turns out to have levels
	for _, h := range hist {
		terms := float64(h.terms)
		if len(h.u) < 2 {
			for _, u := range h.u {
				f.linear += terms * float64(u)
			}
			continue
		}
		f.linear -= terms * epsilon
		l := dcmLevels{u: h.u, terms: terms, first: float64(h.u[0]) + epsilon, n: epsilon}
		for j, u := range h.u {
			l.n += float64(u)
			l.mean += float64(j) * float64(u)
		}
		l.mean /= l.n
		f.many = append(f.many, l)
	}
	return f
}

// excess returns log(Σα/A) for A = exp(x): positive below the maximum of the
// likelihood, negative above.
func (f *dcmFitter) excess(x float64) float64 {
	a := math.Exp(x)
	d := dcmD(f.lengths, f.pseudo, a)
	sum := f.linear / d
	for i := range f.many {
		l := &f.many[i]
		sum += l.terms * dcmNewton(l.u, f.epsilon, d, max(l.first/d, l.n/d-l.mean))
	}
	return math.Log(sum / a)
}

// dcmRoot returns the x in [low, high] where g passes from positive to negative;
// low if g is negative in all places tried, +Inf if it is positive. It goes from
// x by doubling steps until the sign changes and then takes secant steps in the
// bracket (Anderson and Björck 1973, BIT 13), or bisects when these do not halve
// it.
func dcmRoot(g func(float64) float64, x, step, low, high float64) float64 {
	y := g(x)
	if y == 0 {
		return x
	}
	up := y > 0
	for {
		x0, y0 := x, y
		if up {
			x = min(x+step, high)
		} else {
			x = max(x-step, low)
		}
		y = g(x)
		if y > 0 != up {
			return dcmSecant(g, x0, y0, x, y)
		}
		if up && x == high {
			return math.Inf(1)
		}
		if !up && x == low {
			return low
		}
		step *= 2
	}
}

// dcmSecant returns the root of g between a and b, where g has the values fa and
// fb of different signs.
func dcmSecant(g func(float64) float64, a, fa, b, fb float64) float64 {
	width := math.Abs(b - a)
	for i := 1; i < 100 && fb != 0 && math.Abs(b-a) > dcmTolerance; i++ {
		x := b - fb*(b-a)/(fb-fa)
		if i%4 == 0 {
			if math.Abs(b-a) > width/2 {
				x = a + (b-a)/2
			}
			width = math.Abs(b - a)
		}
		// A lesser step is made half the tolerance, so that the bracket closes.
		if math.Abs(x-b) < dcmTolerance/2 {
			x = b + math.Copysign(dcmTolerance/2, a-b)
		}
		fx := g(x)
		if fx > 0 == (fb > 0) {
			// a stays: its value is scaled down, or it would stay for good.
			if m := 1 - fx/fb; m > 0 {
				fa *= m
			} else {
				fa /= 2
			}
		} else {
			a, fa = b, fb
		}
		b, fb = x, fx
	}
	return b
}
