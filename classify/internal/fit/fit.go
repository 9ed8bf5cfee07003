package fit

const (
	// biasPrecision is 1/σ² of a bias around 0. With many classes there are many biases and
	// few documents of each; on mail folders that change with time (Enron's, first half →
	// second) 10 gives .534 correct, .1 gives .528.
	biasPrecision = 10

	// twoClassPrecision is biasPrecision for two classes, for which one number is fitted to
	// all documents.
	twoClassPrecision = 1

	// BiasClasses is the largest number of classes that should get biases: Newton's step takes
	// time quadratic in it.
	BiasClasses = 128

	// negligibleShare is the share of the sum of weights, for scores scaled to a standard
	// deviation of 1, below which a component is dropped.
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
// documents. There is no b if s is Unbiased, as with many classes. It is a convex
// problem, solved by projected Newton steps (Bertsekas, Projected Newton methods for
// optimization problems with simple constraints, SIAM J. Control and Optimization 20,
// 1982). Weights below negligibleShare are then set to 0. Sums run in the order of the
// documents. The scores of s are centered in place.
func (s *Sample) Weights(byDefault []float64) (weights, bias []float64) {
	return s.WeightsNear(byDefault, byDefault, nil)
}

// WeightsNear is Weights started from these weights and biases, such as those of a fit to
// other documents. The minimum is the same; a closer start needs fewer steps.
func (s *Sample) WeightsNear(byDefault, nearWeights, nearBias []float64) (weights, bias []float64) {
	s.center()
	f := newFit(s, byDefault)
	for m, w := range nearWeights {
		f.x[m] = w * f.scale[m]
	}
	copy(f.x[s.Parts:], nearBias)
	f.run()
	weights = f.x[:s.Parts:s.Parts]
	sum := 0.0
	for _, w := range weights {
		sum += w
	}
	for m := range weights {
		if weights[m] < negligibleShare*sum {
			weights[m] = 0 // its gain is less than its cost
		}
		weights[m] /= f.scale[m]
	}
	return weights, f.x[s.Parts:]
}

// run makes steps until the objective falls no more, and returns it.
func (f *fit) run() float64 {
	value := f.look()
	for range fitSteps {
		if !f.step(&value) {
			break
		}
	}
	return value
}

// fit is the state of a fit. Its unknowns x are the weights, scaled by σ, and the biases.
type fit struct {
	s        *Sample
	scale    []float64
	center   []float64 // the scaled default weights
	biases   int
	beta     float64
	x        []float64
	gradient []float64
	hessian  [][]float64 // the lower half, of the unknowns that curve was asked for
	w        []float64   // the weights themselves
	p        []float64   // of the document that was looked at last
	truth    []float64   // the same given its label, with Flips
	all      []float64   // by document and class: the p of the last look
	mean     []float64   // by component
	spread   []float64   // by likely class and component: score - mean
	likely   []int       // classes that are not next to impossible
}

func newFit(s *Sample, byDefault []float64) *fit {
	f := &fit{s: s, scale: s.deviations(), biases: s.Classes, beta: biasPrecision}
	if s.Unbiased {
		f.biases = 0
	} else if s.Present() == 2 {
		f.beta = twoClassPrecision
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
		f.hessian[i] = make([]float64, i+1)
	}
	f.w, f.mean = make([]float64, s.Parts), make([]float64, s.Parts)
	f.p, f.all = make([]float64, s.Classes), make([]float64, len(s.Labels)*s.Classes)
	f.spread = make([]float64, s.Parts*s.Classes)
	return f
}

// posterior sets f.p to the probabilities of the classes for document d by f.w and the biases
// of f.x, and returns the log probability of its label.
func (f *fit) posterior(d int) float64 {
	f.s.Weigh(f.p, d, f.w, f.x[f.s.Parts:])
	own := softmax(f.p, f.s.Labels[d])
	if f.s.Flips == nil {
		return own
	}
	f.truth = append(f.truth[:0], f.p...)
	return f.s.Flips.Truth(f.truth, f.s.Labels[d])
}

// add adds a document to the gradient, for scores that are not scaled: the means of its
// scores by p, less those by its true class.
func (f *fit) add(d, label int) {
	biases := f.gradient[f.s.Parts:]
	if f.s.Flips != nil {
		for c, p := range f.p {
			f.truth[c] = p - f.truth[c]
		}
		for m := range f.mean {
			for c, v := range f.s.row(d, m) {
				f.gradient[m] += f.truth[c] * v
			}
		}
		for c := range biases {
			biases[c] += f.truth[c]
		}
		return
	}
	for m := range f.mean {
		row := f.s.row(d, m)
		f.gradient[m] += f.meanOf(row) - row[label]
	}
	if f.biases > 0 {
		biases[label]--
		for c, p := range f.p {
			biases[c] += p
		}
	}
}

// look computes the gradient at f.x and returns the value there.
func (f *fit) look() float64 {
	clear(f.gradient)
	sum := 0.0
	for i, v := range f.x {
		precision, center := f.prior(i)
		sum += precision / 2 * (v - center) * (v - center)
	}
	for m := range f.w {
		f.w[m] = f.x[m] / f.scale[m]
	}
	for d, label := range f.s.Labels {
		sum -= f.posterior(d)
		copy(f.all[d*len(f.p):], f.p)
		f.add(d, label)
	}
	for i, v := range f.x {
		if i < f.s.Parts {
			f.gradient[i] /= f.scale[i] // of scores that are not scaled
		}
		precision, center := f.prior(i)
		f.gradient[i] += precision * (v - center)
	}
	return sum
}

// prior returns the precision and the centre of the prior of unknown i.
func (f *fit) prior(i int) (precision, center float64) {
	if i >= f.s.Parts {
		return f.beta, 0
	}
	return f.s.Precision[i], f.center[i]
}

// meanOf returns the mean of the scores of a component by the probabilities of the classes.
func (f *fit) meanOf(row []float64) float64 {
	mean := 0.0
	for c, p := range f.p {
		mean += p * row[c]
	}
	return mean
}

// curve computes the Hessian where look was last, of the unknowns that are free, in ascending
// order and all biases among them: most components stay at their bound.
func (f *fit) curve(free []int) {
	for i := range free {
		clear(f.hessian[i])
	}
	components := free[:len(free)-f.biases]
	for d := range f.s.Labels {
		copy(f.p, f.all[d*len(f.p):])
		f.addWeights(d, components)
		if f.biases > 0 {
			f.addBiases(d, components)
		}
	}
	for i, m := range free {
		row := f.hessian[i]
		for k := range row { // documents have added for scores that are not scaled
			if m < f.s.Parts {
				row[k] /= f.scale[m]
			}
			if free[k] < f.s.Parts {
				row[k] /= f.scale[free[k]]
			}
		}
		precision, _ := f.prior(m)
		row[i] += precision
	}
}

// likelyClasses sets f.likely to the classes with at least this probability.
func (f *fit) likelyClasses(least float64) {
	f.likely = f.likely[:0]
	for c, p := range f.p {
		if p >= least {
			f.likely = append(f.likely, c)
		}
	}
}

// addWeights adds a document to the Hessian of the weights of components. Of many classes
// most are next to impossible, and are left out.
func (f *fit) addWeights(d int, components []int) {
	const negligible = 1e-6
	f.likelyClasses(negligible)
	n := len(components)
	for k, m := range components {
		row := f.s.row(d, m)
		mean := f.meanOf(row)
		f.mean[k] = mean
		for i, c := range f.likely {
			f.spread[i*n+k] = row[c] - mean
		}
	}
	for i, c := range f.likely {
		spread := f.spread[i*n:][:n]
		for m, z := range spread {
			z *= f.p[c]
			to := f.hessian[m]
			for k, v := range spread[:len(to)] {
				to[k] += z * v
			}
		}
	}
}

// addBiases adds a document to the Hessian of the biases. Nearly impossible classes, which
// are most, are left out of the mixed terms: a step need not be exact.
func (f *fit) addBiases(d int, components []int) {
	const negligible = 1e-3
	rows := f.hessian[len(components):]
	f.likelyClasses(negligible)
	for c, p := range f.p {
		rows[c][len(components)+c] += p * (1 - p)
	}
	for k, m := range components {
		scores, mean := f.s.row(d, m), f.mean[k]
		for _, c := range f.likely {
			rows[c][k] += f.p[c] * (scores[c] - mean)
		}
	}
	for i, c := range f.likely {
		for _, k := range f.likely[:i] {
			rows[c][len(components)+k] -= f.p[c] * f.p[k]
		}
	}
}
