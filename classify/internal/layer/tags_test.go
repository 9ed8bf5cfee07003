package layer

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/store/count"
)

// tagged is a text with any number of tags.
type tagged struct {
	words string
	tags  []int
}

func randomTagged(rng *rand.Rand, n int) []tagged {
	var list []tagged
	for _, x := range randomTexts(rng, n, 3) {
		d := tagged{words: x.words}
		for tag := range 3 {
			if x.class != 2 && (x.class == tag || rng.IntN(4) == 0) {
				d.tags = append(d.tags, tag)
			}
		}
		list = append(list, d)
	}
	return list
}

// regression is the definition for one tag: a logistic regression learned from documents in the
// order of the hashes and in the reverse order, whose weights are the means.
func regression(docs []tagged, learned []int, tag int, offset float64, vector func(int) map[string]float64) map[string]float64 {
	mean := map[string]float64{}
	for range 2 {
		w := map[string]float64{}
		for _, i := range learned {
			z := offset
			for word, x := range vector(i) {
				z += x * w[word]
			}
			g := -1 / (1 + math.Exp(-z))
			if slices.Contains(docs[i].tags, tag) {
				g++
			}
			for word, x := range vector(i) {
				w[word] += step * g * x
			}
		}
		for word, x := range w {
			mean[word] += x / 2
		}
		slices.Reverse(learned)
	}
	return mean
}

// Each document is scored by what the other folds teach, and the weights are of all documents.
func TestLearnTagsAgainstTheDefinition(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(7, 8))
	docs := randomTagged(rng, 120)
	offsets := []float64{-1, -.5, -2}
	var texts []text
	for _, d := range docs {
		texts = append(texts, text{words: d.words})
	}
	l := NewTags(offsets, new(Terms))
	var check func(i int, scores []float64)
	for _, i := range rng.Perm(len(docs)) {
		doc := texts[i].document(i)
		l.Add(doc, l.terms.Numbers(nil, doc.Terms), 0, docs[i].tags, func(scores []float64) { check(i, scores) })
	}
	keys, order := make([]uint64, len(docs)), make([]int, len(docs))
	for i := range docs {
		id := texts[i].document(i).ID
		keys[i], order[i] = Hash(id[:]), i
	}
	slices.SortFunc(order, func(a, b int) int {
		if keys[a] < keys[b] {
			return -1
		}
		return 1
	})
	vectors := make([]map[string]float64, len(docs))
	for i := range docs {
		v := map[string]float64{}
		for _, word := range strings.Fields(docs[i].words) {
			v[word]++
		}
		for word, x := range v {
			df := frequencies(texts, []string{word})[0]
			if df < 2 {
				delete(v, word)
				continue
			}
			v[word] = math.Log(1+x) * (math.Log(float64(len(docs))/float64(df)) + 1)
		}
		vectors[i] = scaled(v)
	}
	vector := func(i int) map[string]float64 { return vectors[i] }
	seen := 0
	check = func(i int, scores []float64) {
		seen++
		var rest []int
		for _, k := range order {
			if keys[k]%folds != keys[i]%folds {
				rest = append(rest, k)
			}
		}
		for tag := range offsets {
			want, own := 0.0, regression(docs, slices.Clone(rest), tag, offsets[tag], vector)
			for word, x := range vector(i) {
				want += x * own[word]
			}
			if got := scores[tag] + scores[len(offsets)+tag]; math.Abs(got-want) > .03 {
				t.Errorf("document %d, tag %d: %v, want %v", i, tag, got, want)
			}
		}
	}
	w := l.Learn(t.Context(), uint64(len(docs)), frequencies(texts, l.list()))
	if seen != len(docs) {
		t.Errorf("%d documents scored, want %d", seen, len(docs))
	}
	w = Parse(w.Marshal([]count.ClassID{0, 1, 2}))
	for tag := range offsets {
		for word, want := range regression(docs, slices.Clone(order), tag, offsets[tag], vector) {
			got, row := 0.0, w.Row(Hash([]byte(word)))
			for i := range row.Len() {
				if c, v := row.At(i); c == tag {
					got = v / idfOf(texts, word)
				}
			}
			if math.Abs(got-want) > .03 && (got != 0 || math.Abs(want) > least+.03) {
				t.Errorf("%q of tag %d: %v, want %v", word, tag, got, want)
			}
		}
	}
}

func TestLearnTagsInAnyOrder(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(9, 10))
	docs := randomTagged(rng, 60)
	var first []byte
	for range 3 {
		l := NewTags([]float64{0, 0, 0}, new(Terms))
		var texts []text
		for _, d := range docs {
			texts = append(texts, text{words: d.words})
		}
		for _, i := range rng.Perm(len(docs)) {
			doc := texts[i].document(i)
			scored := func([]float64) {}
			if i%2 == 0 {
				scored = nil
			}
			l.Add(doc, l.terms.Numbers(nil, doc.Terms), 0, docs[i].tags, scored)
		}
		got := l.Learn(t.Context(), 60, frequencies(texts, l.list())).Marshal([]count.ClassID{1, 2, 3})
		if first == nil {
			first = got
		}
		if !bytes.Equal(got, first) {
			t.Fatal("another order of the same documents gave other weights")
		}
	}
}
