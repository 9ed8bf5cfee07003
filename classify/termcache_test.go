package classify

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"strconv"
	"sync"
	"testing"

	"github.com/polya-classifier/polya/classify/decision"
	"github.com/polya-classifier/polya/classify/model"
	"github.com/polya-classifier/polya/internal/raced"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/tokenize"
)

// cachedModels are models with contributions and, last, one without.
func cachedModels() []Model {
	return []Model{
		nil, model.Multinomial{}, model.Bernoulli{}, model.Normalised{},
		model.Ratio{}, model.Ratio{Documents: true, Alpha: .1, Bound: 2},
		model.Stack{Label: "all weights", Components: []model.Component{
			{Model: model.Multinomial{}, Gamma: .5, Weight: .1}, {Model: model.Ratio{Bound: 1}, Weight: .5}, {Model: model.Bernoulli{}, Gamma: 1, Weight: .3},
			{Model: model.Ratio{Bound: .5, Fields: model.CharacterFields}, Weight: .4}, {Model: model.Ratio{Bound: .5}, Weight: .2}, {Model: model.Ratio{Bound: 2}, Weight: .2}, {Model: model.Ratio{Bound: 3}, Weight: 0},
		}},
		model.Complement{}, model.DCM{},
	}
}

// someWords are the rarer the longer their numbers; those below 10 tell the classes
// apart.
func someWords(rng *rand.Rand, class, words, vocabulary int) Document {
	bag := new(tokenize.Bag)
	var term []byte
	for range words {
		n := rng.IntN(1 + rng.IntN(vocabulary))
		if n < 10 {
			n += 10 * class
		}
		field := [...]string{"", "", "", "subject:", "from:", "x-mailer:"}[n%6]
		term = strconv.AppendInt(append(term[:0], field+"w"...), int64(n), 10)
		bag.Add(term)
		if n%3 == 0 {
			bag.Add(append([]byte{1}, term...))
			bag.Add(append([]byte("\x01\x01"), term...))
		}
	}
	doc := Document{Bag: bag}
	binary.BigEndian.PutUint64(doc.ID[:], rng.Uint64())
	return doc
}

// trainDocuments has a class learn documents.
func trainDocuments(t *testing.T, c *Classifier, class string, docs ...Document) {
	t.Helper()
	if _, err := c.Train(ctx, class, docs...); err != nil {
		t.Fatal(err)
	}
}

// answerAlone is the answer as nobody asked before.
func answerAlone(t *testing.T, c *Classifier, doc Document) Result {
	t.Helper()
	return answersOf(t, c, doc, c.options.Model)[0]
}

// However many documents were asked about before, an answer is the same to the bit.
func TestCachedAnswersAreTheSame(t *testing.T) {
	raced.Skip(t)
	t.Parallel()
	const vocabulary = 10_000
	for i, model := range cachedModels() {
		for _, o := range []Options{{}, {Decision: decision.Filter{Positive: "class1"}}, {Raw: true}} {
			if o.Model = model; i > 1 && (o.Raw || testing.Short() && o.Decision != nil) {
				continue
			}
			rng := rand.New(rand.NewPCG(uint64(i), 1))
			c := openTest(t, filepath.Join(t.TempDir(), "db"), o)
			learnSome := func(n int) {
				var b Batch
				for k := range n {
					class := rng.IntN(3)
					doc := someWords(rng, class, 100, vocabulary)
					if k%3 > 0 {
						doc.Attributes = []count.Attribute{{Name: "size", Kind: count.Real, Number: float64(class) + rng.Float64()}}
					}
					if err := b.Train(fmt.Sprint("class", class), doc); err != nil {
						t.Fatal(err)
					}
				}
				if _, err := c.Apply(ctx, &b); err != nil {
					t.Fatal(err)
				}
			}
			for _, n := range []int{60, 5} {
				learnSome(n)
				known := 0
				for k := range 20 {
					size := []int{0, 1, 100, 2_000, 4_000}[k%5]
					doc := someWords(rng, k%3, size, vocabulary*2)
					if k%2 > 0 {
						doc.Attributes = []count.Attribute{{Name: "size", Kind: count.Real, Number: 1.5}, {Name: "unheard of", Kind: count.YesNo}}
					}
					got, err := c.Classify(ctx, doc)
					if err != nil {
						t.Fatal(err)
					}
					if want := answerAlone(t, c, doc); !reflect.DeepEqual(got, want) {
						t.Fatalf("%v, %+v, document %d: %+v, want %+v", model, o, k, got, want)
					}
					known += got.Terms
				}
				if known < 300 {
					t.Errorf("%v: only %d terms are known", model, known)
				}
			}
		}
	}
}

// Models are asked with the cache if terms contribute to them, and not else.
func TestWhichModelsAreCached(t *testing.T) {
	t.Parallel()
	for i, m := range cachedModels() {
		c := openTest(t, filepath.Join(t.TempDir(), "db"), Options{Model: m})
		train(t, c, "a", "one two")
		train(t, c, "b", "one three")
		err := c.view(func(_ *store.Snapshot, p *prepared) error {
			if (p.contributing == nil) != (i > 7) {
				t.Errorf("%v: wrong way to answer", m)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// With too many classes a model is asked without the cache.
func TestCacheOfManyClasses(t *testing.T) {
	t.Parallel()
	for classes, want := range map[int]bool{2: true, 85: true, 86: false, 20_000: false} {
		totals := model.Totals{Documents: uint64(classes), Vocabulary: 1}
		for c := range classes {
			totals.Classes = append(totals.Classes, &count.Class{ID: count.ClassID(c), Docs: 1, Tokens: 1, Weight: 1 << 16, Terms: 1})
		}
		if got := model.NewTermSums(defaultStack().Prepare(totals), classes) != nil; got != want {
			t.Errorf("%d classes: %v, want %v", classes, got, want)
		}
	}
}

// A database that fails while terms are looked up leaves nothing half known behind.
func TestCacheForgetsWhatFailed(t *testing.T) {
	t.Parallel()
	c := openTest(t, filepath.Join(t.TempDir(), "db"), Options{})
	train(t, c, "a", "one two three")
	train(t, c, "b", "three four five")
	q := new(question)
	err := c.view(func(s *store.Snapshot, p *prepared) error {
		docs := []Document{c.Document([]byte("one")), c.Document([]byte("one two")), c.Document([]byte("two five"))}
		for i := range docs {
			if err := q.answer(s, p, &docs[i]); err != nil {
				return err
			}
		}
		func() {
			defer func() {
				if recover() == nil {
					t.Error("a snapshot of nothing was read")
				}
			}()
			doc := c.Document([]byte("three four"))
			q.answer(nil, p, &doc)
		}()
		var again question
		doc := c.Document([]byte("three four two"))
		if err := again.ask(s, p, &doc); err != nil {
			return err
		}
		if err := q.answer(s, p, &doc); err != nil {
			return err
		}
		if !reflect.DeepEqual(q.scores, again.scores) || q.known != 3 {
			t.Errorf("%v of %d terms, want %v", q.scores, q.known, again.scores)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Many may ask at once while somebody learns.
func TestCacheWhileLearning(t *testing.T) {
	t.Parallel()
	c := openTest(t, filepath.Join(t.TempDir(), "db"), Options{})
	train(t, c, "a", "one two three")
	train(t, c, "b", "three four five")
	var all sync.WaitGroup
	for g := range 4 {
		all.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(g), 9))
			for range 300 {
				if _, err := c.Classify(ctx, someWords(rng, 0, 20, 50)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	rng := rand.New(rand.NewPCG(99, 9))
	for i := range 30 {
		trainDocuments(t, c, []string{"a", "b"}[i%2], someWords(rng, i%2, 20, 50))
	}
	all.Wait()
}
