package fit

import (
	"math"
	"slices"
)

// step makes one Newton step in the unconstrained unknowns, halved until the objective
// falls. It reports whether another step is worthwhile.
func (f *fit) step(value *float64) bool {
	free := make([]int, 0, len(f.x))
	for i, v := range f.x {
		if i >= f.s.Parts || v > 0 || f.gradient[i] < 0 {
			free = append(free, i)
		}
	}
	f.curve(free)
	direction := solve(f.hessian, f.gradient, free)
	from := slices.Clone(f.x)
	for size := 1.0; size > 1e-6; size /= 2 {
		copy(f.x, from)
		for k, i := range free {
			f.x[i] -= size * direction[k]
			if i < f.s.Parts {
				f.x[i] = max(f.x[i], 0)
			}
		}
		if v := f.look(); v <= *value {
			fall := *value - v
			*value = v
			return fall > fitTolerance*float64(len(f.s.Labels))
		}
	}
	copy(f.x, from)
	return false
}

// solve returns the solution of H x = g, where h is the lower half of H and g has it at the
// places free, by Cholesky's factors; H is positive definite, for the priors are in it.
func solve(h [][]float64, g []float64, free []int) []float64 {
	n := len(free)
	l := make([][]float64, n)
	x := make([]float64, n)
	for i := range n {
		l[i] = make([]float64, i+1)
		for j := range i + 1 {
			sum := h[i][j]
			for k := range j {
				sum -= l[i][k] * l[j][k]
			}
			if i == j {
				l[i][i] = math.Sqrt(max(sum, 1e-12))
			} else {
				l[i][j] = sum / l[j][j]
			}
		}
		sum := g[free[i]]
		for k := range i {
			sum -= l[i][k] * x[k]
		}
		x[i] = sum / l[i][i]
	}
	for i := n - 1; i >= 0; i-- {
		for k := i + 1; k < n; k++ {
			x[i] -= l[k][i] * x[k]
		}
		x[i] /= l[i][i]
	}
	return x
}
