package fit

const (
	// weightPrecision is 1/σ² of the Gaussian prior of a weight around its
	// default, where the scores are scaled to a standard deviation of 1.
	weightPrecision = 1

	// biasPrecision is 1/σ² of a bias around 0. With many classes biases are
	// many and documents of each few; on mail folders that change with time
	// (Enron's, first half → second) 10 gives .534 correct, .1 gives .528.
	biasPrecision = 10

	// twoClassPrecision is biasPrecision for two classes, where one number is
	// fitted to all documents.
	twoClassPrecision = 1

	// BiasClasses is the greatest number of classes that get biases: Newton's
	// step takes time in the square of it.
	BiasClasses = 128

	// negligibleShare is the share of all weights, where scores are scaled to a
	// standard deviation of 1, below which a component is left out.
	negligibleShare = 0.02

	fitSteps     = 50
	fitTolerance = 1e-7 // of the loss, per document
)

// Weights returns the weights, at least 0, and biases that minimise
//
//	-Σ_d log p(label_d) + Σ_m λ_m (w_m σ_m - v_m σ_m)²/2 + Σ_c β b_c²/2
//
// with p the softmax of prior_c + b_c + Σ_m w_m S_dmc, v the default weights, λ the
// precisions, and σ_m the standard deviation of the scores of component m within
// documents. There are no biases with more than BiasClasses classes. It is a convex
// problem; the steps are Newton's, projected (Bertsekas, Projected
// Newton methods for optimization problems with simple constraints, SIAM J.
// Control and Optimization 20, 1982). Weights of a negligibleShare are then set to
// 0. Sums run in the order of the documents. The scores of s are centered in place.
func (s *Sample) Weights(byDefault []float64) (weights, bias []float64) {
	return s.WeightsNear(byDefault, byDefault, nil)
}

// WeightsNear is Weights for which steps begin with those weights and biases, as a fit to
// other documents has them. The minimum is the same; nearer to it, fewer steps are needed.
func (s *Sample) WeightsNear(byDefault, nearWeights, nearBias []float64) (weights, bias []float64) {
	s.center()
	f := newFit(s, byDefault)
	for m, w := range nearWeights {
		f.x[m] = w * f.scale[m]
	}
	copy(f.x[s.Parts:], nearBias)
	value := f.look()
	for range fitSteps {
		if !f.step(&value) {
			break
		}
	}
	weights = f.x[:s.Parts:s.Parts]
	sum := 0.0
	for _, w := range weights {
		sum += w
	}
	for m := range weights {
		if weights[m] < negligibleShare*sum {
			weights[m] = 0 // what it adds is less than what computing it costs
		}
		weights[m] /= f.scale[m]
	}
	return weights, f.x[s.Parts:]
}

// fit is a fit under way. Its unknowns x are the weights, scaled by σ, and
// the biases.
type fit struct {
	s        *Sample
	scale    []float64
	center   []float64 // the scaled default weights
	biases   int
	beta     float64
	x        []float64
	gradient []float64
	hessian  [][]float64
	w        []float64 // the weights themselves
	p, mean  []float64
	spread   []float64 // by likely class and component: score - mean
	likely   []int     // classes that are not next to impossible
}

func newFit(s *Sample, byDefault []float64) *fit {
	f := &fit{s: s, scale: s.deviations(), biases: s.Classes, beta: biasPrecision}
	switch classes := s.Present(); {
	case classes == 2:
		f.beta = twoClassPrecision
	case classes > BiasClasses:
		f.biases = 0
	}
	n := s.Parts + f.biases
	f.center = make([]float64, s.Parts)
	f.x = make([]float64, s.Parts+s.Classes)[:n]
	for m := range f.center {
		f.center[m] = byDefault[m] * f.scale[m]
		f.x[m] = f.center[m]
	}
	f.gradient = make([]float64, n)
	f.hessian = make([][]float64, n)
	for i := range f.hessian {
		f.hessian[i] = make([]float64, n)
	}
	f.w = make([]float64, s.Parts)
	f.p, f.mean = make([]float64, s.Classes), make([]float64, s.Parts)
	f.spread = make([]float64, s.Parts*s.Classes)
	return f
}

// weigh sets f.w to the weights of x.
func (f *fit) weigh(x []float64) {
	for m := range f.w {
		f.w[m] = x[m] / f.scale[m]
	}
}

// posterior sets f.p to the probabilities of the classes for document d by f.w and the biases
// of x, and returns the log probability of its label.
func (f *fit) posterior(x []float64, d int) float64 {
	f.s.Weigh(f.p, d, f.w, x[f.s.Parts:])
	return softmax(f.p, f.s.Labels[d])
}

// value returns what is minimised, at x.
func (f *fit) value(x []float64) float64 {
	sum := f.penalty(x)
	f.weigh(x)
	for d := range f.s.Labels {
		sum -= f.posterior(x, d)
	}
	return sum
}

// precision returns the precision of the prior of weight m.
func (f *fit) precision(m int) float64 {
	if f.s.Precision == nil {
		return weightPrecision
	}
	return f.s.Precision[m]
}

func (f *fit) penalty(x []float64) float64 {
	sum := 0.0
	for i, v := range x {
		if i < f.s.Parts {
			sum += f.precision(i) / 2 * (v - f.center[i]) * (v - f.center[i])
		} else {
			sum += f.beta / 2 * v * v
		}
	}
	return sum
}

// look computes gradient and Hessian at f.x and returns the value there.
func (f *fit) look() float64 {
	clear(f.gradient)
	for i := range f.hessian {
		clear(f.hessian[i])
	}
	sum := f.penalty(f.x)
	f.weigh(f.x)
	for d := range f.s.Labels {
		sum -= f.posterior(f.x, d)
		f.addWeights(d)
		if f.biases > 0 {
			f.addBiases(d)
		}
	}
	f.unscale()
	for i, v := range f.x {
		precision, center := f.beta, 0.0
		if i < f.s.Parts {
			precision, center = f.precision(i), f.center[i]
		}
		f.gradient[i] += precision * (v - center)
		f.hessian[i][i] += precision
	}
	return sum
}

// unscale turns what documents have added for scores into what it is for scaled ones, and
// fills the Hessian's other half.
func (f *fit) unscale() {
	for m, scale := range f.scale {
		f.gradient[m] /= scale
		row := f.hessian[m]
		for k := range row {
			if row[k] /= scale; k < f.s.Parts {
				row[k] /= f.scale[k]
			}
		}
	}
	for m := range f.scale {
		for k := range m {
			f.hessian[k][m] = f.hessian[m][k]
		}
		for k := f.s.Parts; k < len(f.hessian); k++ {
			f.hessian[k][m] = f.hessian[m][k]
		}
	}
}

// likelyClasses sets f.likely to the classes of at least that probability.
func (f *fit) likelyClasses(least float64) {
	f.likely = f.likely[:0]
	for c, p := range f.p {
		if p >= least {
			f.likely = append(f.likely, c)
		}
	}
}

// addWeights adds a document to the gradient and Hessian of the weights, for scores that are
// not scaled. Of many classes most are next to impossible, and are left out of the Hessian.
func (f *fit) addWeights(d int) {
	const negligible = 1e-6
	f.likelyClasses(negligible)
	label, parts := f.s.Labels[d], len(f.mean)
	for m := range f.mean {
		row, mean := f.s.row(d, m)[:len(f.p)], 0.0
		for c, p := range f.p {
			mean += p * row[c]
		}
		f.mean[m] = mean
		f.gradient[m] += mean - row[label]
		for i, c := range f.likely {
			f.spread[i*parts+m] = row[c] - mean
		}
	}
	for i, c := range f.likely {
		spread := f.spread[i*parts : (i+1)*parts]
		for m, z := range spread {
			z *= f.p[c]
			to := f.hessian[m][:m+1]
			for k, v := range spread[:m+1] {
				to[k] += z * v
			}
		}
	}
}

// addBiases adds a document to the gradient and Hessian of the biases. What is
// next to impossible for it is left out of the latter's mixed terms: most classes
// are, and a step need not be exact.
func (f *fit) addBiases(d int) {
	const negligible = 1e-3
	parts := f.s.Parts
	f.gradient[parts+f.s.Labels[d]]--
	f.likelyClasses(negligible)
	for c, p := range f.p {
		f.gradient[parts+c] += p
		f.hessian[parts+c][parts+c] += p * (1 - p)
	}
	for _, c := range f.likely {
		row, p := f.hessian[parts+c], f.p[c]
		for m := range parts {
			f.hessian[m][parts+c] += p * (f.s.row(d, m)[c] - f.mean[m])
		}
		for _, k := range f.likely {
			if k != c {
				row[parts+k] -= p * f.p[k]
			}
		}
	}
}
