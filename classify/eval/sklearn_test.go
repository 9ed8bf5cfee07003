package eval

import (
	"fmt"
	"math"
	"reflect"
	"testing"

	"github.com/polya-classifier/polya/internal/numeric"
	"pgregory.net/rapid"
)

// The numbers of this file were printed by scikit-learn 1.2.1:
//
//	import numpy as np
//	from sklearn.metrics import *
//	y = np.array([0, 1, 2, 3, 0, 1, 2, 2, 1, 0, 2, 1])
//	P = np.array([[.7, .1, .1, .1], [.2, .5, .2, .1], [.1, .2, .6, .1], [.4, .3, .2, .1],
//	              [.3, .4, .2, .1], [.05, .9, .03, .02], [.25, .25, .3, .2], [.6, .1, .2, .1],
//	              [.1, .45, .35, .1], [.55, .25, .15, .05], [.02, .03, .94, .01], [.35, .15, .45, .05]])
//	said = P.argmax(1)
//	print(confusion_matrix(y, said).tolist())
//	p, r, f, s = precision_recall_fscore_support(y, said, zero_division=0)
//	print(p.tolist(), r.tolist(), f.tolist(), s.tolist())
//	print(f1_score(y, said, average="macro", zero_division=0))
//	print(accuracy_score(y, said), log_loss(y, P))
//	print(((P - np.eye(4)[y])**2).sum(1).mean())  # scikit-learn's is for two classes
//	for c in range(4):
//	    print(roc_auc_score(y == c, P[:, c]), brier_score_loss(y == c, P[:, c]))
//	t = np.array([1, 0, 1, 1, 0, 0, 1, 0, 0, 1])
//	q = np.array([.9, .1, .8, .35, .4, .35, .999, .8, .02, .6])
//	print(log_loss(t, q), brier_score_loss(t, q), roc_auc_score(t, q))
//	print(log_loss(t, np.where(q > .99, 0, q)))
//	u, v = [0, 0, 1, 1, 2, 2, 2], [1, 2, 1, 1, 2, 1, 2]
//	print(f1_score(u, v, average="macro", zero_division=0))
//	print(*[a.tolist() for a in roc_curve(t, q, drop_intermediate=False)], sep="\n")

const tolerance = 1e-12

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if got != want && !(math.Abs(got-want) <= tolerance) && !(math.IsNaN(got) && math.IsNaN(want)) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// add adds an answer that decides for the most probable class.
func add(t rapid.TB, r *Results, class int, posterior ...float64) {
	t.Helper()
	a := Answer{ID: fmt.Sprint(len(r.Answers)), Class: class, Said: numeric.Top(posterior), Posterior: posterior}
	if err := r.Add(a); err != nil {
		t.Fatal(err)
	}
}

// area returns the area under the curve.
func area(c ROC) float64 { return 1 - c.OneMinusROCAPercent()/100 }

// sklearnFour are y and P.
func sklearnFour(t *testing.T) *Results {
	r := &Results{Classes: []string{"a", "b", "c", "d"}}
	y := []int{0, 1, 2, 3, 0, 1, 2, 2, 1, 0, 2, 1}
	for i, p := range [][]float64{{.7, .1, .1, .1}, {.2, .5, .2, .1}, {.1, .2, .6, .1}, {.4, .3, .2, .1},
		{.3, .4, .2, .1}, {.05, .9, .03, .02}, {.25, .25, .3, .2}, {.6, .1, .2, .1},
		{.1, .45, .35, .1}, {.55, .25, .15, .05}, {.02, .03, .94, .01}, {.35, .15, .45, .05}} {
		add(t, r, y[i], p...)
	}
	return r
}

// sklearnTwo are t and q.
func sklearnTwo(t *testing.T) *Results {
	r := &Results{Classes: []string{"ham", "spam"}}
	truth := []int{1, 0, 1, 1, 0, 0, 1, 0, 0, 1}
	for i, q := range []float64{.9, .1, .8, .35, .4, .35, .999, .8, .02, .6} {
		add(t, r, truth[i], 1-q, q)
	}
	return r
}

func TestSklearnFourClasses(t *testing.T) {
	r := sklearnFour(t)
	c := r.Confusion()
	if want := [][]int{{2, 1, 0, 0}, {0, 3, 1, 0}, {1, 0, 3, 0}, {1, 0, 0, 0}}; !reflect.DeepEqual(c.Counts, want) {
		t.Errorf("confusion is %v, want %v", c.Counts, want)
	}
	precision := []float64{0.5, 0.75, 0.75, 0}
	recall := []float64{0.6666666666666666, 0.75, 0.75, 0}
	f1 := []float64{0.5714285714285715, 0.75, 0.75, 0}
	support := []int{3, 4, 4, 1}
	areas := []float64{0.8518518518518519, 0.84375, 0.828125, 0.6363636363636364}
	squares := []float64{0.12919999999999998, 0.14340833333333333, 0.1476666666666667, 0.07629166666666666}
	var brier float64
	for i, name := range r.Classes {
		near(t, "precision of "+name, c.Of(i).Precision(), precision[i])
		near(t, "recall of "+name, c.Of(i).Recall(), recall[i])
		near(t, "F1 of "+name, c.Of(i).F1(), f1[i])
		if c.Of(i).Docs != support[i] {
			t.Errorf("support of %s is %d, want %d", name, c.Of(i).Docs, support[i])
		}
		near(t, "area of "+name, area(r.ROC(i)), areas[i])
		brier += squares[i]
	}
	near(t, "macro F1", c.MacroF1(), 0.5178571428571429)
	near(t, "accuracy", c.Accuracy(), 0.6666666666666666)
	near(t, "log loss", r.LogLoss(), 0.9451097469649894)
	near(t, "Brier score", r.Brier(), 0.49656666666666677)
	near(t, "Brier score by class", r.Brier(), brier)
}

func TestSklearnTwoClasses(t *testing.T) {
	r := sklearnTwo(t)
	near(t, "log loss", r.LogLoss(), 0.4566761990838179)
	near(t, "Brier score", r.Brier()/2, 0.15654010000000004)
	near(t, "area", area(r.ROC(1)), 0.84)
	near(t, "area of ham", area(r.ROC(0)), 0.84)
	near(t, "1-ROCA %", r.ROC(1).OneMinusROCAPercent(), 16)
}

func TestSklearnClipping(t *testing.T) {
	r, wrong := &Results{Classes: []string{"ham", "spam"}}, sklearnTwo(t)
	for _, a := range wrong.Answers {
		if a.Posterior[1] > .99 {
			a.Posterior = []float64{1, 0}
		}
		if err := r.Add(a); err != nil {
			t.Fatal(err)
		}
	}
	near(t, "log loss", r.LogLoss(), 4.060941487962174)
}

// Of u and v the first class is never said.
func TestSklearnZeroDivision(t *testing.T) {
	r := &Results{Classes: []string{"a", "b", "c", "neither true nor said"}}
	said := []int{1, 2, 1, 1, 2, 1, 2}
	for i, class := range []int{0, 0, 1, 1, 2, 2, 2} {
		if err := r.Add(Answer{Class: class, Said: said[i], Posterior: []float64{1, 0, 0, 0}}); err != nil {
			t.Fatal(err)
		}
	}
	near(t, "macro F1", r.Confusion().MacroF1(), 0.4444444444444444)
	near(t, "precision of what is never said", r.Confusion().Of(0).Precision(), 0)
	near(t, "recall of what never is", r.Confusion().Of(3).Recall(), 0)
	near(t, "F1 of what is neither", r.Confusion().Of(3).F1(), 0)
}

func TestSklearnROC(t *testing.T) {
	c := sklearnTwo(t).ROC(1)
	fpr := []float64{0, 0, 0, .2, .2, .4, .6, .8, 1}
	tpr := []float64{0, .2, .4, .6, .8, .8, 1, 1, 1}
	// scikit-learn's first threshold is 1.999; since version 1.3 it is infinite.
	thresholds := []float64{math.Inf(1), .999, .9, .8, .6, .4, .35, .1, .02}
	if len(c.Points) != len(thresholds) {
		t.Fatalf("%d points, want %d", len(c.Points), len(thresholds))
	}
	for i, p := range c.Points {
		near(t, "threshold", p.Threshold, math.Log(thresholds[i])-math.Log1p(-min(thresholds[i], 1)))
		near(t, "false-positive rate", float64(p.FalsePositives)/float64(c.Negatives), fpr[i])
		near(t, "true-positive rate", float64(p.TruePositives)/float64(c.Positives), tpr[i])
	}
}
