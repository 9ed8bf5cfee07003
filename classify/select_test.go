package classify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/polya-classifier/polya/classify/decision"
	"github.com/polya-classifier/polya/classify/model"
	"github.com/polya-classifier/polya/classify/term"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// selectionText returns text of words w0 … w(n-1), of which the low ones are
// frequent and each prefers one of three classes.
func selectionText(rng *rand.Rand, class, n int) string {
	var words []string
	for range 3 + rng.IntN(30) {
		w := int(float64(n) * math.Pow(rng.Float64(), 3))
		if rng.IntN(3) > 0 {
			w -= (w - class) % 3
		}
		words = append(words, fmt.Sprintf("w%d", max(w, 0)))
	}
	return strings.Join(words, " ")
}

// selectionTexts returns 90 texts; i % 3 is the class of the i-th.
func selectionTexts(seed uint64) []string {
	rng := rand.New(rand.NewPCG(seed, 41))
	var texts []string
	for i := range 90 {
		texts = append(texts, selectionText(rng, i%3, 200))
	}
	return texts
}

func selectionClass(i int) string { return string(rune('a' + i%3)) }

// trainSelection learns texts, of each only the words that keep says, in a new
// database. Documents keep the ids of their whole texts.
func trainSelection(t *testing.T, texts []string, o Options, keep func(string) bool) *Classifier {
	t.Helper()
	o.Raw = true
	c := openTest(t, filepath.Join(t.TempDir(), "test.polya"), o)
	var b Batch
	for i, text := range texts {
		id := c.Document([]byte(text)).ID
		doc := c.Document([]byte(kept(text, keep)))
		doc.ID = id
		if err := b.Train(selectionClass(i), doc); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.Apply(ctx, &b); err != nil {
		t.Fatal(err)
	}
	return c
}

// kept returns the words of text that keep says.
func kept(text string, keep func(string) bool) string {
	var words []string
	for _, w := range strings.Fields(text) {
		if keep(w) {
			words = append(words, w)
		}
	}
	return strings.Join(words, " ")
}

func anyWord(string) bool { return true }

// rankedTerms returns the terms of c with a document frequency of minDF or more,
// the best first, in the plainest way.
func rankedTerms(t *testing.T, c *Classifier, minDF uint64, by term.Measure) []string {
	t.Helper()
	var list []ranked
	err := c.Store().View(func(s *store.Snapshot) error {
		measure := by.Prepare(s.Classes())
		return s.Scan(false, func(name []byte, cells []count.Cell) error {
			if term.Frequency(cells) >= minDF {
				list = append(list, ranked{measure(cells), string(name)})
			}
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(list, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(b.value, a.value), cmp.Compare(a.term, b.term))
	})
	var terms []string
	for _, r := range list {
		terms = append(terms, r.term)
	}
	return terms
}

// chosenTerms returns the terms chosen in c, in ascending order.
func chosenTerms(t *testing.T, c *Classifier) []string {
	t.Helper()
	var terms []string
	err := c.view(ctx, func(s *store.Snapshot, p *prepared) error {
		return s.Scan(false, func(term []byte, cells []count.Cell) error {
			if p.choice == nil || p.choice.has(term, cells) {
				terms = append(terms, string(term))
			}
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(terms)
	return terms
}

// The best K are those at the front of a sorted list of all terms. The list has
// many equals: terms that occur once.
func TestSelectionBest(t *testing.T) {
	t.Parallel()
	texts := selectionTexts(1)
	for _, by := range term.Measures() {
		for _, s := range []Selection{{0, 1, by}, {0, 30, by}, {2, 30, by}, {0, 120, by}, {3, 100000, by}, {1000, 5, by}} {
			c := trainSelection(t, texts, Options{Model: model.Multinomial{}, Selection: s}, anyWord)
			want := rankedTerms(t, c, s.MinDF, by)
			want = want[:min(len(want), s.Best)]
			slices.Sort(want)
			if got := chosenTerms(t, c); !slices.Equal(got, want) {
				t.Errorf("%+v: %d terms %v\nwant %d terms %v", s, len(got), got, len(want), want)
			}
		}
	}
}

// A selection gives what a database gives that has learned the chosen terms
// alone, with models that know no document's length.
func TestSelectionAsIfLearned(t *testing.T) {
	t.Parallel()
	texts := selectionTexts(2)
	rng := rand.New(rand.NewPCG(42, 43))
	const analyzer = "polya-5 digits=off" // a word that is left out would leave its length
	for _, m := range []Model{model.Multinomial{}, model.Bernoulli{}, model.Ratio{Of: model.Documents, Alpha: .1, Bound: .5}} {
		for _, s := range []Selection{{MinDF: 2}, {MinDF: 4}, {Best: 40}, {Best: 40, By: term.Chi2}, {MinDF: 3, Best: 20, By: term.MITokens}} {
			c := trainSelection(t, texts, Options{Analyzer: analyzer, Model: m, Selection: s}, anyWord)
			has := map[string]bool{}
			for _, term := range chosenTerms(t, c) {
				has[term] = true
			}
			of := func(w string) bool { return has[w] }
			alone := trainSelection(t, texts, Options{Analyzer: analyzer, Model: m}, of)
			for i := range 20 {
				text := selectionText(rng, i%3, 260)
				got, want := ask(t, c, text), ask(t, alone, kept(text, of))
				if got.Terms != want.Terms || !samePosterior(got, want, 1e-12) {
					t.Errorf("%s %+v, %q:\ngot  %+v\nwant %+v", m.Name(), s, text, got, want)
				}
			}
		}
	}
}

func samePosterior(a, b Result, tol float64) bool {
	return a.Class == b.Class && near(a.LogOdds, b.LogOdds, tol) &&
		slices.EqualFunc(a.Posterior, b.Posterior, func(x, y ClassProbability) bool {
			return x.Class == y.Class && near(x.Probability, y.Probability, tol) && near(x.LogOdds, y.LogOdds, tol)
		})
}

// A selection that leaves nothing out changes nothing, and the zero Selection
// looks at nothing.
func TestSelectionOfAll(t *testing.T) {
	t.Parallel()
	texts := selectionTexts(3)
	for _, m := range []Model{model.Multinomial{}, model.Bernoulli{}, model.DCM{}, model.Normalised{Lambda: .8}, Auto{}} {
		all := trainSelection(t, texts, Options{Model: m}, anyWord)
		best := trainSelection(t, texts, Options{Model: m, Selection: Selection{Best: 100000}}, anyWord)
		for _, text := range selectionTexts(4)[:20] {
			// The fit of the DCM is another, from another start.
			if got, want := ask(t, best, text), ask(t, all, text); !samePosterior(got, want, 1e-8) {
				t.Errorf("%s, %q:\ngot  %+v\nwant %+v", m.Name(), text, got, want)
			}
		}
		if all.choice != nil || best.choice == nil {
			t.Errorf("%s: choice of everything %v, of the best %v", m.Name(), all.choice, best.choice)
		}
	}
}

// The order of learning does not matter.
func TestSelectionOrder(t *testing.T) {
	t.Parallel()
	texts := selectionTexts(5)
	o := Options{Raw: true, Model: model.DCM{}, Selection: Selection{MinDF: 2, Best: 50, By: term.Chi2}}
	var all []Result
	for _, backward := range []bool{false, true} {
		c := openTest(t, filepath.Join(t.TempDir(), "test.polya"), o)
		for i := range texts {
			if backward {
				i = len(texts) - 1 - i
			}
			train(t, c, selectionClass(i), texts[i])
		}
		all = append(all, ask(t, c, texts[0]))
	}
	if !samePosterior(all[0], all[1], 1e-8) {
		t.Errorf("forward %+v\nbackward %+v", all[0], all[1])
	}
}

// A choice is kept while the counts change little, holds for terms learned
// meanwhile, and is made anew after more.
func TestSelectionStale(t *testing.T) {
	t.Parallel()
	texts := selectionTexts(6)
	for _, m := range []Model{model.Multinomial{}, model.Bernoulli{}, model.DCM{}} {
		c := openTest(t, filepath.Join(t.TempDir(), "test.polya"), Options{Raw: true, Model: m, Selection: Selection{Best: 30}})
		if _, err := c.Classify(ctx, c.Document([]byte("w1"))); err == nil {
			t.Fatal("an empty database has an answer")
		}
		for i, text := range texts {
			train(t, c, selectionClass(i), text)
		}
		for i := range 120 {
			train(t, c, "a", fmt.Sprintf("filler%d w0 w1", i))
		}
		train(t, c, "rare", "seldom one", "seldom two")
		ask(t, c, "w1")
		first := c.choice
		train(t, c, "rare", "seldom three") // of the class one in two, of all one in 212
		r := ask(t, c, "seldom w2")
		if c.choice != first || r.Class != "rare" {
			t.Errorf("%s: after one document the choice is new: %v; %+v", m.Name(), c.choice != first, r)
		}
		for _, p := range r.Posterior {
			if math.IsNaN(p.Probability) || math.IsNaN(p.LogOdds) {
				t.Errorf("%s: %+v", m.Name(), r)
			}
		}
		train(t, c, "rare", "seldom four") // twice what it was
		if ask(t, c, "w1"); c.choice == first {
			t.Errorf("%s: the choice is old though a class has doubled", m.Name())
		}
		first = c.choice
		train(t, c, "a", "other1", "other2", "other3")
		if ask(t, c, "w1"); c.choice == first {
			t.Errorf("%s: the choice is old though three documents of 214 are new", m.Name())
		}
		first = c.choice
		train(t, c, "new", "other4")
		if ask(t, c, "w1"); c.choice == first {
			t.Errorf("%s: the choice is old though a class is new", m.Name())
		}
	}
}

// A class renamed is in another place.
func TestSelectionRename(t *testing.T) {
	t.Parallel()
	texts := selectionTexts(8)
	o := Options{Model: model.Multinomial{}, Selection: Selection{Best: 30}}
	c, fresh := trainSelection(t, texts, o, anyWord), trainSelection(t, texts, o, anyWord)
	ask(t, c, texts[0])
	for _, db := range []*store.DB{c.Store(), fresh.Store()} {
		if err := db.RenameClass("a", "z"); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := ask(t, c, texts[0]), ask(t, fresh, texts[0]); !samePosterior(got, want, 0) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

// If each document loses the same share of its tokens, the DCM too is as if the
// chosen terms alone had been learned, whichever model was asked first.
func TestSelectionDCM(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(44, 45))
	var texts []string
	for i := range 90 {
		var words []string
		for k := range 2 + rng.IntN(20) {
			// Of a few words that many documents have, and often repeat, one; and
			// one that is nowhere else.
			w := (rng.IntN(4)*3 + i%3) % 10
			if k > 0 && rng.IntN(2) == 0 {
				words = append(words, words[2*rng.IntN(k)])
			} else {
				words = append(words, fmt.Sprintf("w%d", w))
			}
			words = append(words, fmt.Sprintf("once%dat%d", i, k))
		}
		texts = append(texts, strings.Join(words, " "))
	}
	often := func(w string) bool { return !strings.HasPrefix(w, "once") }
	for _, m := range []Model{model.DCM{}, model.Stack{Label: "one", PriorWeight: 1, Components: []model.Component{{Model: model.DCM{}, Weight: 1}}}} {
		c := trainSelection(t, texts, Options{Model: model.Multinomial{}, Selection: Selection{MinDF: 2}}, anyWord)
		alone := trainSelection(t, texts, Options{Model: m}, often)
		for i, text := range texts[:20] {
			ask(t, c, text)
			got, err := c.ClassifyEach(ctx, c.Document([]byte(text)), []Model{model.Multinomial{}, m})
			if err != nil {
				t.Fatal(err)
			}
			if want := ask(t, alone, kept(text, often)); !samePosterior(got[1], want, 1e-7) {
				t.Errorf("%s, document %d:\ngot  %+v\nwant %+v", m.Name(), i, got[1], want)
			}
		}
	}
}

// The totals of a choice are the sums of the rows of the chosen terms.
func TestSelectionTotals(t *testing.T) {
	t.Parallel()
	c := trainSelection(t, selectionTexts(9), Options{Model: model.Multinomial{}, Selection: Selection{Best: 40}}, anyWord)
	err := c.view(ctx, func(s *store.Snapshot, p *prepared) error {
		got := p.choice.totals(totalsOf(s))
		want := make([]count.Class, len(got.Classes))
		err := s.Scan(false, func(term []byte, cells []count.Cell) error {
			for _, cell := range cells {
				if p.choice.has(term, cells) {
					want[cell.Class].Tokens += cell.TF
					want[cell.Class].Weight += cell.W
					want[cell.Class].Terms++
				}
			}
			return nil
		})
		for i, class := range got.Classes {
			w := &want[i]
			if class.Tokens != w.Tokens || class.Weight != w.Weight || class.Terms != w.Terms || class.Tokens == 0 {
				t.Errorf("class %d: %d tokens, weight %d, %d terms; want %d, %d, %d",
					i, class.Tokens, class.Weight, class.Terms, w.Tokens, w.Weight, w.Terms)
			}
		}
		if got.Vocabulary != 40 {
			t.Errorf("vocabulary of %d, want 40", got.Vocabulary)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Explanations are of the chosen terms, and add up.
func TestSelectionExplain(t *testing.T) {
	t.Parallel()
	texts := selectionTexts(7)
	c := trainSelection(t, texts, Options{Model: model.Multinomial{}, Selection: Selection{Best: 20}}, anyWord)
	chosen := chosenTerms(t, c)
	doc := c.Document([]byte(strings.Join(texts[:5], " ")))
	e, err := c.Explain(ctx, doc)
	if err != nil {
		t.Fatal(err)
	}
	sum := e.Prior.LogOdds + e.Length.LogOdds - e.Spread
	for _, w := range e.Terms {
		sum += w.LogOdds
		if !slices.Contains(chosen, w.Term) {
			t.Errorf("%q is chosen", w.Term)
		}
	}
	if !near(sum, e.LogOdds, 1e-9) || len(e.Terms) == 0 || e.Unknown != doc.Bag.Len()-len(e.Terms) {
		t.Errorf("parts add up to %v, log-odds %v; %d terms, %d unknown, of %d", sum, e.LogOdds, len(e.Terms), e.Unknown, doc.Bag.Len())
	}
}

// Readers share a choice while others learn; for the race detector.
func TestSelectionConcurrent(t *testing.T) {
	t.Parallel()
	texts := selectionTexts(10)
	c := trainSelection(t, texts[:60], Options{Model: model.DCM{}, Selection: Selection{MinDF: 2, Best: 30}}, anyWord)
	var group sync.WaitGroup
	for range 3 {
		group.Go(func() {
			for _, text := range texts[:30] {
				if r, err := c.Classify(ctx, c.Document([]byte(text))); err != nil || math.IsNaN(r.LogOdds) {
					t.Errorf("%+v, %v", r, err)
				}
			}
		})
	}
	for i, text := range texts[60:] {
		train(t, c, selectionClass(i), text)
	}
	group.Wait()
}

func TestSelectionErrors(t *testing.T) {
	t.Parallel()
	for _, s := range []Selection{{Best: -1}, {Best: 1, By: 3}} {
		if c, err := Open(filepath.Join(t.TempDir(), "test.polya"), Options{Selection: s}); err == nil {
			c.Close()
			t.Errorf("%+v is taken", s)
		}
	}
}

// Of models asked together each has the terms that were chosen for it: the second
// here reads Cell.U, for which they are chosen anew, with the counts of now.
func TestEachModelHasItsTerms(t *testing.T) {
	t.Parallel()
	o := Options{Analyzer: "polya-5 digits=off", Raw: true, Model: model.Multinomial{}, Selection: Selection{Best: 1}}
	c := openTest(t, filepath.Join(t.TempDir(), "test.polya"), o)
	teach := func(from, n int, class, text string) {
		for i := range n {
			// One more term each, so that all are documents of their own.
			train(t, c, class, fmt.Sprintf("%s own%d", text, from+i))
		}
	}
	teach(0, 6, "a", "every mostly")
	teach(6, 5, "a", "every rising")
	teach(11, 139, "a", "every")
	teach(150, 150, "b", "every")
	text := "every mostly rising"
	if r := ask(t, c, text); r.Terms != 1 {
		t.Fatalf("%d terms chosen, want 1 (mostly)", r.Terms)
	}
	teach(300, 2, "a", "every rising") // fewer than a hundredth: the choice stays, and rising joins
	together, err := c.ClassifyEach(ctx, c.Document([]byte(text)), []Model{model.Multinomial{}, model.DCM{}, model.Multinomial{}})
	if err != nil {
		t.Fatal(err)
	}
	alone := &Classifier{db: c.db, analyzer: c.analyzer, options: Options{Decision: decision.MostProbable{}, Model: model.DCM{}, Raw: true, Selection: o.Selection}}
	want := ask(t, alone, text)
	if together[0].Terms != 2 || want.Terms != 1 {
		t.Fatalf("%d and %d terms, want 2 and 1: there is nothing to tell apart", together[0].Terms, want.Terms)
	}
	if got := together[1]; got.Terms != want.Terms || !slices.Equal(got.Posterior, want.Posterior) {
		t.Errorf("together %+v, alone %+v", got, want)
	}
	if !slices.Equal(together[0].Posterior, together[2].Posterior) {
		t.Errorf("one model says %+v and %+v", together[0], together[2])
	}
}

// To choose terms ends with the context.
func TestSelectionHeedsTheContext(t *testing.T) {
	t.Parallel()
	c := trainSelection(t, selectionTexts(7), Options{Model: model.Multinomial{}, Selection: Selection{Best: 10}}, anyWord)
	doc := c.Document([]byte("one"))
	err := c.Store().View(func(s *store.Snapshot) error {
		ended, end := context.WithCancel(ctx)
		end()
		_, err := c.choose(ended, s, totalsOf(s), false)
		return err
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if _, err := c.Classify(ctx, doc); err != nil {
		t.Error(err)
	}
}
