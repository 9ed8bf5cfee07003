// Package blend decides how much the posterior of a user's own database weighs beside that of
// the sum of a shared database and his own; see classify.View.
package blend

import (
	"context"
	"math"
	"slices"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/internal/fit"
	"github.com/polya-classifier/polya/internal/numeric"
)

const (
	// least is the number of a user's documents that at least two classes need: those of one
	// class cannot show that his own answers are better.
	least = 3

	// precision is that of the prior of each weight, for scores of standard deviation 1: twenty
	// documents weigh more. With 1 three times as many answers are wrong after 1,000 lessons.
	precision = .05

	// disagreement is how much more probable, in nats, a user's documents must be by his own
	// posterior for this to replace the sum. Users who agree with the base gain .5 to 1 a
	// document by the sum; those who disagree lose 3 or more.
	disagreement = 5
)

// A Case is a document of a known class, with the posteriors of the sum and of the user's
// own database, both without having learned it.
type Case struct {
	Class    string
	Sum, Own []classify.ClassProbability
}

// Learn fits the weights of a view to about limit documents of the user.
func Learn(ctx context.Context, v *classify.View, limit int) (classify.Weights, error) {
	var cases []Case
	err := v.LeaveOut(ctx, limit, func(class string, sum, own []classify.ClassProbability) error {
		cases = append(cases, Case{class, sum, own})
		return nil
	})
	if err != nil {
		return classify.Weights{Sum: 1}, err
	}
	return Fit(cases), nil
}

// Fit returns the weights fitted to the cases by logistic regression without biases, which
// would mistake the shares of the classes that a user teaches for those of the user's mail.
// The prior of the weights is a Gaussian around the sum alone, for a user who adds to the
// base, or around the user's posterior alone, for a user who disagrees with the base; Fit
// uses the likelier one. With fewer than 3 documents of two classes the sum stays alone.
func Fit(cases []Case) classify.Weights {
	docs := make(map[string]int)
	for _, x := range cases {
		docs[x.Class]++
	}
	enough := 0
	for _, n := range docs {
		if n >= least {
			enough++
		}
	}
	if enough < 2 {
		return classify.Weights{Sum: 1}
	}
	agrees, loss := fitted(cases, classify.Weights{Sum: 1})
	disagrees, other := fitted(cases, classify.Weights{Own: 1})
	if other+disagreement < loss {
		return disagrees
	}
	return agrees
}

// fitted returns the weights for a prior around center, and the loss of the cases with them.
func fitted(cases []Case, center classify.Weights) (w classify.Weights, loss float64) {
	var classes []string
	for _, x := range cases {
		classes = append(classes, x.Class)
		for _, p := range slices.Concat(x.Sum, x.Own) {
			classes = append(classes, p.Class)
		}
	}
	slices.Sort(classes)
	classes = slices.Compact(classes)
	s := &fit.Sample{Classes: len(classes), Parts: 2, Prior: make([]float64, len(classes)), Unbiased: true, Precision: []float64{precision, precision}}
	for _, x := range cases {
		label, _ := slices.BinarySearch(classes, x.Class)
		s.Labels = append(s.Labels, label)
		s.Scores = append(s.Scores, append(classify.LogPosterior(classes, x.Sum), classify.LogPosterior(classes, x.Own)...))
	}
	weights, _ := s.Weights([]float64{center.Sum, center.Own})
	scores := make([]float64, len(classes))
	for d, label := range s.Labels {
		s.Weigh(scores, d, weights, nil)
		loss += min(numeric.Loss(scores, label), math.MaxFloat64)
	}
	return classify.Weights{Sum: weights[0], Own: weights[1]}, loss
}
