package model

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polya-classifier/polya/store/count"
)

// bruteRatio is the formula of Ratio over plain documents: what the class has
// of each term and what all others have are added up from the documents.
func bruteRatio(k *counts, m Ratio, c int, d document) float64 {
	alpha, bound := m.Alpha, m.Bound
	if alpha == 0 {
		alpha = .01
	}
	if bound == 0 {
		bound = 1
	}
	own, others := map[string]float64{}, map[string]float64{}
	var ownTotal, othersTotal float64
	for _, learned := range k.docs {
		n, total := others, &othersTotal
		if learned.class == c {
			n, total = own, &ownTotal
		}
		norm := 0.
		for _, x := range learned.terms {
			norm += math.Log(1+float64(x)) * math.Log(1+float64(x))
		}
		for term, x := range learned.terms {
			w := 1.
			if !m.Documents {
				w = math.Round(65536*math.Log(1+float64(x))/math.Sqrt(norm)) / 65536
				*total += w
			}
			n[term] += w
		}
		if m.Documents {
			*total++
		}
	}
	if ownTotal == 0 || othersTotal == 0 {
		return 0
	}
	times := othersTotal / ownTotal
	sum, n := 0., 1.
	for term, x := range d.terms {
		if own[term]+others[term] == 0 {
			continue // unknown
		}
		r := math.Log((own[term] + alpha) / (others[term]/times + alpha))
		l := 1.
		if !m.Documents {
			l = math.Log(1 + float64(x))
		}
		if math.Abs(r) > bound {
			sum, n = sum+l*r, n+l
		}
	}
	return sum / n
}

var ratiosTested = []Ratio{
	{}, {Bound: 2}, {Alpha: .1}, {Alpha: .1, Bound: 3}, {Alpha: 5, Bound: .01}, {Alpha: 1e-6, Bound: 6}, {Bound: 1e-9}, {Bound: 50}, {Alpha: 1e-9, Bound: 800},
	{Documents: true}, {Documents: true, Alpha: .1, Bound: 2}, {Documents: true, Alpha: 3, Bound: .2}, {Documents: true, Bound: 1e-9},
}

func TestRatioMatchesDefinition(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(5, 6))
	databases := []*counts{
		countDocuments([]string{"one"}, doc(0, "a b b")),
		countDocuments([]string{"one", "none"}, doc(0, "a b b")),
		countDocuments([]string{"one", "empty", "two"}, doc(0, "a b b"), doc(1, ""), doc(2, "b c")),
		countDocuments([]string{"one", "empty"}, doc(0, "a b b"), doc(1, "")),
	}
	for _, size := range []struct{ v, docs int }{{3, 40}, {30, 60}, {200, 200}} {
		databases = append(databases, randomCounts(rng, size.v, size.docs))
	}
	spoken := 0
	for i, k := range databases {
		docs := append(randomCounts(rng, 100, 12).docs, doc(0, ""), doc(0, "nobody knows these"), doc(0, "a b b b c nobody"))
		for _, m := range ratiosTested {
			for _, d := range docs {
				got := k.scores(m, d)
				for c := range got {
					want := bruteRatio(k, m, c, d)
					if !near(got[c], want, 1e-9) {
						t.Fatalf("database %d, %s, class %d, %v: %v, want %v", i, m.Name(), c, d.terms, got[c], want)
					}
					if want != 0 {
						spoken++
					}
				}
			}
		}
	}
	if spoken < 300 {
		t.Errorf("only %d scores are not 0", spoken)
	}
}

// With two classes of equal totals what a term says for one it says against the
// other.
func TestRatioIsSymmetric(t *testing.T) {
	t.Parallel()
	k := countDocuments([]string{"a", "b"}, doc(0, "x y"), doc(0, "x z"), doc(1, "z u"), doc(1, "v w"))
	for _, m := range ratiosTested {
		for _, d := range []document{doc(0, "x"), doc(0, "x x z"), doc(0, "x y z u v w"), doc(0, "u u u u y")} {
			if s := k.scores(m, d); !near(s[0], -s[1], 1e-12) {
				t.Errorf("%s: %v", m.Name(), s)
			}
		}
	}
}

// Several bounds and fields at once give what each gives alone, of documents that have the
// terms of these fields alone; the sums are added up otherwise.
func TestRatioBoundsTogether(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(7, 8))
	k := randomCounts(rng, 60, 200)
	for _, documents := range []bool{false, true} {
		together := &ratios{documents: documents, alpha: .05, groups: 1}
		var models []Ratio
		for _, bound := range []float64{.3, 1, 2, 4} {
			for _, fields := range []Fields{PeopleFields, AllFields, TextFields, OtherFields} {
				if !together.ask(bound, fields) {
					t.Fatalf("bound %v was not taken", bound)
				}
				models = append(models, Ratio{Documents: documents, Alpha: .05, Bound: bound, Fields: fields})
			}
		}
		if together.ask(.7, AllFields) {
			t.Error("took a bound that is neither new and greater nor one of its own")
		}
		together = together.prepared(k.totals())
		for _, d := range randomCounts(rng, 80, 30).docs {
			e := k.evidence(d)
			for i := range e.Rows {
				e.Rows[i].Fields = Fields(rng.IntN(fieldGroups + 1))
			}
			got := new(partMemory)
			together.means(e, got)
			for i, m := range models {
				alone, want := *e, make([]float64, 3)
				alone.Rows = slices.DeleteFunc(slices.Clone(e.Rows), func(r Row) bool {
					return m.Fields != AllFields && m.Fields != max(r.Fields, TextFields)
				})
				Ratio{Documents: documents, Alpha: m.Alpha, Bound: m.Bound}.Prepare(k.totals()).Score(&alone, want)
				one := make([]float64, 3)
				m.Prepare(k.totals()).Score(e, one)
				x := NewContributions(e, 3)
				m.Prepare(k.totals()).Explain(e, 1, x)
				for c := range want {
					parts := 0.0
					for _, row := range x.Rows {
						parts += row[c]
					}
					if !near(got.scores[i*3+c], want[c], 1e-12) || !near(one[c], want[c], 1e-12) || !near(parts, want[c], 1e-12) {
						t.Fatalf("%s, class %d: %v, %v and %v, want %v", m.Name(), c, got.scores[i*3+c], one[c], parts, want[c])
					}
				}
			}
		}
	}
}

// The contributions of the terms are all of the score.
func TestRatioContributions(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(9, 10))
	k := randomCounts(rng, 60, 200)
	for _, m := range ratiosTested {
		s := m.Prepare(k.totals())
		for _, d := range k.docs[:20] {
			e := k.evidence(d)
			scores, sums, x := make([]float64, 3), make([]float64, 3), NewContributions(e, 3)
			s.Score(e, scores)
			s.Explain(e, 1, x)
			for i := range e.Rows {
				addTimes(sums, x.Rows[i], 1)
			}
			for c := range sums {
				if !near(sums[c], scores[c], 1e-12) {
					t.Fatalf("%s, class %d: contributions sum to %v, the score is %v", m.Name(), c, sums[c], scores[c])
				}
			}
		}
	}
}

// However great and however small the counts, a score is a number.
func TestRatioIsFinite(t *testing.T) {
	t.Parallel()
	large := &count.Class{Docs: math.MaxUint64 / 4, Weight: math.MaxUint64 / 4}
	small := &count.Class{Docs: 1, Weight: 1}
	k := &counts{classes: []*count.Class{large, small}, terms: []string{"w"}, cells: map[string][]count.Cell{
		"v": {{Class: 0, DF: large.Docs, TF: large.Docs, W: large.Weight}},
		"w": {{Class: 0, DF: large.Docs, TF: large.Docs, W: large.Weight}, {Class: 1, DF: 1, TF: 1, W: 1}},
		"x": {{Class: 1, DF: 1, TF: 1, W: 1}},
	}}
	for _, alpha := range []float64{math.SmallestNonzeroFloat64, 1e-310, 1e-300, 1e-9, 1, 1e9, math.MaxFloat64} {
		for _, bound := range []float64{math.SmallestNonzeroFloat64, 1e-9, 1, 700, 800, math.MaxFloat64} {
			for _, documents := range []bool{false, true} {
				m := Ratio{Documents: documents, Alpha: alpha, Bound: bound}
				for _, d := range []document{doc(0, "v"), doc(0, "w"), doc(0, "x"), doc(0, "v w w x")} {
					for c, s := range k.scores(m, d) {
						if math.IsNaN(s) || math.Abs(s) > 2000 {
							t.Errorf("%s, %v, class %d: %v", m.Name(), d.terms, c, s)
						}
					}
				}
			}
		}
	}
}
