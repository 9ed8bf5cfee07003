package logistic

import (
	"context"
	"math"
)

// variances are the candidates of Choose, ascending.
var variances = []float64{1, 10, 100, 1000}

// chooseTolerance is fine enough to compare variances.
const chooseTolerance = 5e-6

// Choose returns a variance, one of 1, 10, 100 and 1000, and the Model fitted with it to
// the rows that are not held: the pair with the least log loss on the held rows. The Model
// is a good start for a fit to all rows. Choose begins with 10, which suits most texts, and
// goes up, or else down, while the loss falls. Every class of a held row must also have
// other rows. It panics if no row is held.
func Choose(ctx context.Context, x *Rows, y []int, held []bool, features, classes int) (float64, *Model, error) {
	c := newChoice(x, y, held)
	at, m, least, err := c.climb(ctx, features, classes, 1, 1, nil, math.Inf(1))
	if err == nil && at == 1 {
		at, m, _, err = c.climb(ctx, features, classes, 0, -1, m, least)
	}
	if err != nil {
		return 0, nil, err
	}
	return variances[at], m, nil
}

// choice holds the split rows.
type choice struct {
	x, learned *Rows
	y, labels  []int // of all rows, and of the training rows
	test       []int
}

func newChoice(x *Rows, y []int, held []bool) *choice {
	c := &choice{x: x, y: y}
	var learn []int
	for i, h := range held {
		if h {
			c.test = append(c.test, i)
		} else {
			learn, c.labels = append(learn, i), append(c.labels, y[i])
		}
	}
	if len(c.test) == 0 {
		panic("logistic: no rows to choose by")
	}
	c.learned = x.Select(learn)
	return c
}

// climb tries the variances from one on, upwards or downwards, until none is left or the
// loss stops falling below least. It returns the last that was better, or m and least if
// none was.
func (c *choice) climb(ctx context.Context, features, classes, from, step int, m *Model, least float64) (int, *Model, float64, error) {
	best := from - step
	for at := from; at >= 0 && at < len(variances); at += step {
		next, err := Fit(ctx, c.learned, c.labels, features, classes, Options{Variance: variances[at], Tolerance: chooseTolerance, Start: m})
		if err != nil {
			return 0, nil, 0, err
		}
		loss := c.loss(next)
		if loss >= least {
			break
		}
		best, m, least = at, next, loss
	}
	return best, m, least, nil
}

// loss returns the sum of -log p over the held rows.
func (c *choice) loss(m *Model) float64 {
	var sum float64
	var scores []float64
	for _, i := range c.test {
		features, values := c.x.Row(i)
		scores = m.Scores(scores[:0], features, values)
		sum += surprise(scores, c.y[i])
	}
	return sum
}

// surprise returns -log of the probability of class.
func surprise(scores []float64, class int) float64 {
	var sum float64
	top := math.Inf(-1)
	for _, s := range scores {
		top = max(top, s)
	}
	for _, s := range scores {
		sum += math.Exp(s - top)
	}
	return top + math.Log(sum) - scores[class]
}
