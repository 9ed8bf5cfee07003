package model

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"

	"github.com/polya-classifier/polya/internal/numeric"
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

// dcmAlpha returns the α of a term: the root of
//
//	s(α) = Σ_j U_j/(α+j) + ε/α = d
//
// One level has (U_0+ε)/d. Otherwise dcmNewton starts from the greater of two
// bounds below the root: (U_0+ε)/d, which leaves out all levels but the first,
// and, by Jensen's inequality, (N+ε)/d - j̄ with N = Σ_j U_j and j̄ =
// Σ_j j U_j/(N+ε).
func dcmAlpha(u []uint32, epsilon, d float64) float64 {
	if len(u) == 0 {
		return epsilon / d
	}
	first := (float64(u[0]) + epsilon) / d
	if len(u) == 1 {
		return first
	}
	n, weighted := epsilon, 0.0
	for j, count := range u {
		n += float64(count)
		weighted += float64(j) * float64(count)
	}
	return dcmNewton(u, epsilon, d, max(first, n/d-weighted/n))
}

// dcmNewton solves the equation of dcmAlpha from a bound below the root, by Newton's
// method for 1/s(α) = 1/d: as a weighted harmonic mean of lines, 1/s is concave,
// increasing and nearly linear, so that the steps approach the root monotonically from
// below, and three or four suffice.
func dcmNewton(u []uint32, epsilon, d, alpha float64) float64 {
	for range 100 {
		s, t, x := epsilon/alpha, epsilon/(alpha*alpha), alpha
		for _, count := range u {
			r := 1 / x
			a := float64(count) * r
			s += a
			t += a * r
			x++
		}
		step := s * (s - d) / (d * t)
		alpha += step
		// Convergence is quadratic: the next step would be below the rounding.
		if step <= 1e-8*alpha {
			break
		}
	}
	return alpha
}

// dcmD returns
//
//	d = Σ_m L_m/(A+m) + εV/A
//
// with L_m the documents longer than m and pseudo = εV.
func dcmD(lengths []count.Pair, pseudo, a float64) float64 {
	var d, longer float64
	for i := len(lengths) - 1; i >= 0; i-- {
		var from uint64
		if i > 0 {
			from = lengths[i-1].N
		}
		longer += float64(lengths[i].Count)
		d += longer * numeric.Harmonic(a+float64(from), lengths[i].N-from)
	}
	return d + pseudo/a
}

const (
	// dcmMinA and dcmMaxA bound the search for A. At the lower bound documents have one
	// distinct term each; the upper one means +Inf.
	dcmMinA = 1e-3
	dcmMaxA = 1e9

	// dcmTolerance is the relative tolerance of A.
	dcmTolerance = 1e-12
)

// dcmRoot returns the x in [low, high] where g passes from positive to negative; low if g
// is negative at all points tried, +Inf if it is positive. It takes doubling steps from x
// until the sign changes, and then secant steps in the bracket (Anderson and Björck 1973,
// BIT 13), or bisects if these do not halve it.
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
		// A smaller step is enlarged to half the tolerance, so that the bracket closes.
		if math.Abs(x-b) < dcmTolerance/2 {
			x = b + math.Copysign(dcmTolerance/2, a-b)
		}
		fx := g(x)
		if fx > 0 == (fb > 0) {
			// a stays: its value is scaled down, or it would stay forever.
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
