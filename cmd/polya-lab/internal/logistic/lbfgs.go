package logistic

import (
	"context"
	"math"
	"slices"
)

const (
	// memory is the number of steps that L-BFGS remembers. Each takes twice the memory of
	// the weights; more do not pay.
	memory = 7

	// Wolfe's conditions: a step lowers the objective by at least enough times the linear
	// prediction, and the slope to at most steep times its value.
	enough = 1e-4
	steep  = 0.9

	// most is the largest number of steps, and mostTries of lengths tried for a step.
	most      = 1000
	mostTries = 40

	// The search ends when stalledSteps steps together lower the objective by no more than
	// this share of it, the rounding error of a sum over many documents.
	stalledSteps = 20
	stalled      = 1e-12
)

// step is a past step: its vector, the change of the gradient, and 1 over their inner
// product.
type step struct {
	moved, turned []float64
	rho           float64
}

// minimise moves x to the minimum of the convex function f, which sets grad to its
// gradient at x, by L-BFGS (Nocedal and Wright, algorithm 7.5). It stops when no
// component of the gradient exceeds tolerance, when rounding prevents further progress,
// or after 1,000 steps. It returns the greatest component of the gradient there, and the
// error of ctx if that ends.
func minimise(ctx context.Context, f func(x, grad []float64) float64, x []float64, tolerance float64) (float64, error) {
	grad, dir := make([]float64, len(x)), make([]float64, len(x))
	next, nextGrad := make([]float64, len(x)), make([]float64, len(x))
	value := f(x, grad)
	var past []step
	values := []float64{value}
	for range most {
		if ctx.Err() != nil || greatest(grad) <= tolerance {
			break
		}
		direction(dir, grad, past)
		length := 1.0
		if len(past) == 0 {
			length = 1 / math.Sqrt(dot(grad, grad))
		}
		lower, found := search(f, x, dir, length, value, dot(grad, dir), next, nextGrad)
		if !found {
			break
		}
		past = remember(past, x, next, grad, nextGrad)
		value = lower
		copy(x, next)
		copy(grad, nextGrad)
		values = append(values, value)
		if n := len(values) - 1; n >= stalledSteps && values[n-stalledSteps]-value <= stalled*math.Abs(value) {
			break
		}
	}
	return greatest(grad), ctx.Err()
}

// direction sets dir to the search direction -H grad, where H approximates the inverse
// Hessian from past steps.
func direction(dir, grad []float64, past []step) {
	for i, g := range grad {
		dir[i] = -g
	}
	if len(past) == 0 {
		return
	}
	var alpha [memory]float64
	for i, s := range slices.Backward(past) {
		alpha[i] = s.rho * dot(s.moved, dir)
		add(dir, -alpha[i], s.turned)
	}
	last := past[len(past)-1]
	scale := 1 / (last.rho * dot(last.turned, last.turned))
	for i := range dir {
		dir[i] *= scale
	}
	for i, s := range past {
		add(dir, alpha[i]-s.rho*dot(s.turned, dir), s.moved)
	}
}

// search sets next to x + t·dir, and grad to the gradient there, for a t that meets
// Wolfe's conditions, and returns the value. It tries t first, which nearly always
// suffices, and then the minimum of the interpolating parabola. It reports whether it
// found such a t.
func search(f func(x, grad []float64) float64, x, dir []float64, t, value, slope float64, next, grad []float64) (float64, bool) {
	type point struct{ t, value, slope float64 }
	low, high := point{0, value, slope}, point{t: math.Inf(1)}
	for range mostTries {
		copy(next, x)
		add(next, t, dir)
		here := point{t: t, value: f(next, grad)}
		here.slope = dot(grad, dir)
		switch {
		case !(here.value <= value+enough*t*slope):
			high = here
		case here.slope < steep*slope:
			low = here
		default:
			return here.value, true
		}
		if math.IsInf(high.t, 1) {
			t = 2 * low.t
			continue
		}
		width := high.t - low.t
		share := low.slope * width / (low.slope*width + low.value - high.value) / 2
		if !(share >= 0.1 && share <= 0.9) {
			share = 0.5
		}
		t = low.t + share*width
	}
	return 0, false
}

// remember adds the step from x to next, and forgets the oldest one for it.
func remember(past []step, x, next, grad, nextGrad []float64) []step {
	s := step{moved: make([]float64, len(x)), turned: make([]float64, len(x))}
	if len(past) == memory {
		s = past[0]
		past = append(past[:0], past[1:]...)
	}
	for i := range x {
		s.moved[i], s.turned[i] = next[i]-x[i], nextGrad[i]-grad[i]
	}
	s.rho = 1 / dot(s.moved, s.turned)
	return append(past, s)
}

// greatest returns the greatest magnitude of a component.
func greatest(v []float64) float64 {
	magnitude := 0.0
	for _, x := range v {
		magnitude = max(magnitude, math.Abs(x))
	}
	return magnitude
}

func dot(a, b []float64) (sum float64) {
	for i, x := range a {
		sum += x * b[i]
	}
	return sum
}

// add adds k·b to a.
func add(a []float64, k float64, b []float64) {
	for i, x := range b {
		a[i] += k * x
	}
}
