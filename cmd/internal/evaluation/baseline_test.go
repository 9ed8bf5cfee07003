package evaluation

import (
	"context"
	"math"

	"github.com/polya-classifier/polya/classify"
)

// shares is a Baseline that answers by the number of documents of each class.
type shares struct{}

func (shares) Name() string { return "shares" }

func (shares) Answer(ctx context.Context, c *Corpus, train, test []int, _ *Options, add func(int, *classify.Result) error) (float64, error) {
	var r classify.Result
	for class, n := range c.Count(train) {
		if n > 0 {
			p := float64(n) / float64(len(train))
			r.Posterior = append(r.Posterior, classify.ClassProbability{Class: c.Classes[class], Probability: p, LogOdds: math.Log(p) - math.Log1p(-p)})
		}
	}
	r.Class = r.Posterior[0].Class
	for _, i := range test {
		if err := add(i, &r); err != nil {
			return 0, err
		}
	}
	return 1, ctx.Err()
}
