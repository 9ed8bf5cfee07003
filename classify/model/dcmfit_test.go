package model

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polya-classifier/polya/store/count"
)

// TestFitDCMIsMaximum holds that a fit is a stationary point of the likelihood,
// in every α, and better than the places around it.
func TestFitDCMIsMaximum(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(15, 16))
	for _, epsilon := range []float64{1e-6, .01, 1} {
		k := randomCounts(rng, 25, 120)
		for c, fit := range k.fit(epsilon) {
			if math.IsInf(fit, 1) || fit <= 0 {
				t.Fatalf("ε = %v, class %d: %v", epsilon, c, fit)
			}
			d := dcmD(k.classes[c].Lengths, epsilon*float64(len(k.terms)), fit)
			alpha, a := alphas(k, c, epsilon, d)
			if !near(a/fit, 1, 1e-11) {
				t.Errorf("ε = %v, class %d: Σα = %v, A = %v", epsilon, c, a, fit)
			}
			best := logLikelihood(k, c, alpha, epsilon)
			for _, term := range k.terms {
				at := alpha[term]
				if g := gradient(k, c, alpha, epsilon, term); math.Abs(g) > 1e-8*d {
					t.Errorf("ε = %v, class %d, %s: gradient %v", epsilon, c, term, g)
				}
				for _, factor := range []float64{.5, .99, 1.01, 2} {
					alpha[term] = factor * at
					if got := logLikelihood(k, c, alpha, epsilon); got >= best {
						t.Errorf("ε = %v, class %d, %v times %s: %v, at the fit %v", epsilon, c, factor, term, got, best)
					}
				}
				alpha[term] = at
			}
			for _, factor := range []float64{.01, .9, 1.1, 100} {
				scaled := map[string]float64{}
				for term, at := range alpha {
					scaled[term] = factor * at
				}
				if got := logLikelihood(k, c, scaled, epsilon); got >= best {
					t.Errorf("ε = %v, class %d, A times %v: %v, at the fit %v", epsilon, c, factor, got, best)
				}
			}
		}
	}
}

// TestFitDCMRecoversAlpha draws documents from a known urn.
func TestFitDCMRecoversAlpha(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(17, 18))
	alpha := make([]float64, 30)
	sum := 0.0
	for i := range alpha {
		alpha[i] = .05 * float64(i+1)
		sum += alpha[i]
	}
	var docs []document
	for range 3000 {
		docs = append(docs, urnDocument(rng, 0, alpha, 20+rng.IntN(100)))
	}
	k := countDocuments([]string{"urn"}, docs...)
	fit := k.fit(1e-6)[0]
	if !near(fit/sum, 1, .02) {
		t.Errorf("A = %v, want %v", fit, sum)
	}
	d := dcmD(k.classes[0].Lengths, 1e-6*float64(len(k.terms)), fit)
	for i, term := range k.terms {
		if got := dcmAlpha(k.cell(0, term).U, 1e-6, d); !near(got/alpha[i], 1, .15) {
			t.Errorf("α of %s = %v, want %v", term, got, alpha[i])
		}
	}
}

// TestFitDCMDoesNotDependOnOrder shuffles documents and rows.
func TestFitDCMDoesNotDependOnOrder(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(19, 20))
	k := randomCounts(rng, 60, 100)
	want := k.fit(0)
	for range 5 {
		docs := slices.Clone(k.docs)
		rng.Shuffle(len(docs), func(i, j int) { docs[i], docs[j] = docs[j], docs[i] })
		if got := countDocuments([]string{"a", "b", "few"}, docs...).fit(0); !slices.Equal(got, want) {
			t.Fatalf("%v, want %v", got, want)
		}
	}
}

// TestFitDCMDegenerate lists documents that do not bound A.
func TestFitDCMDegenerate(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		docs []document
		want float64
	}{
		{"no documents", nil, 0},
		{"empty documents", []document{doc(0, ""), doc(0, "")}, 0},
		{"single tokens", []document{doc(0, "a"), doc(0, "b"), doc(0, "a")}, 0},
		{"one document", []document{doc(0, "a a b c c c")}, inf},
		{"no repeated term", []document{doc(0, "a b c"), doc(0, "b d"), doc(0, "a")}, inf},
		{"the same shares in all documents", []document{doc(0, "a a b b"), doc(0, "a b"), doc(0, "a a a b b b")}, inf},
		{"one distinct term each", []document{doc(0, "a a a"), doc(0, "b b"), doc(0, "b b b")}, dcmMinA},
	} {
		for _, epsilon := range []float64{1e-6, .01, 1} {
			k := countDocuments([]string{"c"}, test.docs...)
			got := k.fit(epsilon)[0]
			if !near(got, test.want, 1e-15) {
				t.Errorf("%s, ε = %v: %v, want %v", test.name, epsilon, got, test.want)
			}
		}
	}
}

func TestFitDCMBurstyAndEven(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(23, 24))
	fit := func(scale float64) float64 {
		alpha := make([]float64, 40)
		for i := range alpha {
			alpha[i] = scale / 40
		}
		var docs []document
		for range 400 {
			docs = append(docs, urnDocument(rng, 0, alpha, 60))
		}
		return countDocuments([]string{"c"}, docs...).fit(0)[0]
	}
	last := 0.0
	for _, scale := range []float64{.5, 5, 50, 500} {
		a := fit(scale)
		if a <= last || !near(a/scale, 1, .2) {
			t.Errorf("urn with A = %v: fitted %v", scale, a)
		}
		last = a
	}
	if a := fit(1e9); a < 2e4 {
		t.Errorf("draws without burstiness: A = %v", a)
	}
}

// Terms that were not added are those of the frequencies that are left.
func TestHistograms(t *testing.T) {
	t.Parallel()
	var h Histograms
	for _, u := range [][]uint32{{3, 1}, {1}, {3, 1}, {70_000}, {2, 2}, {1}} {
		cell := count.Cell{DF: uint64(u[0]), U: u}
		for _, docs := range u {
			cell.TF += uint64(docs)
		}
		h.Add(cell)
	}
	for range 2 {
		f := newDCMFitter(&count.Class{Frequencies: []count.Pair{{N: 1, Count: 3}, {N: 2, Count: 1}, {N: 3, Count: 7}, {N: 70_000, Count: 2}}}, &h, 20, .5)
		if got, want := fmt.Sprint(f.many), "[{[2 2] 1} {[3 1] 2}]"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		if want := 20*.5 + 3*1 + 5*3 + 2*70_000 - 3*.5; f.linear != want {
			t.Errorf("linear %v, want %v", f.linear, want)
		}
	}
}

func TestDCMRoot(t *testing.T) {
	t.Parallel()
	calls := 0
	for _, test := range []struct {
		name string
		g    func(x float64) float64
		want float64
	}{
		{"line", func(x float64) float64 { return 3 - x }, 3},
		{"flat tail", func(x float64) float64 { return math.Exp(-x) - math.Exp(-12.) }, 12},
		{"steep", func(x float64) float64 { return math.Exp(-3) - math.Exp(x) }, -3},
		{"cube", func(x float64) float64 { return -math.Pow(x-7, 3) }, 7},
		{"step", func(x float64) float64 { return math.Copysign(1, 2.5-x) }, 2.5},
		{"start", func(x float64) float64 { return 6.25 - x }, 6.25},
		{"positive", func(x float64) float64 { return 1e-9 }, inf},
		{"negative", func(x float64) float64 { return -1e-9 }, -7},
		{"at low", func(x float64) float64 { return -7 - x }, -7},
	} {
		calls = 0
		got := dcmRoot(func(x float64) float64 { calls++; return test.g(x) }, 6.25, .5, -7, 20)
		if math.Abs(got-test.want) > 1e-11 && got != test.want && test.name != "cube" || math.Abs(got-test.want) > 1e-4 {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
		if calls > 110 {
			t.Errorf("%s: %d calls", test.name, calls)
		}
		t.Logf("%s: %d calls", test.name, calls)
	}
}

// largeClass draws the counts of a class of the given number of documents with
// 100 to 300 tokens over a vocabulary with Zipf's frequencies. A tenth of the
// occurrences repeat a term of the document.
func largeClass(docs int) (*count.Class, []count.Cell) {
	rng := rand.New(rand.NewPCG(25, 26))
	zipf := rand.NewZipf(rng, 1.2, 8, 4<<20)
	rows := map[uint64][]uint32{}
	lengths := map[uint64]uint64{}
	class := &count.Class{Docs: uint64(docs)}
	for range docs {
		n := 100 + rng.IntN(200)
		x := map[uint64]int{}
		var drawn []uint64
		for range n {
			t := zipf.Uint64()
			if len(drawn) > 0 && rng.IntN(10) == 0 {
				t = drawn[rng.IntN(len(drawn))]
			}
			drawn = append(drawn, t)
			if x[t]++; x[t] > len(rows[t]) {
				rows[t] = append(rows[t], 0)
			}
			rows[t][x[t]-1]++
		}
		lengths[uint64(n)]++
		class.Tokens += uint64(n)
	}
	class.Lengths = pairs(lengths)
	class.Terms = uint64(len(rows))
	var cells []count.Cell
	frequencies := map[uint64]uint64{}
	for _, u := range rows {
		cell := count.Cell{DF: uint64(u[0]), U: u}
		for _, docs := range u {
			cell.TF += uint64(docs)
		}
		frequencies[cell.DF]++
		cells = append(cells, cell)
	}
	class.Frequencies = pairs(frequencies)
	return class, cells
}

func BenchmarkFitDCM(b *testing.B) {
	class, cells := largeClass(60_000)
	add := func() *Histograms {
		h := new(Histograms)
		for _, cell := range cells {
			h.Add(cell)
		}
		return h
	}
	hist := add()
	fit := FitDCM(class, hist, class.Terms, 0)
	b.Run("fit", func(b *testing.B) {
		for b.Loop() {
			FitDCM(class, hist, class.Terms, 0)
		}
		b.ReportMetric(float64(class.Terms), "terms")
		b.ReportMetric(float64(len(hist.list)), "histograms")
		b.ReportMetric(fit, "A")
	})
	b.Run("add", func(b *testing.B) {
		for b.Loop() {
			add()
		}
	})
}
