package model

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/polya-classifier/polya/store/count"
)

// models are event models of every kind at several smoothings, all of which
// give every document a finite score. The DCM is fitted to the counts; some share
// a precision or have none.
func models(k *counts) []EventModel {
	ms := Models()
	for _, alpha := range []float64{.001, .1, .5, 1, 7} {
		ms = append(ms, Multinomial{Alpha: alpha}, Bernoulli{Yes: alpha, No: alpha}, Bernoulli{Yes: alpha, No: 2},
			DCM{Epsilon: alpha, Fits: k.fit(alpha)}, Normalised{Lambda: alpha / 8}, Complement{Alpha: alpha})
	}
	return append(ms, DCM{Fits: infinite(k)})
}

// infinite are fits without burstiness.
func infinite(k *counts) []float64 {
	fits := make([]float64, len(k.classes))
	for c := range fits {
		fits[c] = inf
	}
	return fits
}

// randomCounts counts documents of three classes over v terms. Terms repeat as
// Pólya's urn has it; one class has few documents.
func randomCounts(rng *rand.Rand, v, docs int) *counts {
	var all []document
	for i := range docs {
		class := i % 2
		if i%20 == 0 {
			class = 2
		}
		alpha := make([]float64, v)
		for t := range alpha {
			alpha[t] = 8 * float64((t*(class+1))%v+1) / float64(v*v)
		}
		all = append(all, urnDocument(rng, class, alpha, rng.IntN(40)))
	}
	return countDocuments([]string{"a", "b", "few"}, all...)
}

// urnDocument draws n balls from an urn with alpha[t] balls of colour t, and
// puts each back with one more of its colour.
func urnDocument(rng *rand.Rand, class int, alpha []float64, n int) document {
	d := document{class: class, terms: map[string]int{}}
	x := make([]int, len(alpha))
	var sum float64
	for _, a := range alpha {
		sum += a
	}
	for i := range n {
		u := rng.Float64() * (sum + float64(i))
		t := 0
		for ; t < len(alpha)-1; t++ {
			if u -= alpha[t] + float64(x[t]); u < 0 {
				break
			}
		}
		x[t]++
		d.terms[fmt.Sprintf("t%05d", t)]++
	}
	return d
}

func TestScorersMatchDefinition(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	for _, size := range []struct{ v, docs int }{{1, 5}, {3, 40}, {30, 60}, {200, 200}} {
		k := randomCounts(rng, size.v, size.docs)
		docs := randomCounts(rng, size.v+size.v/3, 5).docs // a fourth of the terms is unknown
		docs = append(docs, doc(0, ""), doc(0, "nobody knows these"),
			document{0, map[string]int{"t00000": 255}}, document{0, map[string]int{"t00000": 1, "t00001": 255, "t00002": 17, "t00009": 16}})
		for _, m := range models(k) {
			for i, d := range docs {
				got, want := k.scores(m, d), bruteScores(k, m, d)
				for c := range got {
					if !near(got[c], want[c], 1e-11) {
						t.Fatalf("%d terms, %s, document %d, class %d: %v, want %v", size.v, m.Name(), i, c, got[c], want[c])
					}
				}
			}
		}
	}
}

// TestUnknownTermsVoteForNobody holds that forty unknown terms leave the
// scores of an empty document, even where a class of 100 documents stands
// beside one of a single document.
func TestUnknownTermsVoteForNobody(t *testing.T) {
	t.Parallel()
	var docs []document
	for i := range 100 {
		docs = append(docs, doc(0, fmt.Sprint("many often w", i)))
	}
	k := countDocuments([]string{"many", "one"}, append(docs, doc(1, "single"))...)
	unknown := document{0, map[string]int{}}
	for i := range 40 {
		unknown.terms[fmt.Sprint("unknown", i)] = 1 + i%3
	}
	for _, m := range models(k) {
		got, want := k.scores(m, unknown), k.scores(m, doc(0, ""))
		for c := range got {
			if got[c] != want[c] {
				t.Errorf("%s, class %d: %v, want %v", m.Name(), c, got[c], want[c])
			}
		}
	}
}

// TestScorersAreFinite asks every model for every part where there is little or
// nothing to go by.
func TestScorersAreFinite(t *testing.T) {
	t.Parallel()
	huge := &count.Class{Docs: 1e12, Tokens: 255e12, Terms: 1,
		Lengths: []count.Pair{{N: 255, Count: 1e12}}, Frequencies: []count.Pair{{N: 1e12, Count: 1}}}
	hugeCell := count.Cell{DF: 1e12, TF: 255e12, U: make([]uint32, 255)}
	for j := range hugeCell.U {
		hugeCell.U[j] = math.MaxUint32
	}
	for _, k := range []*counts{
		countDocuments([]string{"one"}),
		countDocuments([]string{"one"}, doc(0, "")),
		countDocuments([]string{"one"}, doc(0, "w")),
		countDocuments([]string{"one"}, doc(0, "w w w")),
		countDocuments([]string{"one", "none"}, doc(0, "v w w")),
		countDocuments([]string{"none", "one", "empty"}, doc(1, "v w w"), doc(2, "")),
		{classes: []*count.Class{huge, {}}, terms: []string{"w"}, cells: map[string][]count.Cell{"w": {hugeCell}}},
	} {
		for _, m := range models(k) {
			s := m.Prepare(k.totals())
			for _, n := range []int{1, 2, 16, 17, 255} {
				e := k.evidence(document{terms: map[string]int{"v": 255, "w": n}})
				scores, x := make([]float64, len(k.classes)), NewContributions(e, len(k.classes))
				s.Score(e, scores)
				s.Explain(e, 1, x)
				for _, row := range x.Rows {
					addTimes(scores, row, 1)
				}
				for c := range k.classes {
					if part := scores[c]; math.IsNaN(part) || math.IsInf(part, 0) {
						t.Errorf("%d terms, %#v, x = %d, class %d: %v", len(k.terms), m, n, c, part)
					}
				}
			}
		}
	}
}

// TestManyDocuments compares a class of 1e5 documents with one of 10 that has
// the same shares, which differ by the smoothing only.
func TestManyDocuments(t *testing.T) {
	t.Parallel()
	few := []document{doc(0, "a b"), doc(0, "a a c"), doc(0, "b"), doc(0, "a c c c"), doc(0, "d e"),
		doc(0, "a b"), doc(0, "a a d"), doc(0, "b a"), doc(0, "a"), doc(0, "a e e")}
	k := countDocuments([]string{"few"}, few...)
	many := countDocuments([]string{"many"}, few...)
	class := *many.classes[0]
	const times = 10_000
	class.Docs, class.Tokens = times*class.Docs, times*class.Tokens
	for i := range class.Lengths {
		class.Lengths[i].Count *= times
	}
	for i := range class.Frequencies {
		class.Frequencies[i].N *= times
	}
	for _, cells := range many.cells {
		cells[0].DF, cells[0].TF = times*cells[0].DF, times*cells[0].TF
		for j := range cells[0].U {
			cells[0].U[j] *= times
		}
	}
	many.classes[0] = &class
	const tiny = 1e-9
	for _, m := range []EventModel{Multinomial{Alpha: tiny}, Bernoulli{Yes: tiny, No: tiny}, DCM{Epsilon: tiny, Fits: []float64{3}}} {
		d := doc(0, "a b b c e")
		if got, want := many.scores(m, d)[0], k.scores(m, d)[0]; !near(got, want, 1e-7) {
			t.Errorf("%s: %v, want %v", m.Name(), got, want)
		}
	}
	if got, want := many.fit(tiny)[0], k.fit(tiny)[0]; !near(got/want, 1, 1e-6) {
		t.Errorf("A = %v, want %v", got, want)
	}
}

// TestProbabilitiesSumToOne enumerates all documents of up to six tokens over
// four terms.
func TestProbabilitiesSumToOne(t *testing.T) {
	t.Parallel()
	k := randomCounts(rand.New(rand.NewPCG(3, 4)), 4, 40)
	if len(k.terms) != 4 {
		t.Fatalf("%d terms", len(k.terms))
	}
	fits := k.fit(.1)
	for _, m := range []EventModel{Multinomial{}, DCM{Epsilon: .1, Fits: fits},
		DCM{Epsilon: .1, Fits: []float64{inf, inf}}} {
		for n := range 7 {
			sums := make([]float64, len(k.classes))
			eachDocument(k.terms, n, func(d document, coefficient float64) {
				for c, s := range k.scores(m, d) {
					sums[c] += coefficient * math.Exp(s)
				}
			})
			for c, sum := range sums {
				// The shared A of the class of few documents is not fitted to it.
				if c < 2 && !near(sum, 1, 1e-11) {
					t.Errorf("%s, %d tokens, class %d: %v", m.Name(), n, c, sum)
				}
			}
		}
	}
	sums := make([]float64, len(k.classes))
	for set := range 1 << 4 {
		d := document{0, map[string]int{}}
		for i, term := range k.terms {
			if set>>i&1 > 0 {
				d.terms[term] = 1
			}
		}
		for c, s := range k.scores(Bernoulli{}, d) {
			sums[c] += math.Exp(s)
		}
	}
	for c, sum := range sums {
		if !near(sum, 1, 1e-12) {
			t.Errorf("bernoulli, class %d: %v", c, sum)
		}
	}
}

// eachDocument calls f for every document of n tokens over the terms with its
// multinomial coefficient.
func eachDocument(terms []string, n int, f func(d document, coefficient float64)) {
	d := document{0, map[string]int{}}
	var visit func(i, left int, coefficient float64)
	visit = func(i, left int, coefficient float64) {
		if i == len(terms) {
			if left == 0 {
				f(d, coefficient)
			}
			return
		}
		choose := 1.0 // left over x
		for x := 0; x <= left; x++ {
			if x > 0 {
				d.terms[terms[i]] = x
				choose *= float64(left-x+1) / float64(x)
			}
			visit(i+1, left-x, coefficient*choose)
		}
		delete(d.terms, terms[i])
	}
	visit(0, n, 1)
}

// Parameters out of range are refused, and so are their names.
func TestModelsOutOfRange(t *testing.T) {
	t.Parallel()
	ms := []EventModel{Normalised{Lambda: 1}, Attributes{Background: 1e-320}}
	for _, amount := range []float64{-1, math.NaN(), inf, 1.1e9, 1e-320} {
		ms = append(ms, Multinomial{Alpha: amount}, Bernoulli{Yes: amount}, Bernoulli{No: amount}, DCM{Epsilon: amount},
			Normalised{Lambda: amount}, Complement{Alpha: amount})
	}
	for _, m := range ms {
		if Check(m) == nil {
			t.Errorf("%s was accepted", m.Name())
		}
		if got, err := Parse(m.Name()); err == nil {
			t.Errorf("%s was read as %#v", m.Name(), got)
		}
	}
}

// A class whose own share is next to nothing differs from no other.
func TestBackgroundLimit(t *testing.T) {
	t.Parallel()
	k := randomCounts(rand.New(rand.NewPCG(23, 24)), 30, 80)
	for c, score := range k.scores(Normalised{Lambda: math.Nextafter(1, 0)}, doc(0, "t00001 t00001 t00002 t00007 t00011")) {
		if math.Abs(score) > 1e-13 {
			t.Errorf("class %d: %v, want 0", c, score)
		}
	}
}

// The multinomial scores with the mean of the posterior of θ.
func TestMultinomialIsTheMeanOfItsPosterior(t *testing.T) {
	t.Parallel()
	train := manning2008()
	scores := train.scores(Multinomial{}, doc(0, "Chinese"))
	for class, counts := range [][2]uint64{{5, 8}, {1, 3}} {
		mean := (float64(counts[0]) + DefaultMultinomialAlpha) / (float64(counts[1]) + 6*DefaultMultinomialAlpha)
		if !near(math.Log(mean), scores[class], 1e-14) {
			t.Errorf("class %d: log mean %v, score %v", class, math.Log(mean), scores[class])
		}
	}
}
