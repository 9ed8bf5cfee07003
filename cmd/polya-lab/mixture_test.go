package main

import (
	"math"
	"testing"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/calibration"
)

// Three hypotheses have the posteriors .4, .3 and .3, and call a new instance
// positive, negative and negative: the most probable of them says positive, but
// negative is the more probable class, with .6 (T. Mitchell, Machine Learning,
// 1997, section 6.7).
func TestBayesOptimal(t *testing.T) {
	t.Parallel()
	says := func(positive float64) classify.Result {
		return classify.Result{Posterior: []classify.ClassProbability{{Class: "+", Probability: positive}, {Class: "-", Probability: 1 - positive}}}
	}
	r := mean([]classify.Result{says(1), says(0), says(0)}, []float64{.4, .3, .3})
	if r.Class != "-" || math.Abs(r.Probability-.6) > 1e-15 || math.Abs(r.LogOdds-math.Log(1.5)) > 1e-12 {
		t.Errorf("%+v", r)
	}
}

// Gibbs draws models as often as their weights say, the same for the same document and
// others with another seed.
func TestGibbsDraws(t *testing.T) {
	t.Parallel()
	weights, counts, others := []float64{.5, .3, .2}, make([]int, 3), 0
	const n = 4000
	for i := range uint64(n) {
		at := drawn(weights, 5, i*i)
		counts[at]++
		if drawn(weights, 5, i*i) != at {
			t.Fatal("the same seed draws otherwise")
		}
		if drawn(weights, 6, i*i) != at {
			others++
		}
	}
	for m, w := range weights {
		if off := math.Abs(float64(counts[m]) - n*w); off > 4*math.Sqrt(n*w*(1-w)) {
			t.Errorf("model %d was drawn %d times in %d, want %v", m, counts[m], n, n*w)
		}
	}
	if others == 0 {
		t.Error("another seed draws the same")
	}
}

// Weights are the probabilities of the models: of losses that are .1 log 4/3 apart on ten
// documents the second and third are 3/4 as probable as the first.
func TestMixtureWeights(t *testing.T) {
	t.Parallel()
	loss := .2 + .1*math.Log(4./3)
	k := &calibration.Calibration{Sample: 10, Models: []calibration.Model{
		{Name: "stack", Loss: loss}, {Name: "multinomial", Loss: .2}, {Name: "normalised", Loss: loss}, {Name: "dcm", Loss: 5},
	}}
	models, weights, err := modelsOf(k)
	if err != nil || len(models) != 3 {
		t.Fatalf("%d models, %v", len(models), err)
	}
	for i, want := range []float64{.3, .4, .3} {
		if math.Abs(weights[i]-want) > 1e-12 {
			t.Errorf("weights %v", weights)
		}
	}
}
