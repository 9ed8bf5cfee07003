// Package blend combines the posteriors of two classifiers: a base, which has learned the
// documents of many users, and one that has learned the documents of one user.
//
// The posterior is
//
//	p(c) ∝ exp(bias_c + a log p_base(c) + b log p_own(c))
//
// Weights and biases are fitted by logistic regression on unlearned or left-out
// documents, with a Gaussian prior at a = 1 and b = 0: the base answers until there is
// evidence that the other is better.
package blend

import (
	"math"
	"slices"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/internal/fit"
	"github.com/polya-classifier/polya/classify/internal/odds"
)

// Weights are the weights and biases of a blend.
type Weights struct {
	Base, Own float64
	Bias      map[string]float64 // by class; 0 for others

	// Documents is the number of documents that they were fitted to.
	Documents int
}

// Prior returns the weights without evidence: the base alone.
func Prior() Weights { return Weights{Base: 1} }

// A Case is a document of a known class, with the posteriors of the base and the other
// classifier, both without having learned it.
type Case struct {
	Class     string
	Base, Own []classify.ClassProbability
}

// Fit returns the weights fitted to the cases.
func Fit(cases []Case) Weights {
	var classes []string
	for _, x := range cases {
		classes = union(append(classes, x.Class), x.Base, x.Own)
	}
	w := Prior()
	w.Documents = len(cases)
	if len(classes) < 2 || len(cases) == 0 {
		return w
	}
	s := &fit.Sample{Classes: len(classes), Parts: 2, Prior: make([]float64, len(classes))}
	for _, x := range cases {
		label, _ := slices.BinarySearch(classes, x.Class)
		s.Labels = append(s.Labels, label)
		s.Scores = append(s.Scores, append(logs(classes, x.Base), logs(classes, x.Own)...))
	}
	weights, bias := s.Weights([]float64{w.Base, w.Own})
	w.Base, w.Own, w.Bias = weights[0], weights[1], make(map[string]float64)
	for c, b := range bias {
		w.Bias[classes[c]] = b
	}
	return w
}

// Posterior returns the blended posterior of a document, in order of the names of the
// classes, and its scores.
func (w Weights) Posterior(base, own []classify.ClassProbability) (posterior []classify.ClassProbability, scores []float64) {
	classes := union(nil, base, own)
	b, o := logs(classes, base), logs(classes, own)
	scores = make([]float64, len(classes))
	for c, name := range classes {
		scores[c] = w.Bias[name] + w.Base*b[c] + w.Own*o[c]
	}
	p := odds.Posterior(scores)
	for c, name := range classes {
		posterior = append(posterior, classify.ClassProbability{Class: name, Probability: p[c], LogOdds: odds.LogOdds(scores, c)})
	}
	return posterior, scores
}

// union returns the classes together with the classes of some posteriors, sorted.
func union(classes []string, posteriors ...[]classify.ClassProbability) []string {
	for _, posterior := range posteriors {
		for _, p := range posterior {
			classes = append(classes, p.Class)
		}
	}
	slices.Sort(classes)
	return slices.Compact(classes)
}

// logs returns the log-probabilities of the classes. A class that the posterior lacks
// gets the probability of a uniform distribution. A posterior of one class is
// uninformative.
func logs(classes []string, posterior []classify.ClassProbability) []float64 {
	n := float64(len(classes))
	list := make([]float64, len(classes))
	for c := range list {
		list[c] = -math.Log(n)
	}
	if len(posterior) < 2 {
		return list
	}
	known := math.Log(float64(len(posterior)) / n)
	for _, p := range posterior {
		if c, found := slices.BinarySearch(classes, p.Class); found {
			list[c] = known - softplus(-p.LogOdds)
		}
	}
	return list
}

// softplus returns log(1 + e^x): log p is -softplus(-log-odds), without loss of digits.
func softplus(x float64) float64 { return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }
