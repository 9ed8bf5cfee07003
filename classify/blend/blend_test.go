package blend

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/polya-classifier/polya/classify"
)

// says is a posterior of two classes with that probability of the first.
func says(p float64) []classify.ClassProbability {
	odds := math.Log(p) - math.Log1p(-p)
	return []classify.ClassProbability{{Class: "ham", Probability: p, LogOdds: odds}, {Class: "spam", Probability: 1 - p, LogOdds: -odds}}
}

// TestPrior checks that without evidence the posterior is the base's.
func TestPrior(t *testing.T) {
	t.Parallel()
	for _, p := range []float64{1e-12, .3, .5, .999} {
		got, _ := Prior().Posterior(says(p), says(.9))
		if math.Abs(got[0].Probability-p) > 1e-12 || math.Abs(got[0].LogOdds-says(p)[0].LogOdds) > 1e-4*(1+math.Abs(says(p)[0].LogOdds)) {
			t.Errorf("%v: %+v", p, got)
		}
	}
	if w := Fit(nil); w.Base != 1 || w.Own != 0 {
		t.Errorf("%+v", w)
	}
}

// TestFit holds that the weights go to whoever is right, the more cases there are.
func TestFit(t *testing.T) {
	t.Parallel()
	var cases []Case
	last := 0.0
	for n := range 100 {
		cases = append(cases, Case{"ham", says(.2), says(.9)}, Case{"spam", says(.7), says(.15)})
		if n%10 != 9 {
			continue
		}
		w := Fit(cases)
		got, _ := w.Posterior(says(.2), says(.9))
		if got[0].Probability < last {
			t.Errorf("%d cases: %+v: ham has %v, and had %v with fewer", len(cases), w, got[0].Probability, last)
		}
		last = got[0].Probability
	}
	if w := Fit(cases); last < .95 || w.Own < 1 || w.Base > .5 || w.Documents != 200 {
		t.Errorf("%+v: ham has %v", w, last)
	}
	// Where the base is right, it stays as it is.
	cases = nil
	for range 50 {
		cases = append(cases, Case{"ham", says(.99), says(.5)}, Case{"spam", says(.01), says(.5)})
	}
	w := Fit(cases)
	if got, _ := w.Posterior(says(.99), says(.5)); got[0].Probability < .985 || w.Own != 0 {
		t.Errorf("%+v: ham has %v", w, got[0].Probability)
	}
}

// TestClasses holds that a class which one of them does not know is neither likely nor
// impossible to it.
func TestClasses(t *testing.T) {
	t.Parallel()
	own := []classify.ClassProbability{{Class: "kids", Probability: 1, LogOdds: math.Inf(1)}}
	got, _ := Prior().Posterior(says(.9), own)
	if len(got) != 3 || got[1].Class != "kids" || math.Abs(got[1].Probability-1./3) > 1e-9 || math.Abs(got[0].Probability-.6) > 1e-9 {
		t.Errorf("%+v", got)
	}
	if got, _ := Prior().Posterior(nil, says(.9)); math.Abs(got[0].Probability-.5) > 1e-9 {
		t.Errorf("without a base: %+v", got)
	}
}

// TestLearn holds that who files a word otherwise than the base is answered so after some
// documents, and that the rest stays as the base has it.
func TestLearn(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	open := func() *classify.Classifier {
		c, err := classify.OpenMemory(nil, classify.Options{Fitting: classify.FitByHand})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		return c
	}
	base, own := open(), open()
	for i := range 60 {
		base.Train(ctx, "ham", base.Document(fmt.Appendf(nil, "minutes meeting agenda number%d", i)))
		base.Train(ctx, "spam", base.Document(fmt.Appendf(nil, "newsletter offer shop number%d", i)))
		base.Train(ctx, "spam", base.Document(fmt.Appendf(nil, "pills casino winner number%d", i)))
	}
	if err := base.Refit(ctx); err != nil {
		t.Fatal(err)
	}
	ask := func(w Weights, text string) float64 {
		doc := base.Document([]byte(text))
		b, err := base.Classify(ctx, doc)
		if err != nil {
			t.Fatal(err)
		}
		o, _ := own.Classify(ctx, doc)
		p, _ := w.Posterior(b.Posterior, o.Posterior)
		return p[0].Probability
	}
	sample, err := Draw(ctx, base, PriorDocuments)
	if err != nil || len(sample) < PriorDocuments/2 || len(sample) > 2*PriorDocuments {
		t.Fatalf("%d documents, %v", len(sample), err)
	}
	w, err := Learn(ctx, base, own, 1000, sample)
	if err != nil || w.Base != 1 || w.Own != 0 {
		t.Errorf("%+v, %v", w, err)
	}
	for i := range 30 {
		own.Train(ctx, "ham", own.Document(fmt.Appendf(nil, "newsletter offer shop week%d", i)))
		if i%2 == 0 {
			own.Train(ctx, "spam", own.Document(fmt.Appendf(nil, "pills casino winner week%d", i)))
		}
	}
	if err := own.Refit(ctx); err != nil {
		t.Fatal(err)
	}
	if w, err = Learn(ctx, base, own, 1000, sample); err != nil || w.Documents != 45 {
		t.Fatalf("%+v, %v", w, err)
	}
	if p := ask(w, "newsletter offer shop again"); p < .9 {
		t.Errorf("%+v: what the user files as ham has %v", w, p)
	}
	if p := ask(w, "pills casino winner again"); p > .1 {
		t.Errorf("%+v: what both take for spam has %v of ham", w, p)
	}
	if p := ask(w, "minutes meeting agenda again"); p < .5 {
		t.Errorf("%+v: what the base alone knows has %v", w, p)
	}
}

// Who has learned one class alone says nothing, however many documents it has.
func TestOneClass(t *testing.T) {
	t.Parallel()
	one := []classify.ClassProbability{{Class: "spam", Probability: .999, LogOdds: math.Log(999)}}
	base := says(.2)
	got, _ := Weights{Base: 1, Own: 1}.Posterior(base, one)
	for i, want := range base {
		if math.Abs(got[i].Probability-want.Probability) > 1e-12 {
			t.Errorf("%+v, want %+v", got, base)
		}
	}
}
