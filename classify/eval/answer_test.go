package eval

import (
	"math"
	"strings"
	"testing"
)

func TestNoDocuments(t *testing.T) {
	for _, r := range []*Results{new(Results), &Results{Classes: []string{"ham", "spam"}}} {
		for name, measure := range map[string]func(*Results) float64{
			"accuracy": func(r *Results) float64 { return r.Confusion().Accuracy() }, "macro F1": func(r *Results) float64 { return r.Confusion().MacroF1() },
			"log loss": (*Results).LogLoss, "Brier score": (*Results).Brier, "ECE": (*Results).ECE,
		} {
			near(t, name, measure(r), math.NaN())
		}
	}
	var c ROC
	near(t, "area", area(c), math.NaN())
	r := &Results{Classes: []string{"ham", "spam"}}
	near(t, "LAM", r.Confusion().LAMPercent(1), math.NaN())
}

func TestOneClass(t *testing.T) {
	r := &Results{Classes: []string{"only"}}
	add(t, r, 0, 1)
	near(t, "accuracy", r.Confusion().Accuracy(), 1)
	near(t, "macro F1", r.Confusion().MacroF1(), 1)
	near(t, "log loss", r.LogLoss(), 0)
	near(t, "Brier score", r.Brier(), 0)
	near(t, "ECE", r.ECE(), 0)
	c := r.ROC(0)
	near(t, "area without negatives", area(c), math.NaN())
	near(t, "1-ROCA % without negatives", c.OneMinusROCAPercent(), math.NaN())
	rate, _ := c.MissedAt(.1)
	near(t, "missed without negatives", rate, math.NaN())
	near(t, "LAM without negatives", r.Confusion().LAMPercent(0), math.NaN())
}

func TestAddRefuses(t *testing.T) {
	for _, test := range []struct {
		posterior, logOdds []float64
		want               string
	}{
		{[]float64{math.NaN(), 1}, nil, `probability of class "ham" is NaN`},
		{[]float64{-.1, 1.1}, nil, `probability of class "ham" is -0.1`},
		{[]float64{0, math.Inf(1)}, nil, `probability of class "spam" is +Inf`},
		{[]float64{.5, .4}, nil, "probabilities sum to 0.9"},
		{[]float64{.5, .5}, []float64{0, math.NaN()}, `log-odds of class "spam" is NaN`},
	} {
		r := &Results{Classes: []string{"ham", "spam"}}
		err := r.Add(Answer{ID: "x", Posterior: test.posterior, LogOdds: test.logOdds})
		if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), `document "x"`) {
			t.Errorf("%v %v: %v, want %s", test.posterior, test.logOdds, err, test.want)
		}
		if len(r.Answers) != 0 {
			t.Errorf("%v: added", test.posterior)
		}
	}
}

func TestPanics(t *testing.T) {
	r := &Results{Classes: []string{"ham", "spam"}}
	add(t, r, 1, 0, 1)
	for name, f := range map[string]func(){
		"class out of range":  func() { r.Add(Answer{Class: 2, Posterior: []float64{1, 0}}) },
		"said out of range":   func() { r.Add(Answer{Said: -2, Posterior: []float64{1, 0}}) },
		"too many numbers":    func() { r.Add(Answer{Posterior: []float64{0, 0, 1}}) },
		"no bins":             func() { r.Reliability(0) },
		"false-positive rate": func() { r.ROC(0).MissedAt(math.NaN()) },
		"one fold":            func() { Folds([]string{"a"}, []int{0}, 1, 0) },
		"lengths of folds":    func() { Folds([]string{"a"}, []int{}, 2, 0) },
		"sizes":               func() { LogSizes(0, 1, 1) },
	} {
		func() {
			defer func() {
				message, ok := recover().(string)
				if !ok || !strings.HasPrefix(message, "eval: ") {
					t.Errorf("%s: %v", name, message)
				}
			}()
			f()
		}()
	}
}

func TestCounts(t *testing.T) {
	r := &Results{Classes: []string{"ham", "spam"}}
	for _, a := range []Answer{{Class: 0, Said: 0}, {Class: 0, Said: 0, Unsure: true}, {Class: 1, Said: 1}, {Class: 1, Said: 0}} {
		a.Posterior = []float64{.5, .5}
		if err := r.Add(a); err != nil {
			t.Fatal(err)
		}
	}
	c := r.Confusion()
	near(t, "accuracy", c.Accuracy(), .75)
	near(t, "precision of ham", c.Of(0).Precision(), 2./3)
	near(t, "recall of ham", c.Of(0).Recall(), 1)
	near(t, "precision of spam", c.Of(1).Precision(), 1)
	if c.All().Docs != 4 || c.All().Right != 3 || c.Of(0).Docs != 2 || c.Of(0).Said != 3 {
		t.Errorf("%+v: docs %d, right %d, support %d, said %d", c, c.All().Docs, c.All().Right, c.Of(0).Docs, c.Of(0).Said)
	}
}
