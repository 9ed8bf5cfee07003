package blend

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"testing"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/decision"
)

// says is a posterior of two classes with that probability of the first.
func says(p float64) []classify.ClassProbability {
	odds := math.Log(p) - math.Log1p(-p)
	return []classify.ClassProbability{{Class: "ham", Probability: p, LogOdds: odds}, {Class: "spam", Probability: 1 - p, LogOdds: -odds}}
}

// Documents of one class, and few of the other, leave the sum alone, whatever it says of them.
func TestOneSided(t *testing.T) {
	t.Parallel()
	var cases []Case
	for range 100 {
		cases = append(cases, Case{"ham", says(.01), says(.99)})
	}
	for n := range least {
		if w := Fit(cases); w != (classify.Weights{Sum: 1}) {
			t.Errorf("with %d of the other class: %+v", n, w)
		}
		cases = append(cases, Case{"spam", says(.99), says(.01)})
	}
	if w := Fit(nil); w != (classify.Weights{Sum: 1}) {
		t.Errorf("without documents: %+v", w)
	}
}

// A user who disagrees with the base about everything is answered as he taught, from few
// documents on; one who agrees keeps the sum.
func TestFit(t *testing.T) {
	t.Parallel()
	for _, n := range []int{3, 10, 100} {
		var wrong, right []Case
		for range n {
			wrong = append(wrong, Case{"ham", says(.05), says(.8)}, Case{"spam", says(.95), says(.2)})
			right = append(right, Case{"ham", says(.99), says(.5)}, Case{"spam", says(.01), says(.5)})
		}
		if w := Fit(wrong); w.Sum > w.Own/4 {
			t.Errorf("%d documents that he files otherwise: %+v", n, w)
		}
		if w := Fit(right); w.Sum < 2*w.Own {
			t.Errorf("%d documents that he files as the base: %+v", n, w)
		}
	}
}

func open(t *testing.T, o classify.Options) *classify.Classifier {
	t.Helper()
	o.Fitting = classify.FitByHand
	c, err := classify.OpenMemory(nil, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func train(t *testing.T, c *classify.Classifier, class, text string) {
	t.Helper()
	if _, err := c.Train(context.Background(), class, c.Document([]byte(text))); err != nil {
		t.Fatal(err)
	}
}

// words is a message of a kind with some words of its own.
func words(kind string, i int) string {
	return fmt.Sprintf("%s number%d of%d today%d", kind, i, i*7%31, i%5)
}

const (
	work   = "minutes meeting agenda report"
	casino = "pills casino winner bonus"
	shop   = "newsletter offer shop discount"
)

// rescued is a newsletter that looks like spam, with words of its own.
func rescued(i int) string {
	return fmt.Sprintf("%s composers quartet rehearsal season tickets programme choir strings week%d", shop, i)
}

// base has learned work as ham, and casinos and shops as spam.
func base(t *testing.T) *classify.Classifier {
	c := open(t, classify.Options{Decision: decision.Filter{Positive: "spam"}})
	for i := range 200 {
		train(t, c, "ham", words(work, i))
		if i%2 == 0 {
			train(t, c, "spam", words(casino, i))
		} else {
			train(t, c, "spam", words(shop, i))
		}
	}
	if err := c.Refit(context.Background()); err != nil {
		t.Fatal(err)
	}
	return c
}

func view(t *testing.T, base, own *classify.Classifier) *classify.View {
	t.Helper()
	v, err := classify.NewView(base, own)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// learn fits the weights as a server does.
func learn(t *testing.T, v *classify.View, own *classify.Classifier) {
	t.Helper()
	ctx := context.Background()
	if err := own.Refit(ctx); err != nil {
		t.Fatal(err)
	}
	w, err := Learn(ctx, v, 1000)
	if err != nil {
		t.Fatal(err)
	}
	v.Weigh(w)
}

func ask(t *testing.T, v *classify.View, c *classify.Classifier, text string) classify.Result {
	t.Helper()
	r, err := v.Classify(context.Background(), c.Document([]byte(text)))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Rescuing false positives changes the answers to their like, at the next question, and leaves
// the filter on.
func TestRescues(t *testing.T) {
	t.Parallel()
	b, own := base(t), open(t, classify.Options{})
	v := view(t, b, own)
	for i := range 10 {
		train(t, own, "ham", rescued(i))
		if i != 2 && i != 9 {
			continue
		}
		for range 2 { // at once, and after a fit
			if r := ask(t, v, b, rescued(77)); r.Class != "ham" || r.Unsure {
				t.Errorf("after %d lessons its like is %s, %v (%v)", i+1, r.Class, r.Probability, r.Reason)
			}
			for k := range 20 {
				if r := ask(t, v, b, words(casino, 1000+k)); r.Class != "spam" || r.Unsure {
					t.Errorf("after %d lessons other spam is %s, %v (%v)", i+1, r.Class, r.Probability, r.Reason)
				}
				if r := ask(t, v, b, words(work, 1000+k)); r.Class != "ham" || r.Unsure {
					t.Errorf("after %d lessons ham is %s, %v (%v)", i+1, r.Class, r.Probability, r.Reason)
				}
			}
			learn(t, v, own)
		}
	}
}

// A lesson taken back leaves no trace.
func TestForget(t *testing.T) {
	t.Parallel()
	b, own := base(t), open(t, classify.Options{})
	v := view(t, b, own)
	train(t, own, "ham", work+" kept")
	text := rescued(1)
	before := ask(t, v, b, text)
	train(t, own, "ham", text)
	if after := ask(t, v, b, text); after.Class == before.Class && after.LogOdds >= before.LogOdds {
		t.Errorf("the lesson does not count: %+v, before %+v", after, before)
	}
	if _, err := own.Forget(context.Background(), own.Document([]byte(text))); err != nil {
		t.Fatal(err)
	}
	if after := ask(t, v, b, text); !reflect.DeepEqual(after, before) {
		t.Errorf("%+v, want %+v", after, before)
	}
	// Without any lesson the base answers.
	if _, err := own.Forget(context.Background(), own.Document([]byte(work+" kept"))); err != nil {
		t.Fatal(err)
	}
	want, err := b.Classify(context.Background(), b.Document([]byte(text)))
	if err != nil {
		t.Fatal(err)
	}
	if got := ask(t, v, b, text); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// Who takes ham for spam and spam for ham is answered so.
func TestDisagrees(t *testing.T) {
	t.Parallel()
	b, own := base(t), open(t, classify.Options{})
	v := view(t, b, own)
	for i := range 5 {
		train(t, own, "spam", words(work, 500+i))
		train(t, own, "ham", words(casino, 500+i))
	}
	learn(t, v, own)
	for i := range 20 {
		if r := ask(t, v, b, words(work, 1000+i)); r.Class != "spam" {
			t.Errorf("%+v", r)
		}
		if r := ask(t, v, b, words(casino, 1000+i)); r.Class != "ham" {
			t.Errorf("%+v", r)
		}
	}
	e, err := v.Explain(context.Background(), b.Document([]byte(words(work, 1001))))
	if err != nil || e.Class != "spam" || len(e.Terms) == 0 || e.Terms[0].LogOdds <= 0 {
		t.Errorf("%+v, %v", e, err)
	}
}

// A class that the base has never seen is answered from a user's lessons, and the base's own
// stay.
func TestOwnClass(t *testing.T) {
	t.Parallel()
	b, own := base(t), open(t, classify.Options{})
	v := view(t, b, own)
	for _, class := range []string{"kids", "art"} {
		for i := range 5 {
			train(t, own, class, words("school teacher homework"[:6*len(class)-12]+class, i))
		}
	}
	for range 2 {
		for _, class := range []string{"kids", "art"} {
			if r := ask(t, v, b, words("school teacher homework"[:6*len(class)-12]+class, 100)); r.Posterior[0].Class != class {
				t.Errorf("%+v, want %s", r, class)
			}
		}
		if r := ask(t, v, b, words(casino, 1000)); r.Class != "spam" {
			t.Errorf("%+v", r)
		}
		if r := ask(t, v, b, words(work, 1000)); r.Posterior[0].Class != "ham" {
			t.Errorf("%+v", r)
		}
		learn(t, v, own)
	}
	classes, err := v.Classes()
	if err != nil || len(classes) != 4 || classes[0].Name != "art" || classes[0].Docs != 5 || classes[1].Docs != 200 {
		t.Errorf("%+v, %v", classes, err)
	}
}

// A base without a calibration is added to as well.
func TestUncalibrated(t *testing.T) {
	t.Parallel()
	b, own := open(t, classify.Options{}), open(t, classify.Options{})
	for i := range 4 {
		train(t, b, "ham", words(work, i))
		train(t, b, "spam", words(shop, i))
	}
	v := view(t, b, own)
	for i := range 3 {
		train(t, own, "ham", rescued(i))
	}
	learn(t, v, own)
	if r := ask(t, v, b, rescued(77)); r.Class != "ham" {
		t.Errorf("%+v", r)
	}
	if r := ask(t, v, b, words(work, 77)); r.Class != "ham" {
		t.Errorf("%+v", r)
	}
	if k, err := v.Calibration(); k != nil || err != nil {
		t.Errorf("%+v, %v", k, err)
	}
}

// Answers with cached terms, and contributions, are of the same sums.
func TestExplains(t *testing.T) {
	t.Parallel()
	b, own := base(t), open(t, classify.Options{})
	v := view(t, b, own)
	for i := range 4 {
		train(t, own, "ham", rescued(i))
	}
	for _, text := range []string{rescued(9), words(casino, 7), "meeting shop pills", "unheard"} {
		doc := b.Document([]byte(text))
		e, err := v.Explain(context.Background(), doc)
		if err != nil {
			t.Fatal(err)
		}
		sum := e.Prior.LogOdds + e.Length.LogOdds + e.Recent.LogOdds - e.Spread
		for _, x := range e.Terms {
			sum += x.LogOdds
		}
		if math.Abs(sum-e.LogOdds) > 1e-9*(1+math.Abs(e.LogOdds)) {
			t.Errorf("%q: contributions add up to %v, want %v", text, sum, e.LogOdds)
		}
		for range 3 {
			r := ask(t, v, b, text)
			if r.Class != e.Class || math.Abs(r.LogOdds-e.LogOdds) > 1e-3*(1+math.Abs(e.LogOdds)) {
				t.Errorf("%q: %v of %s, explained %v of %s", text, r.LogOdds, r.Class, e.LogOdds, e.Class)
			}
		}
	}
}
