package similar

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

var ctx = context.Background()

// documentsOf returns texts as documents: their words are the terms.
func documentsOf(texts ...string) (docs []count.Document) {
	for _, text := range texts {
		doc := count.Document{Time: time.Unix(1, 0)}
		sum := sha256.Sum256([]byte(text))
		copy(doc.ID[:], sum[:])
		at := make(map[string]int)
		for word := range strings.FieldsSeq(text) {
			if _, seen := at[word]; !seen {
				at[word] = len(doc.Terms)
				doc.Terms = append(doc.Terms, count.TermCount{Term: []byte(word)})
			}
			if t := &doc.Terms[at[word]]; t.N < count.MaxCount {
				t.N++
			}
		}
		docs = append(docs, doc)
	}
	return docs
}

func openTest(t testing.TB) *store.DB {
	t.Helper()
	db, err := store.OpenMemory(nil, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// learn adds the texts to a class.
func learn(t testing.TB, db *store.DB, class string, texts ...string) {
	t.Helper()
	var d store.Delta
	for _, doc := range documentsOf(texts...) {
		doc.Class = class
		if err := d.Add(doc); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := db.Apply(&d); err != nil {
		t.Fatal(err)
	}
}

func near(x, y, tol float64) bool {
	return x == y || math.Abs(x-y) <= tol*max(1, math.Abs(x), math.Abs(y))
}

// randomTexts are texts of common and rare words, every two with a word of their own.
func randomTexts(rng *rand.Rand, n int) []string {
	var texts []string
	for i := range n {
		words := []string{fmt.Sprint("own", i/2)}
		for range rng.IntN(30) {
			word := fmt.Sprint("w", int(30*rng.Float64()*rng.Float64()))
			words = append(words, slices.Repeat([]string{word}, 1+rng.IntN(2)*rng.IntN(20))...)
		}
		texts = append(texts, strings.Join(words, " "))
	}
	return texts
}

// shuffled is a database of the texts, every third in a class of its own, learned
// in some order.
func shuffled(t *testing.T, rng *rand.Rand, texts []string) *store.DB {
	t.Helper()
	db := openTest(t)
	texts = slices.Clone(texts)
	rng.Shuffle(len(texts), func(i, j int) { texts[i], texts[j] = texts[j], texts[i] })
	for _, text := range texts {
		learn(t, db, []string{"a", "b", "c"}[len(text)%3], text)
	}
	return db
}

func hasTerm(doc count.Document, term string) bool {
	return slices.ContainsFunc(doc.Terms, func(t count.TermCount) bool { return string(t.Term) == term })
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
func bruteSimilar(learned, set []count.Document, x count.Document, c, w float64) (logRatio float64) {
	seen := func(m float64, with, docs int) float64 {
		lacks := float64(docs - with)
		own := math.Exp(logBeta(c*m+float64(with), c*(1-m)+lacks) - logBeta(c*m, c*(1-m)))
		return w*own + (1-w)*math.Pow(m, float64(with))*math.Pow(1-m, lacks)
	}
	count := func(docs []count.Document, term string) (n int) {
		for _, d := range docs {
			if hasTerm(d, term) {
				n++
			}
		}
		return n
	}
	vocabulary := map[string]bool{}
	for _, d := range learned {
		for _, t := range d.Terms {
			vocabulary[string(t.Term)] = true
		}
	}
	for term := range vocabulary {
		m := float64(count(learned, term)) / float64(len(learned))
		if m == 1 {
			continue
		}
		s, has, p := count(set, term), 0, 1-m
		if hasTerm(x, term) {
			has, p = 1, m
		}
		logRatio += math.Log(seen(m, s+has, len(set)+1) / seen(m, s, len(set)) / p)
	}
	return logRatio
}

func TestAgainstIntegrals(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(5, 7))
	texts := randomTexts(rng, 60)
	for i := range texts {
		texts[i] += " everywhere"
	}
	db := shuffled(t, rng, texts)
	learned := documentsOf(texts...)
	others := documentsOf(append(randomTexts(rng, 5), "", "unheard of", "everywhere")...)
	for _, o := range []options{defaults, bayesianSets, {strength: 100, share: 1}, {strength: 0.5, share: 0.3}} {
		// 40 is beyond the sums of logarithms that gamma.LogRising takes; others are not learned.
		for _, set := range [][]count.Document{learned[:1], learned[3:8], learned[:40], others[:3], {learned[0], others[5]}} {
			s, err := newSet(ctx, db, set, o)
			if err != nil {
				t.Fatal(err)
			}
			for i, x := range slices.Concat(learned[:4], learned[50:54], others) {
				got := s.Score(x.Terms)
				want := bruteSimilar(learned, set, x, o.strength, o.share)
				if !near(got.LogRatio, want, 1e-9*(1+math.Abs(want))) {
					t.Errorf("%+v, set of %d, document %d: log-ratio %v, want %v", o, len(set), i, got.LogRatio, want)
				}
			}
		}
	}
}

// The formulas of the paper by hand. Of four documents one has the fox, so that
// α = 2/4 and β = 6/4; the set is one document that has it.
func TestByHand(t *testing.T) {
	t.Parallel()
	db := openTest(t)
	learn(t, db, "a", "every fox", "every yak zebu", "every yak")
	learn(t, db, "b", "every yak wolf wolf wolf")
	s, err := newSet(ctx, db, documentsOf("every fox unheard"), bayesianSets)
	if err != nil {
		t.Fatal(err)
	}
	qx, qw, qy := math.Log(1+1/0.5)-0, 0-math.Log(1+1/1.5), 0-math.Log(1+1/0.5)
	if got := s.weights["fox"]; s.n != 1 || !near(got, qx, 1e-14) {
		t.Errorf("weight %v, want %v", got, qx)
	}
	// log(α+β) - log(α+β+1) is log(2/3) for each of fox, wolf, zebu and yak.
	constant := 4*math.Log(2./3) + 0 + 2*(math.Log(2.5)-math.Log(1.5)) + (math.Log(1.5) - math.Log(0.5))
	if !near(s.constant, constant, 1e-14) {
		t.Errorf("constant %v, want %v", s.constant, constant)
	}
	for text, want := range map[string]Similarity{
		"fox":                      {qx, constant + qx, 1},
		"wolf wolf wolf yak every": {(2*qw + qy) / math.Pow(2, 0.75), constant + qw + qy, 2},
		"every":                    {0, constant, 0},
		"":                         {0, constant, 0},
		"unheard unheard fox":      {qx, constant + qx, 1},
	} {
		got := s.Score(documentsOf(text)[0].Terms)
		if got.Terms != want.Terms || !near(got.Score, want.Score, 1e-14) || !near(got.LogRatio, want.LogRatio, 1e-14) {
			t.Errorf("%q: %+v, want %+v", text, got, want)
		}
	}
}

// The order of learning and of the set changes no bit.
func TestOrder(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	texts := randomTexts(rng, 40)
	var first []Similarity
	for range 4 {
		db := shuffled(t, rng, texts)
		set := documentsOf(texts[:5]...)
		rng.Shuffle(len(set), func(i, j int) { set[i], set[j] = set[j], set[i] })
		s, err := newSet(ctx, db, set, defaults)
		if err != nil {
			t.Fatal(err)
		}
		var all []Similarity
		for _, d := range documentsOf(texts...) {
			all = append(all, s.Score(d.Terms))
		}
		if first == nil {
			first = all
		}
		if !reflect.DeepEqual(all, first) {
			t.Fatal("another order gives other scores")
		}
	}
}

func TestRefuses(t *testing.T) {
	t.Parallel()
	db := openTest(t)
	some := documentsOf("every fox")
	if _, err := newSet(ctx, db, some, defaults); !errors.Is(err, errNoDocuments) {
		t.Errorf("of an empty database: %v", err)
	}
	learn(t, db, "a", "every fox", "every yak")
	for _, text := range []string{"", "unheard", "every"} {
		if _, err := newSet(ctx, db, documentsOf(text), defaults); !errors.Is(err, errNoKnownTerm) {
			t.Errorf("of %q: %v", text, err)
		}
	}
	ended, end := context.WithCancel(ctx)
	end()
	if _, err := newSet(ended, db, some, defaults); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end: %v", err)
	}
}
