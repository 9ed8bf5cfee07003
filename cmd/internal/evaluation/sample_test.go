package evaluation

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/polya-classifier/polya/classify/eval"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/internal/numeric"
)

// sampleReport returns a report on n drawn answers about these classes, by three models of
// falling skill. It is about two classes as about spam, with the last as positive.
func sampleReport(n int, classes ...string) *Report {
	r := &Report{
		Version: Version, Method: MethodHeldOut, Seed: 7, Analyzer: "words of mail, lower case",
		Trained: 3 * n, Tested: n, Copies: 12,
		Notes: []string{"The documents were drawn for a test."},
	}
	for _, name := range classes {
		r.Classes = append(r.Classes, Class{Name: name, Trained: 3 * n / len(classes), Tested: n / len(classes)})
	}
	if len(classes) == 2 {
		r.Positive = classes[1]
	}
	for i, name := range []string{"multinomial", "dcm", "bernoulli", "logistic"} {
		r.Models = append(r.Models, sampleModel(r, name, n, 4-.5*float64(i), uint64(i)))
	}
	r.Models[3].Variance = .0125
	for _, b := range r.Models[1:] {
		m := eval.CompareErrors(r.Models[0].Results, b.Results)
		r.Comparisons = append(r.Comparisons, Comparison{A: r.Models[0].Name, B: b.Name, OnlyA: m.OnlyA, OnlyB: m.OnlyB,
			P: Number(m.P()), Accuracy: around(.01, .02), LogLoss: around(-.04, .01)})
	}
	r.Curve = sampleCurve(r.Models)
	r.Title, r.Facts = "mail", [][2]string{{"date", "2026-01-02 03:04:05 UTC"}, {"version", "polya devel"}, {"command", "polya eval --folds 10 /data/mail"}}
	return r
}

func around(x, d float64) Interval {
	return Interval{Value: Number(x), Low: Number(x - d), High: Number(x + d)}
}

// sampleModel answers n questions: the score of a class is normal around skill if it
// is true, else around 0.
func sampleModel(r *Report, name string, n int, skill float64, seed uint64) *Model {
	var names []string
	for _, c := range r.Classes {
		names = append(names, c.Name)
	}
	random := rand.New(rand.NewPCG(seed, 1))
	results := &eval.Results{Classes: names}
	for i := range n {
		is := i % len(names)
		posterior := make([]float64, len(names))
		var sum float64
		for j := range posterior {
			score := 1.5 * random.NormFloat64()
			if j == is {
				score += skill
			}
			posterior[j] = math.Exp(score)
			sum += posterior[j]
		}
		for j := range posterior {
			posterior[j] /= sum
		}
		if err := results.Add(eval.Answer{ID: fmt.Sprint(i), Class: is, Said: numeric.Top(posterior), Posterior: posterior}); err != nil {
			panic(err)
		}
	}
	return measured(r, name, results)
}

// measured fills a model with what its results tell.
func measured(r *Report, name string, results *eval.Results) *Model {
	c := results.Confusion()
	m := &Model{Name: name, Results: results, Confusion: c.Counts,
		Accuracy: around(c.Accuracy(), .01), LogLoss: around(results.LogLoss(), .02),
		MacroF1: Number(c.MacroF1()), Brier: Number(results.Brier()), ECE: Number(results.ECE()),
		UnsureRate: .125, Reliability: results.Reliability(eval.Bins)}
	for i, class := range c.Classes {
		m.Classes = append(m.Classes, ClassMeasures{Class: class, Support: c.Of(i).Docs,
			Precision: terminal.Share(c.Of(i).Precision()), Recall: terminal.Share(c.Of(i).Recall()), F1: terminal.Share(c.Of(i).F1()),
			OneMinusROCAPercent: Number(results.ROC(i).OneMinusROCAPercent())})
		if class == r.Positive {
			m.Positive = &Positive{OneMinusROCAPercent: Number(results.ROC(i).OneMinusROCAPercent())}
		}
	}
	return m
}

// sampleCurve lets the last model start low and end high.
func sampleCurve(models []*Model) (points []CurvePoint) {
	for _, docs := range eval.LogSizes(10, 6000, 3) {
		p := CurvePoint{Docs: docs}
		for i, m := range models {
			level, rate := .96-.01*float64(i), .25
			if m.Name == "logistic" {
				level, rate = .99, .55
			}
			accuracy := level - rate*math.Pow(float64(docs)/10, -.45)
			p.Models = append(p.Models, CurveValues{Name: m.Name, Accuracy: Number(accuracy)})
		}
		points = append(points, p)
	}
	return points
}
