package classify

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/polya-classifier/polya/classify/decision"
	"github.com/polya-classifier/polya/classify/model"
	"github.com/polya-classifier/polya/internal/raced"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/tokenize"
)

var ctx = context.Background()

// openTest opens a database that is checked at the end of the test.
func openTest(t testing.TB, path string, o Options) *Classifier {
	t.Helper()
	if o.Fitting == FitBehind {
		o.Fitting = FitInCall // or what is answered depends on when it is asked
	}
	c, err := Open(path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		r, err := c.Store().Check(ctx, func(p error) { t.Error(p) })
		if r.Problems > 0 || (err != nil && !errors.Is(err, store.ErrClosed)) {
			t.Errorf("check: %+v, %v", r, err)
		}
		c.Close()
	})
	return c
}

func train(t testing.TB, c *Classifier, class string, texts ...string) store.Applied {
	t.Helper()
	var docs []Document
	for _, text := range texts {
		docs = append(docs, c.Document([]byte(text)))
	}
	a, err := c.Train(ctx, class, docs...)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func ask(t testing.TB, c *Classifier, text string) Result {
	t.Helper()
	r, err := c.Classify(ctx, c.Document([]byte(text)))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// eachModel runs f with an empty database for every event model.
func eachModel(t *testing.T, f func(t *testing.T, c *Classifier)) {
	for _, m := range model.Models() {
		t.Run(m.Name(), func(t *testing.T) {
			f(t, openTest(t, filepath.Join(t.TempDir(), "test.polya"), Options{Model: m}))
		})
	}
}

// An unknown word votes for nobody: neither alone, nor beside known ones.
func TestUnknownWords(t *testing.T) {
	raced.Skip(t)
	t.Parallel()
	eachModel(t, func(t *testing.T, c *Classifier) {
		for i := range 100 {
			train(t, c, "large", fmt.Sprintf("alpha beta gamma number%d", i))
		}
		train(t, c, "small", "delta epsilon")
		var unknown []string
		for i := range 40 {
			unknown = append(unknown, fmt.Sprintf("unknown%d", i))
		}
		prior := ask(t, c, "")
		r := ask(t, c, strings.Join(unknown, " "))
		if r.Class != "large" || r.Terms != 0 || !r.Unsure || r.Probability != prior.Probability {
			t.Errorf("forty unknown words: %+v, nothing: %+v", r, prior)
		}
		known, both := ask(t, c, "alpha delta"), ask(t, c, "alpha delta "+strings.Join(unknown, " "))
		if !slices.Equal(known.Posterior, both.Posterior) {
			t.Errorf("unknown words moved the posterior from %v to %v", known.Posterior, both.Posterior)
		}
	})
}

// An empty document gives the prior: here (3+1)/(4+2) and (1+1)/(4+2).
func TestEmptyDocument(t *testing.T) {
	t.Parallel()
	eachModel(t, func(t *testing.T, c *Classifier) {
		train(t, c, "a", "one two", "two three", "three four")
		train(t, c, "b", "five")
		r := ask(t, c, "")
		if r.Class != "a" || math.Abs(r.Probability-4./6) > 1e-15 || math.Abs(r.LogOdds-math.Log(2)) > 1e-15 || !r.Unsure {
			t.Errorf("got %+v, want a with probability 2/3, unsure", r)
		}
	})
}

// A class without documents cannot win, nor does it appear.
func TestClassWithoutDocuments(t *testing.T) {
	t.Parallel()
	eachModel(t, func(t *testing.T, c *Classifier) {
		if _, err := c.Classify(ctx, c.Document([]byte("one"))); !errors.Is(err, ErrNoDocuments) {
			t.Errorf("asking an empty database: %v", err)
		}
		train(t, c, "a", "one two")
		train(t, c, "b", "three four")
		if _, err := c.Forget(ctx, c.Document([]byte("three four"))); err != nil {
			t.Fatal(err)
		}
		r := ask(t, c, "three four")
		if r.Class != "a" || len(r.Posterior) != 1 || r.Probability != 2./3 || r.LogOdds != math.Log(2) || r.Reason != decision.OneClass {
			t.Errorf("got %+v, want a alone, as its prior has it", r)
		}
		x, err := c.Explain(ctx, c.Document([]byte("one two")))
		sum := x.Prior.LogOdds + x.Length.LogOdds + x.Recent.LogOdds - x.Spread
		for _, term := range x.Terms {
			sum += term.LogOdds
		}
		if err != nil || x.Reason != decision.OneClass || sum != math.Log(2) {
			t.Errorf("parts add up to %v: %+v, %v", sum, x, err)
		}
	})
}

// The only class that was learned is the less probable for a document the more of its terms are
// new, and never surer than (n+1)/(n+2). Frequent questions, which read terms from a cache, get
// the same answer.
func TestHowUsualForTheOnlyClass(t *testing.T) {
	t.Parallel()
	eachModel(t, func(t *testing.T, c *Classifier) {
		train(t, c, "a", "one two three", "one two four", "one three five")
		for _, question := range []struct {
			text string
			odds float64
		}{ // terms occur 9 times, 2 of them only there: μ = 3/10
			{"one", 4}, {"one two three four six", 4}, {"", 4},
			{"one six", 1 + 3*math.Exp(1-.5/.3)}, {"six seven", 1 + 3*math.Exp(1-1/.3)},
		} {
			for range 3 {
				r := ask(t, c, question.text)
				if math.Abs(r.LogOdds-math.Log(question.odds)) > 1e-15 || math.Abs(r.Probability-question.odds/(question.odds+1)) > 1e-15 || r.Reason != decision.OneClass {
					t.Errorf("%q: got %+v, want odds %v", question.text, r, question.odds)
				}
			}
		}
	})
}

// The answers are ordered, sum to 1, and their explanations add up to their
// log-odds, with two classes and with many.
func TestExplanationAddsUp(t *testing.T) {
	raced.Skip(t)
	t.Parallel()
	eachModel(t, func(t *testing.T, c *Classifier) {
		for i := range 60 {
			train(t, c, fmt.Sprintf("class%d", i%5), fmt.Sprintf("word%d word%d word%d common common", i%7, i%11, i%5))
			if i < 2 {
				continue
			}
			doc := c.Document([]byte(fmt.Sprintf("word%d word%d common common unknown", i%5, i%3)))
			e, err := c.Explain(ctx, doc)
			if err != nil {
				t.Fatal(err)
			}
			r, _ := c.Classify(ctx, doc)
			if r.LogOdds != e.LogOdds || e.Unknown != 1 || len(e.Terms) != e.Result.Terms {
				t.Fatalf("explained %+v, answered %+v", e, r)
			}
			sum := e.Prior.LogOdds + e.Length.LogOdds + e.Recent.LogOdds - e.Spread
			for _, term := range e.Terms {
				sum += term.LogOdds
			}
			if math.Abs(sum-r.LogOdds) > 1e-9*(1+math.Abs(sum)) {
				t.Errorf("the parts of %d add up to %v, the log-odds are %v", i, sum, r.LogOdds)
			}
			total := 0.0
			for k, p := range r.Posterior {
				total += p.Probability
				if want := math.Log(p.Probability / (1 - p.Probability)); len(r.Posterior) > 1 && math.Abs(p.LogOdds-want) > 1e-6*(1+math.Abs(want)) {
					t.Errorf("log-odds %v of probability %v", p.LogOdds, p.Probability)
				}
				if k > 0 && p.LogOdds > r.Posterior[k-1].LogOdds {
					t.Errorf("posterior out of order: %v", r.Posterior)
				}
			}
			if math.Abs(total-1) > 1e-12 {
				t.Errorf("the posterior sums to %v", total)
			}
		}
	})
}

// The answers do not depend on the order and grouping of training, to the bit.
// The DCM is fitted at times that do; with the same fits it must agree too.
func TestOrderOfTraining(t *testing.T) {
	t.Parallel()
	texts := map[string]string{}
	for i := range 60 {
		texts[fmt.Sprintf("word%d word%d word%d same same same", i%7, i%13, i)] = []string{"x", "y", "z"}[i%3]
	}
	var keys []string
	for text := range texts {
		keys = append(keys, text)
	}
	slices.Sort(keys)
	var answers [][]Result
	for _, step := range []int{1, 7, 13} {
		path := filepath.Join(t.TempDir(), "test.polya")
		c := openTest(t, path, Options{})
		for i := 0; i < len(keys); {
			b := new(Batch)
			for range step {
				text := keys[i*step%len(keys)]
				if err := b.Train(texts[text], c.Document([]byte(text))); err != nil {
					t.Fatal(err)
				}
				if i++; i == len(keys) {
					break
				}
			}
			if _, err := c.Apply(ctx, b); err != nil {
				t.Fatal(err)
			}
		}
		// What was calibrated last depends on when that was.
		if _, err := c.Calibrate(ctx, 0, model.Bernoulli{}); err != nil {
			t.Fatal(err)
		}
		var all []Result
		for _, m := range []Model{Auto{}, model.Multinomial{}, model.Bernoulli{}, model.DCM{Fits: []float64{10, 20, 30}}} {
			c.options.Model, c.prepared = m, nil
			for _, text := range keys[:20] {
				all = append(all, ask(t, c, text+" word5 word6"))
			}
		}
		answers = append(answers, all)
	}
	for i := range answers[0] {
		for _, other := range answers[1:] {
			if !slices.Equal(other[i].Posterior, answers[0][i].Posterior) {
				t.Errorf("answer %d: %v and %v", i, other[i].Posterior, answers[0][i].Posterior)
			}
		}
	}
}

// A DCM is fitted to the counts when it is first asked, and again when they have changed by more
// than a twentieth, or are calibrated.
func TestRefit(t *testing.T) {
	t.Parallel()
	c := openTest(t, filepath.Join(t.TempDir(), "test.polya"), Options{Model: model.DCM{}, Fitting: FitByHand})
	text := func(i int) string { return fmt.Sprintf("common common common word%d word%d word%d", i%17, i%17, i) }
	exact := func() map[count.ClassID]float64 {
		var fits map[count.ClassID]float64
		if err := c.Store().View(func(s *store.Snapshot) error { fits = fitDCM(s); return nil }); err != nil {
			t.Fatal(err)
		}
		return fits
	}
	fitted := 0
	for i := range 250 {
		train(t, c, []string{"a", "b"}[i%2], text(i))
		before := c.dcm.documents
		ask(t, c, text(i))
		if c.dcm.documents != before {
			fitted++
			if c.dcm.documents != uint64(i+1) || !maps.Equal(c.dcm.of, exact()) {
				t.Fatalf("after %d documents: %+v, want %v", i+1, c.dcm.of, exact())
			}
		} else if 1.05*float64(before) < float64(i+1) {
			t.Fatalf("with %d documents the fit is of %d", i+1, before)
		}
	}
	if fitted > 80 || len(c.dcm.of) != 2 {
		t.Errorf("fitted %d times in 250 trainings: %v", fitted, c.dcm.of)
	}
	calibrated(t, c)
	if c.dcm.documents != 250 {
		t.Errorf("calibrated with the fit of %d documents", c.dcm.documents)
	}
}

// A fit reads the rows of repeated terms and the frequencies alone, which is what all
// rows say.
func TestFitDCM(t *testing.T) {
	raced.Skip(t)
	t.Parallel()
	c := openTest(t, filepath.Join(t.TempDir(), "test.polya"), Options{})
	for i := range 200 {
		train(t, c, []string{"a", "b"}[i%2], fmt.Sprintf("w%d w%d w%d common %s", i%5, i%5, i%31, strings.Repeat("more ", i%7)))
	}
	err := c.Store().View(func(s *store.Snapshot) error {
		got := fitDCM(s)
		rows := make([]model.Histograms, 2)
		err := s.Scan(true, func(_ []byte, cells []count.Cell) error {
			for _, cell := range cells {
				rows[cell.Class].Add(cell)
			}
			return nil
		})
		for i, class := range s.Classes() {
			want := model.FitDCM(class, &rows[i], s.Vocabulary(), model.DefaultDCMEpsilon)
			if got[class.ID] != want || want == 0 {
				t.Errorf("class %d: %v, want %v", i, got[class.ID], want)
			}
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// Trainers and readers at once, each answer from a whole state.
func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	c := openTest(t, filepath.Join(t.TempDir(), "test.polya"), Options{})
	train(t, c, "a", "start")
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for i := range 25 {
				doc := c.Document([]byte(fmt.Sprintf("text%d of %d", i, g)))
				if _, err := c.Train(ctx, []string{"a", "b"}[g%2], doc); err != nil {
					t.Error(err)
				}
				if i%5 == 4 {
					if _, err := c.Forget(ctx, doc); err != nil {
						t.Error(err)
					}
				}
			}
		})
		wg.Go(func() {
			for range 100 {
				r, err := c.Classify(ctx, c.Document([]byte("start text1 text2 of 3")))
				if err != nil || math.IsNaN(r.LogOdds) {
					t.Error(r, err)
				}
			}
		})
	}
	wg.Wait()
	err := c.Store().View(func(s *store.Snapshot) error {
		if n := s.Documents(); n != 1+4*20 {
			t.Errorf("%d documents, want 81", n)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestContextAndOptions(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "test.polya")
	c := openTest(t, path, Options{Analyzer: "polya-7 min=3"})
	gone, cancel := context.WithCancel(ctx)
	cancel()
	doc := c.Document([]byte("some words"))
	if _, err := c.Train(gone, "a", doc); !errors.Is(err, context.Canceled) {
		t.Errorf("training after the end of the context: %v", err)
	}
	if _, err := c.Classify(gone, doc); !errors.Is(err, context.Canceled) {
		t.Errorf("classifying after the end of the context: %v", err)
	}
	train(t, c, "a", "some words")
	c.Close()
	var analyzer *store.AnalyzerError
	if _, err := Open(path, Options{Analyzer: tokenize.DefaultSpec}); !errors.As(err, &analyzer) {
		t.Errorf("opening with another analyzer: %v", err)
	}
	if _, err := Open(path, Options{Analyzer: "nonsense"}); err == nil {
		t.Error("opening with a nonsensical analyzer succeeded")
	}
	again := openTest(t, path, Options{Store: store.Options{ReadOnly: true}})
	if again.Analyzer().Spec() != c.Analyzer().Spec() {
		t.Errorf("the analyzer is %q, was %q", again.Analyzer().Spec(), c.Analyzer().Spec())
	}
	if _, err := again.Train(ctx, "a", doc); !errors.Is(err, store.ErrReadOnly) {
		t.Errorf("training read-only: %v", err)
	}
	if _, err := ParseModel("svm"); err == nil {
		t.Error("there is a model called svm")
	}
}

// The answer is unsure below the threshold.
func TestThreshold(t *testing.T) {
	t.Parallel()
	c := openTest(t, filepath.Join(t.TempDir(), "test.polya"), Options{Threshold: 0.8})
	train(t, c, "a", "one two", "shared x")
	train(t, c, "b", "three four", "shared y")
	if r := ask(t, c, "shared"); !r.Unsure {
		t.Errorf("%+v is sure", r)
	}
	if r := ask(t, c, "one two one two"); r.Unsure || r.Class != "a" {
		t.Errorf("%+v is unsure or wrong", r)
	}
}
