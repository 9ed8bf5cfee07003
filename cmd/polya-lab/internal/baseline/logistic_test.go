package baseline

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/cmd/internal/evaluation"
	"github.com/polya-classifier/polya/internal/logistic"
	"github.com/polya-classifier/polya/internal/numeric"
	"github.com/polya-classifier/polya/tokenize"
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
func weighted(labels ...int) (*features, []logistic.Row) {
	c := new(evaluation.Corpus)
	var train []int
	for i, terms := range counts {
		var bag tokenize.Bag
		for t, n := range terms {
			bag.AddN([]byte{'a' + byte(t)}, int(n))
		}
		name := fmt.Sprint(i)
		c.Add(evaluation.Doc{Path: name, ID: classify.ContentID([]byte(name))}, "any", &bag, nil)
		train = append(train, i)
	}
	f := newFeatures(c, train)
	var rows []logistic.Row
	for i := range counts {
		r := f.row(&c.Docs[i])
		if labels != nil {
			r.Label = labels[i]
		}
		rows = append(rows, r)
	}
	return f, rows
}

// feature returns the feature of a column of counts.
func (f *features) feature(column int) int {
	return f.terms[uint32(slices.IndexFunc(f.corpus.Terms, func(t []byte) bool { return t[0] == 'a'+byte(column) }))]
}

func TestWeightingAsSklearn(t *testing.T) {
	f, rows := weighted()
	want := []float64{1.587786664902119, 1.4054651081081644, 1.587786664902119, 1.587786664902119}
	for i := range want {
		near(t, "idf", f.idf[f.feature(i)], want[i], 1e-14)
	}
	if len(rows[0].Features) != 2 {
		t.Fatalf("features %v", rows[0].Features)
	}
	near(t, "feature 0", rows[0].Values[slices.Index(rows[0].Features, uint32(f.feature(0)))], 0.8944271909999159, 1e-14)
	near(t, "feature 2", rows[0].Values[slices.Index(rows[0].Features, uint32(f.feature(2)))], 0.4472135954999579, 1e-14)
}

func TestFitAsSklearn(t *testing.T) {
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
		f, rows := weighted(tt.y...)
		w, err := fit(context.Background(), rows, 4, tt.classes, tt.variance, nil)
		if err != nil {
			t.Fatal(err)
		}
		const tolerance = 5e-4 // the gradient is below steepest
		for column, want := range tt.weights {
			near(t, "weight", w[f.feature(column)*tt.classes], want, tolerance)
		}
		var mean float64
		bias := w[4*tt.classes:]
		for _, b := range bias {
			mean += b / float64(tt.classes)
		}
		near(t, "bias", bias[0]-mean, tt.bias, tolerance)
		for c := range tt.classes {
			near(t, "probability", numeric.Posterior(w.Scores(nil, rows[0], tt.classes))[c], tt.first[c], tolerance)
			near(t, "probability", numeric.Posterior(w.Scores(nil, rows[4], tt.classes))[c], tt.fifth[c], tolerance)
		}
	}
}

func TestFitIsDeterministic(t *testing.T) {
	_, rows := weighted(0, 0, 1, 1, 2, 2, 1, 0)
	first, err := fit(context.Background(), rows, 4, 3, 10, nil)
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		again, err := fit(context.Background(), rows, 4, 3, 10, nil)
		if err != nil || !slices.Equal(again, first) {
			t.Fatalf("another result: %v, %v", again, err)
		}
	}
	warm, err := fit(context.Background(), rows, 4, 3, 10, first)
	if err != nil {
		t.Fatal(err)
	}
	for i := range warm {
		near(t, "weight from another start", warm[i], first[i], 1e-3)
	}
}

// Documents that share nothing with the features have the priors of the classes: at the
// maximum, free biases make the mean probabilities equal the shares of the labels.
func TestFitWithoutFeatures(t *testing.T) {
	w, err := fit(context.Background(), []logistic.Row{{}, {}, {}, {Label: 1}}, 0, 2, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "prior", numeric.Posterior(w.Scores(nil, logistic.Row{}, 2))[0], .75, 1e-5)
	one, err := fit(context.Background(), make([]logistic.Row, 4), 0, 1, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "the only class", numeric.Posterior(one.Scores(nil, logistic.Row{}, 1))[0], 1, 0)
}

func TestFitStops(t *testing.T) {
	_, rows := weighted(0, 0, 1, 1, 2, 2, 1, 0)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := fit(ctx, rows, 4, 3, 10, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// The choice equals the best of trying each variance.
func TestChoose(t *testing.T) {
	var rows, learned, held []logistic.Row
	var folds []int
	for i := range 60 {
		label := min(i%3, 1)
		if i%7 == 0 {
			label = 1 - label
		}
		r := logistic.Row{Features: []uint32{uint32(i % 3), uint32(3 + i%5)}, Values: []float64{.8, .6}, Label: label}
		rows, folds = append(rows, r), append(folds, 1)
		if i%5 == 0 || i%11 == 0 {
			folds[i] = 0
			held = append(held, r)
		} else {
			learned = append(learned, r)
		}
	}
	got, w, err := choose(context.Background(), rows, folds, 8, 2)
	if err != nil || w == nil {
		t.Fatal(w, err)
	}
	best, least := 0., math.Inf(1)
	for _, v := range variances {
		w, err := fit(context.Background(), learned, 8, 2, v, nil)
		if err != nil {
			t.Fatal(err)
		}
		loss := 0.
		for _, r := range held {
			loss += numeric.Loss(w.Scores(nil, r, 2), r.Label)
		}
		if loss < least {
			best, least = v, loss
		}
	}
	if got != best {
		t.Errorf("chose %v, want %v", got, best)
	}
	// With few documents, or none that is held, there is nothing to choose by.
	if v, w, err := choose(context.Background(), rows[:20], folds, 8, 2); v != fallbackVariance || w != nil || err != nil {
		t.Errorf("of few %v, %v", v, err)
	}
}
