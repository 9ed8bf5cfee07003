package main

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/calibration"
)

// average answers by all models that a database has calibrated, by how probable each is
// given the classes of the calibration sample:
//
//	w_m ∝ exp(-Sample × Loss_m)
//
// The mean of their posteriors is Bayes-optimal if the right model is unknown (T. Mitchell,
// Machine Learning, 1997, section 6.7). Without a calibration the default model answers.
func average(db *classify.Classifier) (func(context.Context, classify.Document) (classify.Result, error), error) {
	k, err := db.Calibration()
	if err != nil || k == nil {
		return db.Classify, err
	}
	models, weights, err := modelsOf(k)
	if err != nil {
		return nil, err
	}
	with := make([]*classify.Classifier, len(models))
	for i, m := range models {
		if with[i], err = db.WithModel(m); err != nil {
			return nil, err
		}
	}
	return func(ctx context.Context, doc classify.Document) (classify.Result, error) {
		all := make([]classify.Result, len(with))
		for i, c := range with {
			if all[i], err = c.Classify(ctx, doc); err != nil {
				return classify.Result{}, err
			}
		}
		return mean(all, weights), nil
	}, nil
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
