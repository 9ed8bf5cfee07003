package classify

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/polya-classifier/polya/classify/decision"
	"github.com/polya-classifier/polya/classify/model"
)

// An empty document and one of unknown terms get the prior in full, whatever the model, raw or
// calibrated.
func TestNothingKnownGivesThePrior(t *testing.T) {
	t.Parallel()
	for _, o := range []Options{{}, {Raw: true}} {
		c := taught(t, 60, o)
		calibrated(t, c)
		texts := []string{"", "unknown and nowhere"}
		for _, m := range explained() {
			c.options.Model, c.prepared = m, nil
			for _, text := range texts {
				r := ask(t, c, text)
				if r.Terms != 0 || !r.Unsure || r.Reason != decision.NoKnownTerm {
					t.Errorf("%s, %q: %+v", m.Name(), text, r)
				}
				for class, docs := range map[string]float64{"m": 24, "z": 24, "a": 12} {
					if p := (docs + 1) / 63; !near(r.ProbabilityOf(class), p, 1e-12) {
						t.Errorf("%s, %q: class %s has %v, want %v", m.Name(), text, class, r.ProbabilityOf(class), p)
					}
				}
			}
		}
	}
}

// answersOf returns the answers of models, each in a Classifier of its own of c's database.
func answersOf(t *testing.T, c *Classifier, doc Document, models ...Model) (all []Result) {
	t.Helper()
	for _, m := range models {
		with, err := c.WithModel(m)
		if err != nil {
			t.Fatal(err)
		}
		r, err := with.Classify(ctx, doc)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, r)
	}
	return all
}

// Asking, training, calibrating and explaining at the same time: every answer is
// one, and at the end it is that of a database which learned the same one after
// the other.
func TestAskWhileTraining(t *testing.T) {
	t.Parallel()
	const n = 120
	classes, texts := lessons(n)
	c := openTest(t, filepath.Join(t.TempDir(), "test.polya"), Options{})
	learn(t, c, numbers(20), 5, classes, texts)
	all := []*Classifier{c}
	for _, m := range []Model{model.DCM{}, model.Multinomial{}} {
		with, err := c.WithModel(m)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, with)
	}
	var trainers, readers sync.WaitGroup
	done := make(chan struct{})
	for g := range 2 {
		trainers.Go(func() {
			for i := 20 + g; i < n; i += 2 {
				if _, err := c.Train(ctx, classes[i], c.Document([]byte(texts[i]))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	trainers.Go(func() {
		for i := range 6 {
			if _, err := c.Calibrate(ctx, 0, model.Complement{}); err != nil {
				t.Error(err)
			}
			if err := c.Refit(ctx); err != nil {
				t.Error(err)
			}
			if k, err := c.Calibration(); i > 0 && k == nil || err != nil {
				t.Errorf("%v, %v", k, err)
			}
		}
	})
	for g := range 2 {
		readers.Go(func() {
			for i := g; ; i++ {
				doc := c.Document([]byte(texts[i%n]))
				for _, with := range all {
					r, err := with.Classify(ctx, doc)
					if err != nil {
						t.Error(err)
						return
					}
					sum := 0.
					for _, p := range r.Posterior {
						sum += p.Probability
					}
					if !near(sum, 1, 1e-12) || len(r.Posterior) != 3 {
						t.Errorf("%+v", r)
					}
				}
				e, err := c.Explain(ctx, doc)
				if err != nil {
					t.Error(err)
					return
				}
				checkParts(t, fmt.Sprint("document ", i%n), e)
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	trainers.Wait()
	close(done)
	readers.Wait()
	calibrated(t, c)
	other := openTest(t, filepath.Join(t.TempDir(), "test.polya"), Options{})
	learn(t, other, numbers(n), n, classes, texts)
	calibrated(t, other)
	for _, text := range texts[:20] {
		got, want := ask(t, c, text+" m1 z2"), ask(t, other, text+" m1 z2")
		if !slices.Equal(got.Posterior, want.Posterior) || math.IsNaN(got.Probability) {
			t.Errorf("%q: %v, want %v", text, got.Posterior, want.Posterior)
		}
	}
}

// ProbabilityOf returns the probability of class, 0 if it has no documents.
func (r *Result) ProbabilityOf(class string) float64 {
	for _, p := range r.Posterior {
		if p.Class == class {
			return p.Probability
		}
	}
	return 0
}
