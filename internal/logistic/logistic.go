// Package logistic fits multinomial logistic regression with a Gaussian prior on its weights: the
// maximum of the posterior density (MAP).
package logistic

import (
	"context"
	"math"
	"runtime"
	"slices"

	"github.com/polya-classifier/polya/internal/numeric"
)

// Row is a document: its features, which are distinct, their values, and its label.
type Row struct {
	Features []uint32
	Values   []float64
	Label    int
}

// Weights are w_fc at f · classes + c, and then the bias b_c of each class. Class c of a row has a
// probability proportional to
//
//	exp(b_c + Σ_f w_fc x_f)
type Weights []float64

// Scores returns the unnormalized log-probabilities of a row. It may use memory, which may be nil.
func (w Weights) Scores(memory []float64, r Row, classes int) []float64 {
	scores := append(memory[:0], w[len(w)-classes:]...)
	for i, f := range r.Features {
		add(scores, w[int(f)*classes:], r.Values[i])
	}
	return scores
}

// Problem is a fit. It ends after so many Steps, or when each component of the gradient, divided by
// the number of rows, is at most Steepest. A class without rows has no best bias.
type Problem struct {
	Rows              []Row
	Features, Classes int
	Precision         float64 // 1/σ² of the prior of the weights; the biases have none
	Steepest          float64
	Steps             int
}

// step is a step, the change of the gradient that it made, and the inverse of their product.
type step struct {
	move, turn []float64
	inverse    float64
}

// remembered is the number of steps from which Fit learns the curvature.
const remembered = 8

// Fit returns the weights that minimise
//
//	Σ_d -log p_d + Precision Σ_fc w_fc²/2
//
// where p_d is the probability of the label of row d, and the steepest component of the gradient
// there, by L-BFGS (Nocedal, Updating quasi-Newton matrices with limited storage, Mathematics of
// Computation 35, 1980). The result depends on start, nil for 0, only within the tolerance.
func (p *Problem) Fit(ctx context.Context, start Weights) (w Weights, steepest float64, err error) {
	if w = start; w == nil {
		w = make(Weights, (p.Features+1)*p.Classes)
	}
	value, gradient := p.look(w)
	var past []step
	for range p.Steps {
		if p.top(gradient) <= p.Steepest || ctx.Err() != nil {
			break
		}
		runtime.Gosched() // trainings and questions come first
		way := direction(gradient, past)
		slope, size := dot(gradient, way), 1.
		next, then, turned := Weights(nil), math.Inf(1), []float64(nil)
		for ; size > 1e-9 && !(then <= value-2e-4*size*slope); size /= 2 {
			next = slices.Clone(w)
			add(next, way, -size)
			then, turned = p.look(next)
		}
		if !(then < value) {
			break // rounding errors of a sum over many rows
		}
		s := step{slices.Clone(next), slices.Clone(turned), 0}
		add(s.move, w, -1)
		add(s.turn, gradient, -1)
		if s.inverse = 1 / dot(s.move, s.turn); s.inverse > 0 {
			past = append(past[max(0, len(past)-remembered+1):], s)
		}
		w, value, gradient = next, then, turned
	}
	return w, p.top(gradient), ctx.Err()
}

func (p *Problem) look(w Weights) (value float64, gradient []float64) {
	gradient = make([]float64, len(w))
	split := len(w) - p.Classes
	add(gradient[:split], w, p.Precision)
	value = dot(w[:split], gradient) / 2
	var scores []float64
	for _, r := range p.Rows {
		scores = w.Scores(scores, r, p.Classes)
		own := scores[r.Label]
		most, sum := numeric.Softmax(scores, scores)
		value += math.Log(sum) + most - own
		scores[r.Label]--
		for i, f := range r.Features {
			add(gradient[int(f)*p.Classes:][:p.Classes], scores, r.Values[i])
		}
		add(gradient[split:], scores, 1)
	}
	return value, gradient
}

// direction returns the gradient times about the inverse of the Hessian.
func direction(gradient []float64, past []step) []float64 {
	way, shares := slices.Clone(gradient), make([]float64, len(past))
	for i, s := range slices.Backward(past) {
		shares[i] = s.inverse * dot(s.move, way)
		add(way, s.turn, -shares[i])
	}
	scale := 1 / math.Sqrt(dot(way, way))
	if len(past) > 0 {
		last := past[len(past)-1]
		scale = 1 / (last.inverse * dot(last.turn, last.turn))
	}
	add(way, way, scale-1)
	for i, s := range past {
		add(way, s.move, shares[i]-s.inverse*dot(s.turn, way))
	}
	return way
}

// top returns the largest absolute value of the gradient, divided by the number of rows.
func (p *Problem) top(gradient []float64) float64 {
	return max(slices.Max(gradient), -slices.Min(gradient)) / float64(len(p.Rows))
}

func dot(a, b []float64) (sum float64) {
	for i, v := range a {
		sum += v * b[i]
	}
	return sum
}

func add(to, x []float64, factor float64) {
	for i, v := range x[:len(to)] {
		to[i] += factor * v
	}
}
