// Package logistic fits multinomial logistic regression with a Gaussian prior on its
// weights: a yardstick for naive Bayes, since it sees the same terms, but sets their
// weights together, from all documents at once.
package logistic

import (
	"context"
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/optimize"
)

// Options say how to fit.
type Options struct {
	// Variance is σ², that of the Gaussian prior of each weight, 0 < σ² < ∞.
	// It is what scikit-learn calls C.
	Variance float64

	// Tolerance is the absolute value that no component of the gradient of the
	// objective may exceed at the end; 0 stands for DefaultTolerance.
	Tolerance float64

	// Iterations is how many steps are made at most; 0 stands for 1000.
	Iterations int

	// Start is where to start from, nil at 0. The result is the same but for what
	// Tolerance leaves open.
	Start *Model
}

// DefaultTolerance is small enough that on 20 Newsgroups a tenth of it, which took
// twice as long, changed the accuracy by 0.0004 and the log loss by 0.0001.
const DefaultTolerance = 2e-6

// ErrDiverged is returned when no better weights can be found though the gradient is
// not small, because the rows hold numbers that are too large.
var ErrDiverged = errors.New("logistic regression does not converge")

// Model is multinomial logistic regression: class c of a row x has a probability
// proportional to
//
//	exp(b_c + Σ_f w_fc x_f)
//
// Of two classes the weights and biases are each other's negatives, up to what the
// start had.
type Model struct {
	Classes int

	// Weights holds w_fc at f · Classes + c.
	Weights []float64

	// Bias holds b_c.
	Bias []float64
}

// Scores appends the logarithms of what the probabilities of a row are proportional
// to.
func (m *Model) Scores(dst []float64, features []uint32, values []float64) []float64 {
	from := len(dst)
	dst = append(dst, m.Bias...)
	addScores(dst[from:], m.Weights, features, values)
	return dst
}

// Fit returns the weights and biases that minimise
//
//	1/n (Σ_d -log p_d + Σ_fc w_fc² / 2σ²)
//
// where p_d is the probability of the class of document d: the maximum of the
// posterior density (MAP) with a Gaussian prior on the weights and none on the biases.
// Every class must have a document, else its bias has no maximum; panics if one has
// none, if lengths differ, or if Variance is out of range. The minimum is found by
// L-BFGS; the result is the same every time. It returns the error of ctx if that ends.
func Fit(ctx context.Context, x *Rows, y []int, features, classes int, o Options) (*Model, error) {
	p := newProblem(x, y, features, classes, o)
	if classes < 2 {
		return p.model(make([]float64, p.dim())), nil
	}
	result, err := optimize.Minimize(optimize.Problem{
		Func: p.loss,
		Grad: p.gradient,
		Status: func() (optimize.Status, error) {
			if err := ctx.Err(); err != nil {
				return optimize.Failure, err
			}
			return optimize.NotTerminated, nil
		},
	}, p.start(o.Start), p.settings(o), &optimize.LBFGS{Store: memory, Linesearcher: &optimize.MoreThuente{}})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if result == nil || math.IsNaN(result.F) || math.IsInf(result.F, 0) {
		return nil, ErrDiverged
	}
	// A line search that finds nothing better has met the limits of rounding.
	if err != nil && !p.nearly(result.X, 1000*tolerance(o)) {
		return nil, errors.Join(ErrDiverged, err)
	}
	return p.model(result.X), nil
}

// memory is how many steps L-BFGS remembers: as many as pay, since each takes twice
// the memory of the weights.
const memory = 7

func tolerance(o Options) float64 {
	if o.Tolerance == 0 {
		return DefaultTolerance
	}
	return o.Tolerance
}

func (p *problem) settings(o Options) *optimize.Settings {
	iterations := o.Iterations
	if iterations == 0 {
		iterations = 1000
	}
	return &optimize.Settings{
		GradientThreshold: tolerance(o),
		MajorIterations:   iterations,
		Converger:         &optimize.FunctionConverge{Relative: 1e-12, Iterations: 20},
	}
}

// problem is what is minimised. Its variables are the weights as Model has them, and
// then the biases.
type problem struct {
	x                 *Rows
	y                 []int
	features, classes int
	precision         float64 // 1 / σ²
	n                 float64

	at    []float64 // where the last loss was computed
	value float64
	slope []float64 // the gradient there
	probs []float64
}

func newProblem(x *Rows, y []int, features, classes int, o Options) *problem {
	if x.Len() != len(y) {
		panic("logistic: slice length mismatch")
	}
	if !(o.Variance > 0) || math.IsInf(o.Variance, 1) {
		panic("logistic: variance out of range")
	}
	seen := make([]bool, classes)
	for _, c := range y {
		seen[c] = true
	}
	if slices.Contains(seen, false) {
		panic("logistic: class without documents")
	}
	return &problem{
		x: x, y: y, features: features, classes: classes, precision: 1 / o.Variance, n: float64(len(y)),
		probs: make([]float64, classes),
	}
}

func (p *problem) dim() int { return (p.features + 1) * p.classes }

func (p *problem) start(m *Model) []float64 {
	if m == nil {
		return make([]float64, p.dim())
	}
	if len(m.Weights)+len(m.Bias) != p.dim() {
		panic("logistic: slice length mismatch")
	}
	return append(slices.Clone(m.Weights), m.Bias...)
}

func (p *problem) model(at []float64) *Model {
	split := p.features * p.classes
	return &Model{Classes: p.classes, Weights: at[:split:split], Bias: at[split:]}
}

// nearly says whether no component of the gradient at x is greater than limit.
func (p *problem) nearly(x []float64, limit float64) bool {
	p.compute(x)
	for _, g := range p.slope {
		if !(math.Abs(g) <= limit) {
			return false
		}
	}
	return true
}

func (p *problem) loss(x []float64) float64 {
	p.compute(x)
	return p.value
}

func (p *problem) gradient(grad, x []float64) {
	p.compute(x)
	copy(grad, p.slope)
}

// compute computes loss and gradient at x, which are wanted together, once.
func (p *problem) compute(x []float64) {
	if p.at != nil && slices.Equal(p.at, x) {
		return
	}
	p.at = append(p.at[:0], x...)
	if p.slope == nil {
		p.slope = make([]float64, len(x))
	}
	split := p.features * p.classes
	weights, bias := x[:split], x[split:]
	var square float64
	for i, w := range weights {
		square += w * w
		p.slope[i] = w * p.precision
	}
	clear(p.slope[split:])
	sum := square * p.precision / 2
	for d, class := range p.y {
		sum += p.document(d, class, weights, bias)
	}
	for i := range p.slope {
		p.slope[i] /= p.n
	}
	p.value = sum / p.n
}

// document returns -log p of the class of document d and adds to the gradient
//
//	x_f (p_c - [c is the class])
func (p *problem) document(d, class int, weights, bias []float64) float64 {
	features, values := p.x.Row(d)
	scores := p.probs
	copy(scores, bias)
	addScores(scores, weights, features, values)
	own, top := scores[class], slices.Max(scores)
	var sum float64
	for c, s := range scores {
		scores[c] = math.Exp(s - top)
		sum += scores[c]
	}
	for c := range scores {
		scores[c] /= sum
	}
	scores[class]--
	for i, f := range features {
		v, row := values[i], p.slope[int(f)*p.classes:][:len(scores)]
		for c, r := range scores {
			row[c] += v * r
		}
	}
	for c, r := range scores {
		p.slope[p.features*p.classes+c] += r
	}
	return top + math.Log(sum) - own
}

// addScores adds Σ_f w_fc x_f to each score.
func addScores(scores, weights []float64, features []uint32, values []float64) {
	k := len(scores)
	for i, f := range features {
		v, row := values[i], weights[int(f)*k:][:k]
		for c, w := range row {
			scores[c] += v * w
		}
	}
}
