package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// mary is "Mary had a little lamb" of Murphy 2012, section 3.4.4.1: what is no word of the
// list mary lamb little big fleece white black snow rain is pruned, the words that the
// song lacks are those of another class.
func mary(t *testing.T) *store.DB {
	db := openTest(t)
	learn(t, db, "song", "mary had little lamb little lamb little lamb mary had little lamb fleece as white as snow")
	learn(t, db, "other", "big black rain")
	words := []string{"mary", "lamb", "little", "big", "fleece", "white", "black", "snow", "rain"}
	_, err := db.Prune(context.Background(), false, func(term []byte, _ []count.Cell) bool { return !slices.Contains(words, string(term)) })
	if err != nil {
		t.Fatal(err)
	}
	return db
}

func openTest(t *testing.T) *store.DB {
	t.Helper()
	db, err := store.OpenMemory(nil, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// learn adds texts to a class: their words are the terms.
func learn(t *testing.T, db *store.DB, class string, texts ...string) {
	t.Helper()
	var d store.Delta
	for _, text := range texts {
		if err := d.Add(document(class, text)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := db.Apply(&d); err != nil {
		t.Fatal(err)
	}
}

func document(class, text string) count.Document {
	doc := count.Document{Class: class, Time: time.Unix(1, 0)}
	sum := sha256.Sum256([]byte(text))
	copy(doc.ID[:], sum[:])
	n := map[string]uint8{}
	for word := range strings.FieldsSeq(text) {
		n[word]++
	}
	for _, word := range slices.Sorted(maps.Keys(n)) {
		doc.Terms = append(doc.Terms, count.TermCount{Term: []byte(word), N: n[word]})
	}
	return doc
}

func near(x, y, tol float64) bool {
	return x == y || math.Abs(x-y) <= tol*max(1, math.Abs(x), math.Abs(y))
}

// Murphy prints 3/27, 5/27, 5/27, 1/27, 2/27, 2/27, 1/27, 2/27, 1/27 and, of unk, 5/27.
func TestLanguageModelOfMary(t *testing.T) {
	t.Parallel()
	want := map[string]float64{"mary": 3, "lamb": 5, "little": 5, "big": 1, "fleece": 2, "white": 2, "black": 1, "snow": 2, "rain": 1, "(unk)": 5}
	err := mary(t).View(func(s *store.Snapshot) error {
		list, _, err := words(context.Background(), s, s.Classes()[count.ClassNamed(s.Classes(), "song")], nil, 1, false, 0)
		sum := 0.
		for _, w := range list {
			if p := float64(w.Probability); p != want[w.Term]/27 {
				t.Errorf("%s: %v, want %v/27", w.Term, p, want[w.Term])
			}
			sum += float64(w.Probability)
		}
		if !near(sum, 1, 1e-15) || len(list) != len(want) {
			t.Errorf("the probabilities of %d types sum to %v", len(list), sum)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// The example of Manning, Raghavan and Schütze 2008, table 13.1: of 8 tokens of China 5
// are Chinese, 1 Beijing and none Tokyo, and with α = 1 and V = 6 the book prints 3/7,
// 1/7 and 1/14, and of the other class 2/9 for Chinese.
func TestClosedVocabularyOfManning(t *testing.T) {
	t.Parallel()
	model := func(tokens uint64) language {
		m, err := languageOf(&count.Class{Tokens: tokens + 7, Dropped: 7}, 6, 1, true)
		if err != nil || m.tokens != tokens {
			t.Fatalf("%d tokens, %v", m.tokens, err)
		}
		return m
	}
	china, other := model(8), model(3)
	for n, want := range map[uint64]float64{5: 3. / 7, 1: 1. / 7, 0: 1. / 14} {
		if p, _ := china.of(n); !near(p, want, 1e-15) {
			t.Errorf("%d occurrences: %v, want %v", n, p, want)
		}
	}
	if p, _ := other.of(1); !near(p, 2./9, 1e-15) {
		t.Errorf("Chinese elsewhere: %v, want 2/9", p)
	}
	if _, err := languageOf(new(count.Class), 0, 1, true); err == nil {
		t.Error("a closed vocabulary of no terms")
	}
}

// The log evidence is the sum of the logarithms of what each token was predicted to be
// after those before it, in any order.
func TestLogEvidenceIsTheProductOfPredictions(t *testing.T) {
	t.Parallel()
	const vocabulary = 6
	song := []int{0, 1, 2, 2, 1, 0, 0, 5, 0, 6} // 6 is unk
	for _, alpha := range []float64{.1, 1, 7} {
		for _, closed := range []bool{false, true} {
			sum, tokens := 0., uint64(0)
			counts := make([]uint64, vocabulary+1)
			model := func() language {
				m, err := languageOf(&count.Class{Tokens: tokens, Dropped: counts[6]}, vocabulary, alpha, closed)
				if err != nil {
					t.Fatal(err)
				}
				return m
			}
			for _, term := range song {
				if term < vocabulary || !closed {
					p, _ := model().of(counts[term])
					sum += math.Log(p)
				}
				counts[term]++
				tokens++
			}
			types := map[uint64]uint64{}
			for i, n := range counts {
				if i < vocabulary || !closed {
					types[n]++
				}
			}
			if got := model().logEvidence(types); !near(got, sum, 1e-12) {
				t.Errorf("α = %v, closed %t: %v, want %v", alpha, closed, got, sum)
			}
		}
	}
}

func TestLanguageModelRefuses(t *testing.T) {
	t.Parallel()
	for _, alpha := range []float64{0, -1, math.NaN(), math.Inf(1), 2e9} {
		if _, err := languageOf(new(count.Class), 0, alpha, false); err == nil {
			t.Errorf("α = %v is taken", alpha)
		}
	}
	m, err := languageOf(new(count.Class), 0, 0.5, false)
	if p, _ := m.of(0); err != nil || p != 1 {
		t.Errorf("nothing learned: unk has %v, %v, want 1", p, err)
	}
}

// The documents are those of Manning 2008, table 13.1 (see manning2008), with 8 tokens
// in China and 3 outside, V = 6: θ = (n + 1/10)/(N + 6/10), and its variance is that of a
// Beta, θ(1-θ)/(N + 6/10 + 1).
func TestEstimate(t *testing.T) {
	t.Parallel()
	db := openTest(t)
	learn(t, db, "china", "chinese beijing chinese", "chinese chinese shanghai", "chinese macao")
	learn(t, db, "other", "tokyo japan chinese")
	learn(t, db, "gone", "nothing")
	var d store.Delta
	d.Forget(document("", "nothing").ID)
	if _, err := db.Apply(&d); err != nil {
		t.Fatal(err)
	}
	tokens := map[string]float64{"china": 8, "other": 3}
	occurrences := map[[2]string]float64{{"chinese", "china"}: 5, {"chinese", "other"}: 1, {"tokyo", "other"}: 1}
	err := db.View(func(s *store.Snapshot) error {
		for class, n := range tokens {
			list, _, err := words(t.Context(), s, s.Classes()[count.ClassNamed(s.Classes(), class)], []string{"unknown", "chinese", "tokyo"}, .1, true, 0)
			if err != nil || len(list) != 2 {
				return fmt.Errorf("%d terms: %w", len(list), err)
			}
			for _, got := range list {
				p := (occurrences[[2]string{got.Term, class}] + .1) / (n + .6)
				if !near(float64(got.Probability), p, 1e-15) || !near(float64(got.Error*got.Error), p*(1-p)/(n+1.6), 1e-15) {
					t.Errorf("%+v of %s, want %v", got, class, p)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
