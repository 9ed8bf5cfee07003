package layer

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/store/count"
)

// text is a document as a test writes it.
type text struct {
	class int
	words string
}

// document is the document of a text, numbered n.
func (x text) document(n int) *count.Document {
	counts := map[string]uint8{}
	for _, word := range strings.Fields(x.words) {
		counts[word]++
	}
	doc := &count.Document{ID: count.DocID{byte(n), byte(n >> 8), 1}}
	for word, n := range counts {
		doc.Terms = append(doc.Terms, count.TermCount{Term: []byte(word), N: n})
	}
	slices.SortFunc(doc.Terms, func(a, b count.TermCount) int { return bytes.Compare(a.Term, b.Term) })
	return doc
}

// gathered adds texts in that order, those to be learned of which learned is true. All are scored.
func gathered(texts []text, classes int, order []int, learned func(int) bool, scored func(count.DocID, []float64)) *Learner {
	l := New(classes, new(Terms))
	for _, i := range order {
		class := texts[i].class
		if !learned(i) {
			class = -1
		}
		l.add(texts[i].document(i), class, scored)
	}
	return l
}

// add adds a document, to be scored unless scored is nil.
func (l *Learner) add(doc *count.Document, class int, scored func(count.DocID, []float64)) {
	var its func([]float64)
	if scored != nil {
		its = func(scores []float64) { scored(doc.ID, scores) }
	}
	l.Add(doc, l.terms.Numbers(nil, doc.Terms), class, nil, its)
}

func ignore(count.DocID, []float64) {}

// list returns the terms.
func (l *Learner) list() (terms []string) {
	for i := range l.terms.Len() {
		terms = append(terms, string(l.terms.Term(i)))
	}
	return terms
}

// idfOf is the idf of a term in a text that is none of these.
func idfOf(texts []text, term string) float64 {
	return math.Log(float64(1+len(texts))/float64(1+frequencies(texts, []string{term})[0])) + 1
}

// frequencies counts in how many of the texts each term is.
func frequencies(texts []text, terms []string) []uint64 {
	df := make([]uint64, len(terms))
	for i, term := range terms {
		for _, x := range texts {
			if slices.Contains(strings.Fields(x.words), term) {
				df[i]++
			}
		}
	}
	return df
}

// channelText is what terms of a channel begin with.
const channelText = "\x01"

// randomTexts has texts of words, and every fifth with two terms of a channel for each of them.
func randomTexts(rng *rand.Rand, n, classes int) []text {
	texts := make([]text, n)
	for i := range texts {
		x := &texts[i]
		x.class = rng.IntN(classes)
		if i%5 == 1 {
			for range 2 + 2*rng.IntN(12) {
				x.words += fmt.Sprintf(" %sw%d", channelText, rng.IntN(9)+9*x.class*rng.IntN(2))
			}
		}
		for range 1 + rng.IntN(12) {
			word := rng.IntN(1 + rng.IntN(60))
			if rng.IntN(3) == 0 {
				word += 100 * (1 + x.class)
			}
			x.words += fmt.Sprintf(" w%d", word)
		}
	}
	return texts
}

// scaled scales a vector to length 1, and its kinds of terms to the same length.
func scaled(v map[string]float64) map[string]float64 {
	sums := map[bool]float64{}
	for word, x := range v {
		sums[strings.HasPrefix(word, channelText)] += x * x
	}
	for word := range v {
		v[word] /= math.Sqrt(sums[strings.HasPrefix(word, channelText)] * float64(len(sums)))
	}
	return v
}

// brute is the definition: maps, and no step left out. A document is learned after it was
// scored, in the order of the hashes and then in the reverse order; weights and scores are
// the means of the two. The scores by terms of a channel follow those by words; both kinds of terms
// have the same length.
func brute(texts []text, classes int, learned func(int) bool) (weights []map[string]float64, scores [][]float64) {
	weights = make([]map[string]float64, classes)
	for c := range weights {
		weights[c] = map[string]float64{}
	}
	scores = make([][]float64, len(texts))
	order := make([]int, len(texts))
	for i := range order {
		order[i], scores[i] = i, make([]float64, 2*classes)
	}
	slices.SortFunc(order, func(a, b int) int {
		x, y := texts[a].document(a).ID, texts[b].document(b).ID
		if Hash(x[:]) < Hash(y[:]) {
			return -1
		}
		return 1
	})
	vector := func(i int) map[string]float64 {
		v := map[string]float64{}
		for _, word := range strings.Fields(texts[i].words) {
			v[word]++
		}
		for word, x := range v {
			others := 0
			for k, other := range texts {
				if k != i && slices.Contains(strings.Fields(other.words), word) {
					others++
				}
			}
			if others == 0 {
				delete(v, word)
				continue
			}
			v[word] = math.Log(1+x) * (math.Log(float64(len(texts))/float64(1+others)) + 1)
		}
		return scaled(v)
	}
	for range 2 {
		own := make([]map[string]float64, classes)
		for c := range own {
			own[c] = map[string]float64{}
		}
		score := func(i int) (s []float64) {
			s = make([]float64, classes)
			for word, x := range vector(i) {
				kind := 0
				if strings.HasPrefix(word, channelText) {
					kind = 1
				}
				for c := range s {
					s[c] += x * own[c][word]
					scores[i][kind*classes+c] += x * own[c][word] / 2
				}
			}
			return s
		}
		for _, i := range order {
			if !learned(i) {
				continue
			}
			s := score(i)
			sum := 0.0
			for _, z := range s {
				sum += math.Exp(z)
			}
			for c := range s {
				g := -math.Exp(s[c]) / sum
				if c == texts[i].class {
					g++
				}
				for word, x := range vector(i) {
					own[c][word] += 5 * g * x
				}
			}
		}
		for i := range texts {
			if !learned(i) {
				score(i)
			}
		}
		for c := range own {
			for word, w := range own[c] {
				weights[c][word] += w / 2
			}
		}
		slices.Reverse(order)
	}
	return weights, scores
}

func TestLearnAgainstTheDefinition(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	for _, classes := range []int{2, 3, 7} {
		texts := randomTexts(rng, 80, classes)
		learned := func(i int) bool { return i%5 != 0 }
		order := rng.Perm(len(texts))
		want, wanted := brute(texts, classes, learned)
		seen := 0
		l := gathered(texts, classes, order, learned, func(id count.DocID, scores []float64) {
			seen++
			for c, s := range scores {
				if i := int(id[0]); math.Abs(s-wanted[i][c]) > .03 { // gradients below negligible
					t.Errorf("document %d, class %d: %v, want %v", i, c, s, wanted[i][c])
				}
			}
		})
		w := l.Learn(t.Context(), uint64(len(texts)), frequencies(texts, l.list()))
		if seen != len(texts) {
			t.Errorf("%d documents scored, want %d", seen, len(texts))
		}
		w = Parse(w.Marshal(make([]count.ClassID, classes)))
		for _, term := range append(l.list(), "unknown") {
			got, idf := make([]float64, classes), idfOf(texts, term)
			row := w.Row(Hash([]byte(term)))
			for i := range row.Len() {
				c, v := row.At(i)
				got[c] = v / idf
			}
			for c := range got {
				v := want[c][term]
				if got[c] == 0 && math.Abs(v) < least+.03 {
					continue
				}
				if math.Abs(got[c]-v) > .03 || got[c] != 0 && math.Abs(got[c]) < least-Unit {
					t.Errorf("%q of class %d: %v, want %v", term, c, got[c], v)
				}
			}
		}
	}
}

// What is learned depends on the documents, not on the order in which they come.
func TestLearnInAnyOrder(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 4))
	texts := randomTexts(rng, 60, 3)
	var first []byte
	for range 5 {
		l := gathered(texts, 3, rng.Perm(len(texts)), func(int) bool { return true }, ignore)
		got := l.Learn(t.Context(), 60, frequencies(texts, l.list())).Marshal([]count.ClassID{1, 2, 3})
		if first == nil {
			first = got
		}
		if !bytes.Equal(got, first) {
			t.Fatal("another order of the same documents gave other weights")
		}
	}
}

// With more documents than there is room for, too, and terms of those dropped go.
func TestLearnTooManyInAnyOrder(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(5, 6))
	texts := randomTexts(rng, 400, 3)
	const most = 300
	learned := func(order []int, full int) (*Learner, []byte) {
		l := New(3, new(Terms))
		l.most, l.full = most, full
		var scores bytes.Buffer
		for _, i := range order {
			x := texts[i]
			for k := range 1 + i*i%60 { // some take much room
				x.words += fmt.Sprintf(" own%d-%d", i, k)
			}
			var scored func(count.DocID, []float64)
			if i%20 == 0 {
				scored = func(id count.DocID, s []float64) { fmt.Fprintln(&scores, id, s) }
			}
			l.add(x.document(i), x.class, scored)
		}
		df := make([]uint64, len(l.list()))
		for i, term := range l.list() {
			df[i] = 400
			if strings.HasPrefix(term, "own") {
				df[i] = 2
			}
		}
		w := l.Learn(t.Context(), 400, df)
		return l, append(w.Marshal([]count.ClassID{1, 2, 3}), scores.Bytes()...)
	}
	_, want := learned(rng.Perm(len(texts)), math.MaxInt)
	for range 20 {
		l, got := learned(rng.Perm(len(texts)), 2*most)
		if !bytes.Equal(got, want) {
			t.Fatal("another order, and documents dropped early, gave other weights")
		}
		if n := len(l.list()); n > l.full {
			t.Errorf("%d terms are kept", n)
		}
	}
}

// Bytes of any kind are read without a panic, and those of weights as they were.
func FuzzParse(f *testing.F) {
	rng := rand.New(rand.NewPCG(5, 6))
	texts := randomTexts(rng, 40, 3)
	l := gathered(texts, 3, rng.Perm(len(texts)), func(int) bool { return true }, ignore)
	data := l.Learn(f.Context(), 40, frequencies(texts, l.list())).Marshal([]count.ClassID{4, 7, 9})
	f.Add(data, "w1")
	f.Add(New(2, new(Terms)).Learn(f.Context(), 0, nil).Marshal(nil), "w1")
	f.Add(data[:len(data)/2], "w3")
	f.Add([]byte{}, "")
	f.Fuzz(func(t *testing.T, data []byte, term string) {
		w := Parse(data)
		if w == nil {
			return
		}
		row := w.Row(Hash([]byte(term)))
		for i := range row.Len() {
			row.At(i)
		}
		if again := w.Marshal(w.Classes); Sum(again) == 0 || !bytes.Equal(again[sumSize:], data[sumSize:]) {
			t.Errorf("%x read and written is %x", data, again)
		}
	})
}

// The first document for which there is no room keeps its place, so that no later one is learned
// instead, whether it was added before or after that was found.
func TestLearnNothingBehindTheFirstWithoutRoom(t *testing.T) {
	t.Parallel()
	var docs []*count.Document // in the order of learning
	for n := range 3 {
		docs = append(docs, text{0, []string{"a b c d e f", "g h i j k l", "m n o"}[n]}.document(0))
	}
	for n := 0; ; n++ {
		for i, d := range docs {
			d.ID = count.DocID{byte(n), byte(n >> 8), byte(i)}
		}
		if Key(docs[0].ID) < Key(docs[1].ID) && Key(docs[1].ID) < Key(docs[2].ID) {
			break
		}
	}
	l := New(2, new(Terms))
	l.most = 10 // the first, and no other
	l.add(docs[0], 0, nil)
	l.add(docs[1], 0, nil)
	l.sort()
	l.add(docs[2], 0, nil)
	l.sort()
	var learned []count.DocID
	for _, d := range l.docs {
		if d.label >= 0 {
			learned = append(learned, d.id)
		}
	}
	if len(learned) != 1 || learned[0] != docs[0].ID {
		t.Errorf("learns %v, want the first alone", learned)
	}
}
