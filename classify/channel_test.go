package classify

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/classify/model"
	"github.com/polya-classifier/polya/internal/raced"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/tokenize"
)

const noChannels, allChannels = tokenize.DefaultSpec + " channel=off", tokenize.DefaultSpec + " channel=grams"

// sameBeside fails the test unless c, which has channels, has the same totals as plain and
// gives the same answers by all models that read no channel.
func sameBeside(t *testing.T, c, plain *Classifier, texts []string) {
	t.Helper()
	totals := func(c *Classifier) (of model.Totals) {
		if err := c.Store().View(func(s *store.Snapshot) error { of = totalsOf(s); return nil }); err != nil {
			t.Fatal(err)
		}
		return of
	}
	earlier := func(c *Classifier) (of model.Totals) {
		if err := c.Store().View(func(s *store.Snapshot) error {
			x := model.NewEarlier(totalsOf(s))
			err := s.Learned(func(id count.DocID) bool { return id[0]%2 == 0 }, func(doc *count.Document) error {
				x.Take(count.ClassNamed(s.Classes(), doc.Class), doc)
				return nil
			})
			of = x.Totals()
			return err
		}); err != nil {
			t.Fatal(err)
		}
		return of
	}
	for _, of := range []func(*Classifier) model.Totals{totals, earlier} {
		if got, want := of(c), of(plain); !reflect.DeepEqual(got, want) {
			t.Fatalf("totals\n%+v\nwant\n%+v", got, want)
		}
	}
	for _, m := range append(model.Models(), model.Ratio{}, testStack()) {
		c.options.Model, c.prepared = m, nil
		plain.options.Model, plain.prepared = m, nil
		for _, text := range texts {
			if got, want := ask(t, c, text), ask(t, plain, text); !reflect.DeepEqual(got, want) {
				t.Fatalf("%s, %q: %+v, want %+v", m.Name(), text, got, want)
			}
		}
	}
}

// Terms of channels change no total, and no answer of a model that does not read them: when
// they were learned, in bulk or one by one, forgotten, moved, dumped and loaded.
func TestChannelsStayApart(t *testing.T) {
	raced.Skip(t)
	t.Parallel()
	rng := rand.New(rand.NewPCG(5, 5))
	texts := append(randomTexts(rng, 40), "東京都 ภาษาไทย", "?!", "")
	open := func(spec string) *Classifier {
		return openTest(t, filepath.Join(t.TempDir(), "db"), Options{Analyzer: spec, Raw: true, Fitting: FitByHand})
	}
	c, plain := open(allChannels), open(noChannels)
	both := func(f func(c *Classifier) error) {
		t.Helper()
		for _, one := range []*Classifier{c, plain} {
			if err := f(one); err != nil {
				t.Fatal(err)
			}
		}
	}
	both(func(c *Classifier) error { trainAll(t, c, []string{"m", "z", "a"}, texts[:30]); return nil })
	sameBeside(t, c, plain, texts)
	for i, text := range texts[25:] {
		both(func(c *Classifier) error {
			if i%3 == 0 && i < 5 {
				_, err := c.Forget(ctx, c.Document([]byte(text)))
				return err
			}
			_, err := c.Train(ctx, []string{"z", "a"}[i%2], c.Document([]byte(text)))
			return err
		})
	}
	sameBeside(t, c, plain, texts)
	both(func(c *Classifier) error {
		_, err := c.Store().Prune(ctx, false, func(term []byte, _ []count.Cell) bool {
			return term[0] == 1 && term[1]%2 == 0 || string(term) == "w1"
		})
		return err
	})
	both(func(c *Classifier) error { _, err := c.Forget(ctx, c.Document([]byte(texts[7]))); return err })
	sameBeside(t, c, plain, texts)
	loaded := func(from *Classifier, spec string) *Classifier {
		to := open(spec)
		var dump bytes.Buffer
		if err := from.Store().Dump(ctx, &dump, true); err != nil {
			t.Fatal(err)
		}
		if _, err := to.Store().Load(ctx, false, &dump); err != nil {
			t.Fatal(err)
		}
		return to
	}
	sameBeside(t, loaded(c, allChannels), loaded(plain, noChannels), texts)
}

// A channel is scored as its terms would be by themselves, in one bag.
func TestChannelScoresAsABag(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(6, 6))
	bags, channels := openTest(t, filepath.Join(t.TempDir(), "db"), Options{Raw: true}), openTest(t, filepath.Join(t.TempDir(), "db"), Options{Raw: true})
	made := func(of []string, prefix, beside string) Document {
		d := Document{Bag: new(tokenize.Bag)}
		for _, term := range of {
			d.Bag.Add([]byte(prefix + term))
		}
		if beside != "" {
			d.Bag.Add([]byte(beside))
		}
		copy(d.ID[:], fmt.Sprint(of))
		return d
	}
	var docs [][]string
	for range 60 {
		var words []string
		for range 1 + rng.IntN(12) {
			words = append(words, fmt.Sprint("w", rng.IntN(1+rng.IntN(40))))
		}
		slices.Sort(words)
		docs = append(docs, slices.Compact(words))
	}
	for i, words := range docs[:50] {
		class := fmt.Sprint("class", i*i%3)
		if _, err := bags.Train(ctx, class, made(words, "", "")); err != nil {
			t.Fatal(err)
		}
		if _, err := channels.Train(ctx, class, made(words, "\x01", "beside")); err != nil {
			t.Fatal(err)
		}
	}
	for _, bound := range []float64{.1, 1, 2} {
		m := model.Ratio{Documents: true, Alpha: .1, Bound: bound}
		bags.options.Model, bags.prepared = m, nil
		m.Fields = model.CharacterFields
		channels.options.Model, channels.prepared = m, nil
		for _, words := range docs {
			want, err := bags.Classify(ctx, made(words, "", ""))
			if err != nil {
				t.Fatal(err)
			}
			got, err := channels.Classify(ctx, made(words, "\x01", "beside"))
			if err != nil || want.Terms > 0 && got.LogOdds != want.LogOdds {
				t.Fatalf("%v of %q: %v, want %v; %v", m.Name(), words, got.LogOdds, want.LogOdds, err)
			}
		}
	}
}

func TestLeaveOutChannels(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(7, 7))
	c := openTest(t, filepath.Join(t.TempDir(), "db"), Options{Analyzer: allChannels})
	trainAll(t, c, []string{"m", "z", "a", "m"}, randomTexts(rng, 30))
	docs := learned(t, c)
	rng.Shuffle(len(docs), func(i, k int) { docs[i], docs[k] = docs[k], docs[i] })
	checkLeaving(t, c, docs)
}

// The default model learns to read a channel, and an explanation has its terms.
func TestChannelsAreLearned(t *testing.T) {
	raced.Skip(t)
	t.Parallel()
	// No word is in two documents; what tells the classes apart is in the middle of words.
	text := func(rng *rand.Rand, class int) string {
		var words []string
		for range 6 {
			words = append(words, fmt.Sprintf("a%d%s%d", rng.IntN(10), []string{"qqqq", "zzzz"}[class], rng.IntN(1e6)))
		}
		return strings.Join(append(words, "word"), " ")
	}
	answers := func(spec string) (right int, parts Explanation) {
		rng := rand.New(rand.NewPCG(8, 8))
		c := openTest(t, filepath.Join(t.TempDir(), "db"), Options{Analyzer: spec})
		for i := range 200 {
			train(t, c, []string{"q", "z"}[i%2], text(rng, i%2))
		}
		calibrated(t, c)
		for i := range 40 {
			doc := c.Document([]byte(text(rng, i%2)))
			e, err := c.Explain(ctx, doc)
			if err != nil {
				t.Fatal(err)
			}
			checkParts(t, spec, e)
			if parts = e; e.Class == []string{"q", "z"}[i%2] {
				right++
			}
		}
		return right, parts
	}
	right, e := answers(allChannels)
	if right < 40 {
		t.Errorf("%d of 40 answers are right", right)
	}
	if at := slices.IndexFunc(e.Terms, func(c TermContribution) bool { return c.Term == "\x01zzzz" }); at < 0 || !(e.Terms[at].LogOdds > 0) {
		t.Errorf("%+v does not have what tells the classes apart", e.Terms)
	}
	if right, _ := answers(noChannels); right == 40 {
		t.Error("the words alone tell the classes apart")
	}
}
