package classify

import (
	"math"

	"github.com/polya-classifier/polya/store"
)

const (
	// DefaultDCMEpsilon is the ε of the zero DCM. Measured at .001, .01 and .1
	// it gives .805, .810 and .808 correct on 20 Newsgroups (by date), .940,
	// .945 and .951 on Reuters R8, and .978, .976 and .973 on the SpamAssassin
	// corpus (five folds).
	DefaultDCMEpsilon = 0.01

	// DefaultDCMPrecision is the A of every class while there is no fit at all.
	// Fits gave 230 to 590 on Reuters R8, 300 to 1,260 on 20 Newsgroups, and 410
	// and 470 on the SpamAssassin corpus.
	DefaultDCMPrecision = 500

	// MinDCMDocuments is the number of documents that a class needs for an A
	// of its own. The A of a few documents is mostly chance, and often +Inf.
	MinDCMDocuments = 10
)

// DCM is the Dirichlet compound multinomial, Pólya's urn: every time a term is
// drawn, one more of it is put back, so that a term that has occurred once is
// likely to occur again. The log-likelihood in class c is, up to the
// multinomial coefficient, which all classes share,
//
//	Σ_t R(α_ct, x_t) - R(A_c, n),  R(α, x) = log Γ(α+x) - log Γ(α) = Σ_{j<x} log(α+j)
//
// with A_c = Σ_t α_ct, the precision: the smaller, the burstier. The α of a
// term is not stored. It is the root of
//
//	Σ_j U_ctj/(α+j) + ε/α = d_c
//	d_c = Σ_m L_cm/(A_c+m) + εV/A_c
//
// where U_ctj documents of the class have the term more than j times and L_cm
// have more than m tokens: the maximum of the likelihood of the documents of
// the class and of a pseudo-document of weight ε for each term of the
// vocabulary, which holds that term once. A term that the class lacks has α =
// ε/d_c.
//
// Only A_c is fitted, by FitDCM, and d_c follows from it and the present
// counts, new terms of the vocabulary included. So the α stay in proportion
// (they sum to about A_c, exactly so at the fit) while documents come and go,
// and a fit ages slowly.
//
// Special cases:
//
//	A_c = +Inf: the multinomial with θ_ct = (TF_ct + ε) / (N_c + εV)
//	no documents: α_ct = A_c/V
//	no usable fit, or fewer than MinDCMDocuments: A_c is the geometric mean of
//		the finite A of the other classes, weighted by their documents; +Inf if
//		those are all +Inf, DefaultDCMPrecision if there are none
//	V = 0: computed as if V were 1; there is no known term to ask for
type DCM struct {
	// Epsilon is ε, the weight of each term's pseudo-document, 0 < ε < ∞. Zero
	// means DefaultDCMEpsilon.
	Epsilon float64

	// Fits are the fits of the classes, in the order of Totals.Classes. The
	// zero Fit stands for a class without a fit, as does the end of the slice.
	Fits []Fit
}

// Levels returns true: the model reads Cell.U.
func (DCM) Levels() bool { return true }

// Name returns "dcm".
func (DCM) Name() string { return "dcm" }

// Prepare computes d_c for each class, in time proportional to the distinct
// lengths. It panics if Epsilon is negative, infinite or not a number.
func (m DCM) Prepare(t Totals) Scorer {
	epsilon := smoothing(m.Epsilon, DefaultDCMEpsilon)
	pseudo := epsilon * float64(max(t.Vocabulary, 1))
	shared := m.sharedPrecision(t)
	s := &dcmScorer{epsilon: epsilon, classes: make([]dcmClass, len(t.Classes))}
	for c, class := range t.Classes {
		a := shared
		if m.usable(t, c) {
			a = m.Fits[c].A
		}
		s.classes[c] = newDCMClass(class, a, epsilon, pseudo)
	}
	return s
}

// usable says whether class c has a fit to be used for it.
func (m DCM) usable(t Totals, c int) bool {
	return c < len(m.Fits) && m.Fits[c].A > 0 &&
		m.Fits[c].Docs >= MinDCMDocuments && t.Classes[c].Docs >= MinDCMDocuments
}

// sharedPrecision returns the A of classes without a usable fit.
func (m DCM) sharedPrecision(t Totals) float64 {
	var sum, docs float64
	infinite := false
	for c, class := range t.Classes {
		switch {
		case !m.usable(t, c):
		case math.IsInf(m.Fits[c].A, 1):
			infinite = true
		default:
			sum += float64(class.Docs) * math.Log(m.Fits[c].A)
			docs += float64(class.Docs)
		}
	}
	switch {
	case docs > 0:
		return math.Exp(sum / docs)
	case infinite:
		return math.Inf(1)
	}
	return DefaultDCMPrecision
}

type dcmScorer struct {
	epsilon float64
	classes []dcmClass
}

// dcmClass is what scoring needs of a class.
type dcmClass struct {
	a, d    float64
	norm    float64     // log(N_c + εV), for A = +Inf
	missing [17]float64 // R(ε/d, x) for small x
}

func newDCMClass(class *store.Class, a, epsilon, pseudo float64) dcmClass {
	k := dcmClass{a: a, norm: math.Log(float64(class.Tokens) + pseudo)}
	if k.multinomial() {
		for x := range k.missing {
			k.missing[x] = float64(x) * (math.Log(epsilon) - k.norm)
		}
		return k
	}
	k.d = dcmD(class.Lengths, pseudo, a)
	for x := 1; x < len(k.missing); x++ {
		k.missing[x] = k.missing[x-1] + math.Log(epsilon/k.d+float64(x-1))
	}
	return k
}

func (k *dcmClass) multinomial() bool { return math.IsInf(k.a, 1) }

// Base returns -R(A_c, n).
func (s *dcmScorer) Base(c, n int) float64 {
	k := &s.classes[c]
	if k.multinomial() {
		return 0
	}
	return -dcmR(k.a, n)
}

// Missing returns R(ε/d_c, x).
func (s *dcmScorer) Missing(c, x int) float64 {
	k := &s.classes[c]
	switch {
	case x < len(k.missing):
		return k.missing[x]
	case k.multinomial():
		return float64(x) * (math.Log(s.epsilon) - k.norm)
	}
	return dcmR(s.epsilon/k.d, x)
}

// Term returns R(α, x).
func (s *dcmScorer) Term(x int, cell store.Cell) float64 {
	k := &s.classes[cell.Class]
	if k.multinomial() {
		return float64(x) * (math.Log(float64(cell.TF)+s.epsilon) - k.norm)
	}
	return dcmR(dcmAlpha(cell.U, s.epsilon, k.d), x)
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

// dcmNewton solves the equation of dcmAlpha from a bound below the root, by
// Newton's method for 1/s(α) = 1/d: as a weighted harmonic mean of lines, 1/s is
// concave, increasing and nearly a line itself, so that the steps go up to the
// root monotonically, and three or four of them do.
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
func dcmD(lengths []store.Pair, pseudo, a float64) float64 {
	var d, longer float64
	for i := len(lengths) - 1; i >= 0; i-- {
		var from uint64
		if i > 0 {
			from = lengths[i-1].N
		}
		longer += float64(lengths[i].Count)
		d += longer * dcmHarmonic(a+float64(from), lengths[i].N-from)
	}
	return d + pseudo/a
}

// dcmStirling is the argument from which the asymptotic series below are exact
// to rounding.
const dcmStirling = 64

// dcmHarmonic returns
//
//	Σ_{m<n} 1/(a+m) = ψ(a+n) - ψ(a)
//
// From dcmStirling on it is the difference of the asymptotic series of ψ, taken
// term by term: the difference of two digammas would lose all digits to
// cancellation as a grows.
func dcmHarmonic(a float64, n uint64) float64 {
	var sum float64
	for ; n > 0 && (a < dcmStirling || n < 8); n-- {
		sum += 1 / a
		a++
	}
	if n == 0 {
		return sum
	}
	b := a + float64(n)
	ra, rb := 1/(a*a), 1/(b*b)
	return sum + math.Log1p(float64(n)/a) + float64(n)/(2*a*b) +
		(ra-rb)/12 - (ra*ra-rb*rb)/120 + (ra*ra*ra-rb*rb*rb)/252
}

// dcmR returns
//
//	R(a, n) = log Γ(a+n) - log Γ(a) = Σ_{j<n} log(a+j)
//
// for a > 0 and n ≥ 0: the sum itself where it is short, from dcmStirling on
// the difference of Stirling's series, again term by term, and the difference
// of two log Γ only in between, where they are small.
func dcmR(a float64, n int) float64 {
	switch {
	case n <= 16:
		var sum float64
		for j := range n {
			sum += math.Log(a + float64(j))
		}
		return sum
	case a < dcmStirling:
		high, _ := math.Lgamma(a + float64(n))
		low, _ := math.Lgamma(a)
		return high - low
	}
	x := float64(n)
	b := a + x
	ra, rb := 1/a, 1/b
	return x*math.Log(a) + ((b-0.5)*math.Log1p(x/a) - x) -
		x*ra*rb/12 + (ra*ra*ra-rb*rb*rb)/360 - (ra*ra*ra*ra*ra-rb*rb*rb*rb*rb)/1260
}
