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

// Histogram counts the terms of a class that have the same counts U.
type Histogram struct {
	U     []uint32 // as Cell.U
	Terms uint64
}

// Histograms gathers the rows of one class as distinct Histograms: of a million
// terms a few thousand remain, as most occur in few documents and at most once
// in each. The zero value is empty and ready for use.
type Histograms struct {
	single []uint64       // single[u] terms have U = {u}
	index  map[string]int // U as bytes → place in many
	many   []Histogram    // all other U
	key    []byte
}

// maxSingle bounds Histograms.single.
const maxSingle = 1 << 16

// Add counts the term of a cell with U filled in. U is not kept.
func (h *Histograms) Add(cell count.Cell) {
	u := cell.U
	for len(u) > 0 && u[len(u)-1] == 0 {
		u = u[:len(u)-1]
	}
	switch {
	case len(u) == 0:
	case len(u) == 1 && u[0] < maxSingle:
		h.growSingle(uint64(u[0]))
		h.single[u[0]]++
	default:
		h.addMany(u)
	}
}

// AddOnce counts the terms of a class that occur at most once in any document,
// after Add has been told of all that occur more often: those that the class has
// by its frequencies, less the ones told of.
func (h *Histograms) AddOnce(frequencies []count.Pair) {
	told := make(map[uint64]uint64)
	for i := range h.many {
		told[uint64(h.many[i].U[0])] += h.many[i].Terms
	}
	for _, f := range frequencies {
		once := f.Count - min(told[f.N], f.Count)
		if f.N < maxSingle {
			h.growSingle(f.N)
			h.single[f.N] += once
		} else if once > 0 {
			h.addMany([]uint32{uint32(f.N)})
			h.many[len(h.many)-1].Terms = once
		}
	}
}

func (h *Histograms) growSingle(u uint64) {
	if u >= uint64(len(h.single)) {
		h.single = append(h.single, make([]uint64, u+1-uint64(len(h.single)))...)
	}
}

func (h *Histograms) addMany(u []uint32) {
	h.key = h.key[:0]
	for _, count := range u {
		h.key = binary.LittleEndian.AppendUint32(h.key, count)
	}
	at, ok := h.index[string(h.key)]
	if !ok {
		if h.index == nil {
			h.index = make(map[string]int)
		}
		at = len(h.many)
		h.index[string(h.key)] = at
		h.many = append(h.many, Histogram{U: slices.Clone(u)})
	}
	h.many[at].Terms++
}

// Slice returns the distinct histograms ordered by U, so that sums over them do
// not depend on the order of the rows.
func (h *Histograms) Slice() []Histogram {
	var all []Histogram
	for u, terms := range h.single {
		if terms > 0 {
			all = append(all, Histogram{U: []uint32{uint32(u)}, Terms: terms})
		}
	}
	all = append(all, h.many...)
	slices.SortFunc(all, func(x, y Histogram) int {
		return cmp.Or(cmp.Compare(len(x.U), len(y.U)), slices.Compare(x.U, y.U))
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
// where hist are the distinct counts of the class's terms, L comes from
// c.Lengths, and V = vocabulary is the number of terms of all classes. The
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
func FitDCM(c *count.Class, hist []Histogram, vocabulary uint64, epsilon float64, warm Fit) Fit {
	epsilon = smoothing(epsilon, DefaultDCMEpsilon)
	if len(c.Lengths) == 0 || c.Lengths[len(c.Lengths)-1].N < 2 {
		return Fit{Docs: c.Docs}
	}
	f := newDCMFitter(c, hist, vocabulary, epsilon)
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

func newDCMFitter(c *count.Class, hist []Histogram, vocabulary uint64, epsilon float64) *dcmFitter {
	f := &dcmFitter{lengths: c.Lengths, epsilon: epsilon, pseudo: epsilon * float64(max(vocabulary, 1))}
	f.linear = f.pseudo // less ε for each term that turns out to have levels
	for _, h := range hist {
		terms := float64(h.Terms)
		if len(h.U) < 2 {
			for _, u := range h.U {
				f.linear += terms * float64(u)
			}
			continue
		}
		f.linear -= terms * epsilon
		l := dcmLevels{u: h.U, terms: terms, first: float64(h.U[0]) + epsilon, n: epsilon}
		for j, u := range h.U {
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
