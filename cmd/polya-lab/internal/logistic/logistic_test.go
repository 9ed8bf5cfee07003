package logistic

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// The numbers below were printed by scikit-learn 1.2.1:
//
//	import numpy as np
//	from sklearn.linear_model import LogisticRegression
//	from sklearn.feature_extraction.text import TfidfTransformer
//	from sklearn.preprocessing import normalize
//	x = np.array([[3, 0, 1, 0], [2, 1, 0, 0], [0, 2, 0, 1], [0, 1, 3, 0],
//	              [0, 0, 1, 2], [1, 0, 0, 4], [0, 1, 1, 1], [1, 1, 0, 0]])
//	idf = TfidfTransformer(smooth_idf=True).fit(x).idf_
//	print(idf.tolist())
//	z = normalize(np.log1p(x) * idf)
//	print(z[0].tolist())
//	for y, c in ([0, 0, 1, 1, 2, 2, 1, 0], 10), ([0, 0, 1, 1, 2, 2, 1, 0], 0.5), ([0, 0, 1, 1, 1, 1, 1, 0], 3):
//	    m = LogisticRegression(C=c, multi_class="multinomial", solver="newton-cg", tol=1e-12, max_iter=100000).fit(z, y)
//	    print(m.predict_proba(z).tolist())
//	    print(m.coef_.tolist(), m.intercept_.tolist())
var counts = [][]uint8{
	{3, 0, 1, 0}, {2, 1, 0, 0}, {0, 2, 0, 1}, {0, 1, 3, 0},
	{0, 0, 1, 2}, {1, 0, 0, 4}, {0, 1, 1, 1}, {1, 1, 0, 0},
}

// weighted returns the counts as features.
func weighted() (*Weighting, *Rows) {
	var terms [][]uint32
	var numbers [][]uint8
	for _, row := range counts {
		var t []uint32
		var n []uint8
		for i, x := range row {
			if x > 0 {
				t, n = append(t, uint32(i)), append(n, x)
			}
		}
		terms, numbers = append(terms, t), append(numbers, n)
	}
	w, rows := NewWeighting(4, 1, terms), new(Rows)
	for i := range terms {
		rows.Add(w.Weigh(nil, nil, terms[i], numbers[i]))
	}
	return w, rows
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

func TestWeightingAsSklearn(t *testing.T) {
	w, rows := weighted()
	want := []float64{1.587786664902119, 1.4054651081081644, 1.587786664902119, 1.587786664902119}
	for i := range want {
		near(t, "idf", w.idf[i], want[i], 1e-14)
	}
	features, values := rows.Row(0)
	if !slices.Equal(features, []uint32{0, 2}) {
		t.Fatalf("features %v", features)
	}
	near(t, "feature 0", values[0], 0.8944271909999159, 1e-14)
	near(t, "feature 2", values[1], 0.4472135954999579, 1e-14)
}

func TestFitAsSklearn(t *testing.T) {
	_, rows := weighted()
	tests := []struct {
		y        []int
		classes  int
		variance float64
		first    []float64 // probabilities of documents 0 and 4
		fifth    []float64
		weights  []float64 // of class 0
		bias     float64   // of class 0, less the mean of all
	}{
		{
			[]int{0, 0, 1, 1, 2, 2, 1, 0}, 3, 10,
			[]float64{0.887973248625808, 0.03957309095307786, 0.07245366042111412},
			[]float64{0.02777515983323064, 0.23196455456435094, 0.7402602856024184},
			[]float64{2.351906531956806, 0.07938428228683551, -0.7167302648450546, -1.783657283196848}, 0.0891845916853618,
		},
		{
			[]int{0, 0, 1, 1, 2, 2, 1, 0}, 3, .5,
			[]float64{0.5211000899541816, 0.26609200137728295, 0.2128079086685355},
			[]float64{0.23779996871810258, 0.41105639661259985, 0.35114363466929754},
			[]float64{0.529345157090542, 0.020620006343919323, -0.17360242786214836, -0.4096410054615228}, 0.12672740692019402,
		},
		{ // scikit-learn gives the weights of class 1 here, which are the negatives
			[]int{0, 0, 1, 1, 1, 1, 1, 0}, 2, 3,
			[]float64{0.7752466298867523, 0.22475337011324772},
			[]float64{0.05196983189381924, 0.9480301681061807},
			[]float64{1.3403699596442897, 0.026946334174343785, -0.41540568515223975, -0.9887253455030096}, -0.3939994965278896,
		},
	}
	for _, tt := range tests {
		m, err := Fit(context.Background(), rows, tt.y, 4, tt.classes, Options{Variance: tt.variance, Tolerance: 1e-10})
		if err != nil {
			t.Fatal(err)
		}
		for f, want := range tt.weights {
			near(t, "weight", m.Weights[f*tt.classes], want, 1e-6)
		}
		var mean float64
		for _, b := range m.Bias {
			mean += b / float64(tt.classes)
		}
		near(t, "bias", m.Bias[0]-mean, tt.bias, 1e-6)
		for c := range tt.classes {
			near(t, "probability", probability(m, rows, 0, c), tt.first[c], 1e-6)
			near(t, "probability", probability(m, rows, 4, c), tt.fifth[c], 1e-6)
		}
	}
}

func probability(m *Model, rows *Rows, i, class int) float64 {
	features, values := rows.Row(i)
	return math.Exp(-surprise(m.Scores(nil, features, values), class))
}

// The analytic gradient equals central differences.
func TestGradient(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		features, classes := rapid.IntRange(1, 5).Draw(t, "features"), rapid.IntRange(2, 4).Draw(t, "classes")
		rows, y := new(Rows), []int{}
		value := rapid.Float64Range(-2, 2)
		for d := range classes + rapid.IntRange(0, 4).Draw(t, "more") {
			var fs []uint32
			var vs []float64
			for f := range features {
				if rapid.Bool().Draw(t, "present") {
					fs, vs = append(fs, uint32(f)), append(vs, value.Draw(t, "value"))
				}
			}
			rows.Add(fs, vs)
			y = append(y, d%classes)
		}
		p := newProblem(rows, y, features, classes, Options{Variance: rapid.Float64Range(.1, 10).Draw(t, "variance")})
		x := make([]float64, p.dim())
		for i := range x {
			x[i] = value.Draw(t, "x")
		}
		grad := make([]float64, len(x))
		p.compute(x, grad)
		other := make([]float64, len(x))
		const h = 1e-5
		for i := range x {
			at := x[i]
			x[i] = at + h
			above := p.compute(x, other)
			x[i] = at - h
			below := p.compute(x, other)
			x[i] = at
			if want := (above - below) / (2 * h); math.Abs(grad[i]-want) > 1e-8*(1+math.Abs(want)) {
				t.Errorf("component %d is %v, want %v", i, grad[i], want)
			}
		}
	})
}

func TestFitIsDeterministic(t *testing.T) {
	_, rows := weighted()
	y := []int{0, 0, 1, 1, 2, 2, 1, 0}
	first, err := Fit(context.Background(), rows, y, 4, 3, Options{Variance: 10})
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		again, err := Fit(context.Background(), rows, y, 4, 3, Options{Variance: 10})
		if err != nil || !slices.Equal(again.Weights, first.Weights) || !slices.Equal(again.Bias, first.Bias) {
			t.Fatalf("another result: %v, %v", again, err)
		}
	}
	warm, err := Fit(context.Background(), rows, y, 4, 3, Options{Variance: 10, Tolerance: 1e-9, Start: first})
	if err != nil {
		t.Fatal(err)
	}
	for i := range warm.Weights {
		near(t, "weight from another start", warm.Weights[i], first.Weights[i], 1e-3)
	}
}

// Documents that share nothing with the features have the priors of the classes: at the
// maximum, free biases make the mean probabilities equal the shares of the labels.
func TestFitWithoutFeatures(t *testing.T) {
	rows := new(Rows)
	for range 4 {
		rows.Add(nil, nil)
	}
	m, err := Fit(context.Background(), rows, []int{0, 0, 0, 1}, 0, 2, Options{Variance: 1, Tolerance: 1e-10})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "prior", probability(m, rows, 0, 0), .75, 1e-8)
	one, err := Fit(context.Background(), rows, []int{0, 0, 0, 0}, 0, 1, Options{Variance: 1})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "the only class", probability(one, rows, 0, 0), 1, 0)
}

func TestFitStops(t *testing.T) {
	_, rows := weighted()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Fit(ctx, rows, []int{0, 0, 1, 1, 2, 2, 1, 0}, 4, 3, Options{Variance: 10}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestFitPanics(t *testing.T) {
	_, rows := weighted()
	for name, f := range map[string]func(){
		"lengths":  func() { Fit(context.Background(), rows, []int{0, 1}, 4, 2, Options{Variance: 1}) },
		"variance": func() { Fit(context.Background(), rows, []int{0, 0, 1, 1, 0, 0, 1, 0}, 4, 2, Options{}) },
		"class":    func() { Fit(context.Background(), rows, make([]int, 8), 4, 2, Options{Variance: 1}) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}

// The choice equals the best of trying each variance.
func TestChoose(t *testing.T) {
	rows, y := new(Rows), []int{}
	var held []bool
	for i := range 60 {
		rows.Add([]uint32{uint32(i % 3), uint32(3 + i%5)}, []float64{.8, .6})
		y = append(y, min(i%3, 1)^btoi(i%7 == 0))
		held = append(held, i%5 == 0 || i%11 == 0)
	}
	got, m, err := Choose(context.Background(), rows, y, held, 8, 2)
	if err != nil || m == nil {
		t.Fatal(m, err)
	}
	best, least := 0., math.Inf(1)
	c := newChoice(rows, y, held)
	for _, v := range variances {
		m, err := Fit(context.Background(), c.learned, c.labels, 8, 2, Options{Variance: v})
		if err != nil {
			t.Fatal(err)
		}
		if loss := c.loss(m); loss < least {
			best, least = v, loss
		}
	}
	if got != best {
		t.Errorf("chose %v, want %v", got, best)
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func TestWeightingDropsRareTerms(t *testing.T) {
	w := NewWeighting(3, 2, [][]uint32{{0, 1}, {0}, {}, {2, 0}})
	if w.Features() != 1 {
		t.Fatalf("%d features, want 1", w.Features())
	}
	if features, values := w.Weigh(nil, nil, []uint32{1, 2}, []uint8{3, 1}); len(features)+len(values) != 0 {
		t.Errorf("rare terms have features %v", features)
	}
	if _, values := w.Weigh(nil, nil, []uint32{0}, []uint8{255}); len(values) != 1 || values[0] != 1 {
		t.Errorf("a term alone has %v, want 1", values)
	}
}
