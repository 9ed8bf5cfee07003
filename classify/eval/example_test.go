package eval_test

import (
	"fmt"
	"log"
	"slices"

	"github.com/polya-classifier/polya/classify/eval"
)

// spamminess are seven messages, what they are and how probable spam was.
var spamminess = []struct {
	id   string
	spam bool
	p    float64
}{
	{"m1", true, .99}, {"m2", true, .8}, {"m3", false, .7}, {"m4", true, .6},
	{"m5", false, .3}, {"m6", false, .1}, {"m7", false, .02},
}

func results() *eval.Results {
	r := &eval.Results{Classes: []string{"ham", "spam"}}
	for _, m := range spamminess {
		a := eval.Answer{ID: m.id, Posterior: []float64{1 - m.p, m.p}}
		if m.spam {
			a.Class = 1
		}
		a.Said = slices.Index(a.Posterior, slices.Max(a.Posterior))
		if err := r.Add(a); err != nil {
			log.Fatal(err)
		}
	}
	return r
}

func Example() {
	r := results()
	const spam = 1
	c := r.Confusion()
	fmt.Println(c.Counts)
	fmt.Printf("accuracy %.3f, macro F1 %.3f\n", c.Accuracy(), c.MacroF1())
	fmt.Printf("spam: precision %.3f, recall %.3f\n", c.Of(spam).Precision(), c.Of(spam).Recall())
	fmt.Printf("log loss %.3f, Brier score %.3f, ECE %.3f\n", r.LogLoss(), r.Brier(), r.ECE())
	fmt.Printf("1-ROCA %.2f %%, LAM %.2f %%\n", r.ROC(spam).OneMinusROCAPercent(), c.LAMPercent(spam))
	// Output:
	// [[3 1] [0 3]]
	// accuracy 0.857, macro F1 0.857
	// spam: precision 0.750, recall 1.000
	// log loss 0.347, Brier score 0.226, ECE 0.161
	// 1-ROCA 8.33 %, LAM 19.84 %
}

func ExampleROC_MissedAt() {
	roc := results().ROC(1)
	for _, x := range []float64{0, .25} {
		missed, at := roc.MissedAt(x)
		fmt.Printf("at %.0f %% false alarms %.0f %% of the spam is missed: call spam from log-odds %.2f\n", 100*x, 100*missed, at.Threshold)
	}
	// Output:
	// at 0 % false alarms 33 % of the spam is missed: call spam from log-odds 1.39
	// at 25 % false alarms 0 % of the spam is missed: call spam from log-odds 0.41
}

func ExampleReliability() {
	for _, bin := range results().Reliability(4)[2:] {
		fmt.Printf("(%.1f, %.1f]: said %.2f, was %.2f of %d\n", bin.Low, bin.High, bin.Probability, bin.Frequency, bin.Docs)
	}
	// Output:
	// (0.5, 0.8]: said 0.67, was 0.67 of 3
	// (0.8, 1.0]: said 0.92, was 1.00 of 4
}

func ExampleBootstrap() {
	right := []float64{1, 1, 0, 1, 1, 0, 1, 1, 1, 1}
	accuracy := eval.Bootstrap(1, right)[0]
	fmt.Printf("accuracy %.2f (%.2f to %.2f)\n", accuracy.Value, accuracy.Low, accuracy.High)
	// Output:
	// accuracy 0.80 (0.50 to 1.00)
}

func ExampleMcNemar() {
	m := eval.McNemar{OnlyA: 10, OnlyB: 3}
	fmt.Printf("p %.3f\n", m.P())
	// Output:
	// p 0.092
}

func ExampleFolds() {
	ids := []string{"m1", "m2", "m3", "m4", "m5", "m6"}
	classes := []string{"ham", "spam", "ham", "spam", "ham", "ham"}
	for i, fold := range eval.Folds(ids, classes, 2, 1) {
		fmt.Println(ids[i], classes[i], fold)
	}
	// Output:
	// m1 ham 1
	// m2 spam 1
	// m3 ham 1
	// m4 spam 0
	// m5 ham 0
	// m6 ham 0
}
