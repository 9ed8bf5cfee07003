package main

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/calibration"
)

// mixture answers by all models that a database has calibrated, by how probable each is
// given the classes of the calibration sample:
//
//	w_m ∝ exp(-Sample × Loss_m)
//
// The mean of their posteriors is Bayes-optimal if the right model is unknown (T. Mitchell,
// Machine Learning, 1997, section 6.7). Gibbs' algorithm draws one of them for each document
// with these weights; its expected error is at most twice as large (Haussler, Kearns and
// Schapire, Machine Learning 14, 1994).
type mixture struct {
	draw bool
	seed uint64

	of      *calibration.Calibration // that the models are of
	models  []*classify.Classifier   // without the next to impossible
	weights []float64                // of the models
}

// parseMixture reads average, gibbs and gibbs:seed=n, and returns nil for other names.
func parseMixture(name string) (*mixture, error) {
	base, rest, parameters := strings.Cut(name, ":")
	switch {
	case name == "average":
		return new(mixture), nil
	case base != "gibbs":
		return nil, nil
	case !parameters:
		return &mixture{draw: true}, nil
	}
	digits, found := strings.CutPrefix(rest, "seed=")
	seed, err := strconv.ParseUint(digits, 10, 64)
	if !found || err != nil {
		return nil, fmt.Errorf("cannot read %.40q: want gibbs:seed=n, n a whole number", rest)
	}
	return &mixture{draw: true, seed: seed}, nil
}

// classify returns the answer for doc. Without a calibration it is that of the default model.
func (x *mixture) classify(db *classify.Classifier, ctx context.Context, doc classify.Document) (classify.Result, error) {
	k, err := db.Calibration()
	if err == nil && k == nil {
		return db.Classify(ctx, doc)
	}
	if err == nil && x.of != k {
		err = x.weigh(k, db)
	}
	if err != nil {
		return classify.Result{}, err
	}
	if x.draw {
		return x.models[drawn(x.weights, x.seed, binary.LittleEndian.Uint64(doc.ID[:]))].Classify(ctx, doc)
	}
	all := make([]classify.Result, len(x.models))
	for i, m := range x.models {
		if all[i], err = m.Classify(ctx, doc); err != nil {
			return classify.Result{}, err
		}
	}
	return mean(all, x.weights), nil
}

// weigh sets the models of k, and their weights.
func (x *mixture) weigh(k *calibration.Calibration, db *classify.Classifier) error {
	models, weights, err := modelsOf(k)
	x.of, x.models, x.weights = k, nil, weights
	for _, m := range models {
		var with *classify.Classifier
		if with, err = db.WithModel(m); err != nil {
			break
		}
		x.models = append(x.models, with)
	}
	return err
}

// modelsOf returns the calibrated models and their weights, without the next to impossible.
func modelsOf(k *calibration.Calibration) (models []classify.Model, weights []float64, err error) {
	least, sum := math.Inf(1), 0.0
	for i := range k.Models {
		least = min(least, k.Models[i].Loss)
	}
	for i := range k.Models {
		w := math.Exp(float64(k.Sample) * (least - k.Models[i].Loss))
		if w < 1e-6 {
			continue
		}
		m, err := classify.ParseModel(k.Models[i].Name)
		if err != nil {
			return nil, nil, err
		}
		models, weights, sum = append(models, m), append(weights, w), sum+w
	}
	for i := range weights {
		weights[i] /= sum
	}
	return models, weights, nil
}

// drawn returns an index, each as often as its weight says, and the same for the same seeds.
func drawn(weights []float64, seed, document uint64) int {
	u := rand.New(rand.NewPCG(seed, document)).Float64()
	for i, w := range weights {
		if u -= w; u < 0 {
			return i
		}
	}
	return len(weights) - 1
}

// mean returns the answer of the mean of the posteriors.
func mean(all []classify.Result, weights []float64) classify.Result {
	sums := map[string]float64{}
	for i := range all {
		for _, p := range all[i].Posterior {
			sums[p.Class] += weights[i] * p.Probability
		}
	}
	r := all[0]
	r.Posterior = slices.Clone(r.Posterior)
	for i := range r.Posterior {
		p := &r.Posterior[i]
		p.Probability = sums[p.Class]
		p.LogOdds = math.Log(p.Probability) - math.Log1p(-p.Probability)
	}
	slices.SortStableFunc(r.Posterior, func(a, b classify.ClassProbability) int { return cmp.Compare(b.Probability, a.Probability) })
	if len(r.Posterior) > 0 {
		first := r.Posterior[0]
		r.Class, r.Probability, r.LogOdds = first.Class, first.Probability, first.LogOdds
	}
	return r
}
