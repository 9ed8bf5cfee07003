package classify

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/polya-classifier/polya/tokenize"
)

func documentsOf(c *Classifier, texts ...string) (docs []Document) {
	for _, text := range texts {
		docs = append(docs, c.Document([]byte(text)))
	}
	return docs
}

// shuffled is a database of the texts, every third in a class of its own, learned
// in some order.
func shuffled(t *testing.T, rng *rand.Rand, texts []string) *Classifier {
	t.Helper()
	c := openTest(t, filepath.Join(t.TempDir(), "db"), Options{})
	texts = slices.Clone(texts)
	rng.Shuffle(len(texts), func(i, j int) { texts[i], texts[j] = texts[j], texts[i] })
	for _, text := range texts {
		train(t, c, []string{"a", "b", "c"}[len(text)%3], text)
	}
	return c
}

func hasTerm(bag *tokenize.Bag, term string) bool {
	for i := range bag.Len() {
		if found, _ := bag.At(i); string(found) == term {
			return true
		}
	}
	return false
}

func logBeta(a, b float64) float64 {
	x, _ := math.Lgamma(a)
	y, _ := math.Lgamma(b)
	z, _ := math.Lgamma(a + b)
	return x + y - z
}

// bruteSimilar is log p(x|Q)/p(x) from its definition: for each term of the
// vocabulary the ratio of the probabilities, with and without the new document, of
// what is seen of the set, each an integral over the rate of the term.
func bruteSimilar(learned, set []Document, x Document, c, w float64) (logRatio float64) {
	seen := func(m float64, with, docs int) float64 {
		lacks := float64(docs - with)
		own := math.Exp(logBeta(c*m+float64(with), c*(1-m)+lacks) - logBeta(c*m, c*(1-m)))
		return w*own + (1-w)*math.Pow(m, float64(with))*math.Pow(1-m, lacks)
	}
	count := func(docs []Document, term string) (n int) {
		for _, d := range docs {
			if hasTerm(d.Bag, term) {
				n++
			}
		}
		return n
	}
	vocabulary := map[string]bool{}
	for _, d := range learned {
		for i := range d.Bag.Len() {
			term, _ := d.Bag.At(i)
			vocabulary[string(term)] = true
		}
	}
	for term := range vocabulary {
		m := float64(count(learned, term)) / float64(len(learned))
		if m == 1 {
			continue
		}
		s, has, p := count(set, term), 0, 1-m
		if hasTerm(x.Bag, term) {
			has, p = 1, m
		}
		logRatio += math.Log(seen(m, s+has, len(set)+1) / seen(m, s, len(set)) / p)
	}
	return logRatio
}

func TestSimilarAgainstIntegrals(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(5, 7))
	texts := randomTexts(rng, 60)
	for i := range texts {
		texts[i] += " everywhere"
	}
	c := shuffled(t, rng, texts)
	learned := documentsOf(c, texts...)
	others := documentsOf(c, append(randomTexts(rng, 5), "", "unheard of", "everywhere")...)
	for _, o := range []SimilarOptions{{}, BayesianSets(), {Strength: 100, Share: 1}, {Strength: 0.5, Share: 0.3}} {
		// 40 is beyond the sums of logarithms that dcmR takes; others are not learned.
		for _, set := range [][]Document{learned[:1], learned[3:8], learned[:40], others[:3], {learned[0], others[5]}} {
			s, err := c.Similar(ctx, set, o)
			if err != nil {
				t.Fatal(err)
			}
			prior, _ := o.prior(len(set))
			for i, x := range slices.Concat(learned[:4], learned[50:54], others) {
				got, err := s.Score(ctx, x)
				want := bruteSimilar(learned, set, x, prior.strength, prior.share)
				if err != nil || !near(got.LogRatio, want, 1e-9*(1+math.Abs(want))) {
					t.Errorf("%+v, set of %d, document %d: log-ratio %v, want %v, %v", o, len(set), i, got.LogRatio, want, err)
				}
			}
		}
	}
}

// The formulas of the paper by hand. Of four documents one has the fox, so that
// α = 2/4 and β = 6/4; the set is one document that has it.
func TestSimilarByHand(t *testing.T) {
	t.Parallel()
	c := openTest(t, filepath.Join(t.TempDir(), "db"), Options{})
	train(t, c, "a", "every fox", "every yak zebu", "every yak")
	train(t, c, "b", "every yak wolf wolf wolf")
	s, err := c.Similar(ctx, documentsOf(c, "every fox unheard"), BayesianSets())
	if err != nil {
		t.Fatal(err)
	}
	if s.Documents() != 1 || len(s.Terms()) != 1 {
		t.Fatalf("%d documents, terms %v", s.Documents(), s.Terms())
	}
	qx, qw, qy := math.Log(1+1/0.5)-0, 0-math.Log(1+1/1.5), 0-math.Log(1+1/0.5)
	if got := s.Terms()[0]; got.Term != "fox" || got.InSet != 1 || got.Documents != 1 || !near(got.Weight, qx, 1e-14) {
		t.Errorf("term %+v, want fox of weight %v", got, qx)
	}
	// log(α+β) - log(α+β+1) is log(2/3) for each of fox, wolf, zebu and yak.
	constant := 4*math.Log(2./3) + 0 + 2*(math.Log(2.5)-math.Log(1.5)) + (math.Log(1.5) - math.Log(0.5))
	if !near(s.Constant(), constant, 1e-14) {
		t.Errorf("constant %v, want %v", s.Constant(), constant)
	}
	for text, want := range map[string]Similarity{
		"fox":                      {qx, constant + qx, 1},
		"wolf wolf wolf yak every": {(2*qw + qy) / math.Pow(2, 0.75), constant + qw + qy, 2},
		"every":                    {0, constant, 0},
		"":                         {0, constant, 0},
		"unheard unheard fox":      {qx, constant + qx, 1},
	} {
		got, err := s.Score(ctx, documentsOf(c, text)[0])
		if err != nil || got.Terms != want.Terms || !near(got.Score, want.Score, 1e-14) || !near(got.LogRatio, want.LogRatio, 1e-14) {
			t.Errorf("%q: %+v, %v, want %+v", text, got, err, want)
		}
	}
}

// The order of learning and of the set changes no bit.
func TestSimilarOrder(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	texts := randomTexts(rng, 40)
	var first []Similarity
	var terms []SimilarTerm
	for range 4 {
		c := shuffled(t, rng, texts)
		set := documentsOf(c, texts[:5]...)
		rng.Shuffle(len(set), func(i, j int) { set[i], set[j] = set[j], set[i] })
		s, err := c.Similar(ctx, set, SimilarOptions{})
		if err != nil {
			t.Fatal(err)
		}
		var all []Similarity
		for _, d := range documentsOf(c, texts...) {
			got, err := s.Score(ctx, d)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, got)
		}
		if first == nil {
			first, terms = all, s.Terms()
		}
		if !slices.Equal(all, first) || !slices.Equal(s.Terms(), terms) {
			t.Fatal("another order gives other scores")
		}
	}
}

func TestSimilarExplained(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 4))
	texts := randomTexts(rng, 40)
	c := shuffled(t, rng, texts)
	s, err := c.Similar(ctx, documentsOf(c, texts[:5]...), SimilarOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range documentsOf(c, append(texts, "")...) {
		got, _ := s.Score(ctx, d)
		parts, err := s.Explain(ctx, d)
		if err != nil || len(parts) != got.Terms {
			t.Fatalf("%d parts of %d terms, %v", len(parts), got.Terms, err)
		}
		sum, logRatio, last := 0., s.Constant(), math.Inf(1)
		for _, part := range parts {
			worth := math.Log2(1+float64(part.Count)) * part.Weight
			if worth > last+1e-12 {
				t.Errorf("%q is worth %v, those before it %v", part.Term, worth, last)
			}
			sum, logRatio, last = sum+worth, logRatio+part.Weight, worth
		}
		if len(parts) > 0 {
			sum /= math.Pow(float64(len(parts)), 0.75)
		}
		if !near(sum, got.Score, 1e-12) || !near(logRatio, got.LogRatio, 1e-9) {
			t.Errorf("parts add up to %v and %v, want %+v", sum, logRatio, got)
		}
	}
}

func TestSimilarRefuses(t *testing.T) {
	t.Parallel()
	c := openTest(t, filepath.Join(t.TempDir(), "db"), Options{})
	some := documentsOf(c, "every fox")
	if _, err := c.Similar(ctx, some, SimilarOptions{}); !errors.Is(err, ErrNoDocuments) {
		t.Errorf("of an empty database: %v", err)
	}
	train(t, c, "a", "every fox", "every yak")
	for _, text := range []string{"", "unheard", "every"} {
		if _, err := c.Similar(ctx, documentsOf(c, text), SimilarOptions{}); !errors.Is(err, ErrNoKnownTerm) {
			t.Errorf("of %q: %v", text, err)
		}
	}
	if _, err := c.Similar(ctx, nil, SimilarOptions{}); err == nil {
		t.Error("a set of nothing")
	}
	for _, o := range []SimilarOptions{{Strength: -1}, {Strength: math.NaN()}, {Strength: math.Inf(1)}, {Share: -0.1}, {Share: 1.1}, {Share: math.NaN()}} {
		if _, err := c.Similar(ctx, some, o); err == nil {
			t.Errorf("%+v is not refused", o)
		}
	}
	s, err := c.Similar(ctx, some, SimilarOptions{})
	if err != nil {
		t.Fatal(err)
	}
	ended, end := context.WithCancel(ctx)
	end()
	if _, err := c.Similar(ended, some, SimilarOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end: %v", err)
	}
	if _, err := s.Score(ended, some[0]); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end: %v", err)
	}
}

// A set goes on answering while its database learns.
func TestSimilarWhileLearning(t *testing.T) {
	t.Parallel()
	c := openTest(t, filepath.Join(t.TempDir(), "db"), Options{})
	train(t, c, "a", "fox yak", "yak zebu", "zebu wolf", "wolf fox", "fox vole")
	s, err := c.Similar(ctx, documentsOf(c, "fox yak"), SimilarOptions{})
	if err != nil {
		t.Fatal(err)
	}
	x := documentsOf(c, "fox vole zebu")[0]
	before, _ := s.Score(ctx, x)
	train(t, c, "b", "new vole", "vole vole one", "vole two", "vole three")
	after, err := s.Score(ctx, x)
	if err != nil || after.Terms != 2 || math.IsNaN(after.Score) || math.IsInf(after.LogRatio, 0) {
		t.Errorf("%+v before, %+v after, %v: vole, which more documents have now than there were, has no say", before, after, err)
	}
}
