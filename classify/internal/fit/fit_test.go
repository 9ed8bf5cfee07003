package fit

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// minimal is a linear congruential generator that the scripts below have too.
type minimal uint64

func (m *minimal) draw() float64 {
	*m = *m * 48271 % 2147483647
	return float64(*m) / 2147483647
}

// sample draws documents of the first labels classes. In component m the true
// class has good[m] more.
func (m *minimal) sample(docs, labels, classes int, good ...float64) *Sample {
	s := &Sample{Classes: classes, Parts: len(good), Prior: make([]float64, classes), Precision: slices.Repeat([]float64{1}, len(good))}
	for range docs {
		label := int(m.draw() * float64(labels))
		var scores []float64
		for _, g := range good {
			for c := range classes {
				v := 4*m.draw() - 2
				if c == label {
					v += g
				}
				scores = append(scores, v)
			}
		}
		s.Labels, s.Scores = append(s.Labels, label), append(s.Scores, scores)
	}
	return s
}

// The samples of the next two tests, and what others make of them (scikit-learn
// 1.2.1, scipy 1.10.1):
//
//	import numpy as np
//	from scipy.optimize import minimize
//	from sklearn.linear_model import LogisticRegression
//	x = 1
//	def draw():
//	    global x
//	    x = x * 48271 % 2147483647
//	    return x / 2147483647
//	def sample(docs, labels, classes, good):
//	    y, S = [], np.zeros((docs, len(good), classes))
//	    for d in range(docs):
//	        y.append(int(draw() * labels))
//	        for m, g in enumerate(good):
//	            for c in range(classes):
//	                S[d, m, c] = 4 * draw() - 2 + g * (c == y[d])
//	    return np.array(y), S
//	def sigma(S):
//	    return np.sqrt(((S - S.mean(2, keepdims=True)) ** 2).mean((0, 2)))
//	# Two classes: (b0² + b1²)/2 is least at b²/4 for b1 - b0 = b, which is the
//	# penalty of a column of √2.
//	y, S = sample(40, 2, 2, [1, .5, .2])
//	s = sigma(S)
//	X = np.c_[(S[:, :, 1] - S[:, :, 0]) / s, np.full(40, np.sqrt(2))]
//	w = LogisticRegression(C=1, fit_intercept=False, tol=1e-10, max_iter=10**5).fit(X, y).coef_[0]
//	print(w[:3] / s, -w[3] / np.sqrt(2), w[3] / np.sqrt(2))
//	# Three classes with documents and one without; the second component misleads.
//	y, S = sample(60, 3, 4, [1, -.5, .3])
//	S3, v, logp = S[:, :, :3], np.array([.3, .4, .5]), .5 * np.log([.5, .3, .2])
//	s = sigma(S3)
//	def loss(x):
//	    z = logp + x[3:] + np.einsum("m,dmc->dc", x[:3] / s, S3)
//	    z -= z[range(60), y][:, None]
//	    return np.log(np.exp(z).sum(1)).sum() + ((x[:3] - v * s) ** 2).sum() / 2 + 10 / 2 * (x[3:] ** 2).sum()
//	def gradient(x):
//	    z = logp + x[3:] + np.einsum("m,dmc->dc", x[:3] / s, S3)
//	    p = np.exp(z - z.max(1, keepdims=True))
//	    p /= p.sum(1, keepdims=True)
//	    p[range(60), y] -= 1
//	    return np.r_[np.einsum("dc,dmc->m", p, S3) / s + x[:3] - v * s, p.sum(0) + 10 * x[3:]]
//	fit = minimize(loss, np.r_[v * s, 0, 0, 0], jac=gradient, method="L-BFGS-B",
//	    bounds=[(0, None)] * 3 + [(None, None)] * 3, options=dict(ftol=0, gtol=1e-12, maxiter=10**5))
//	print(fit.x[:3] / s, fit.x[3:], fit.fun)
func fitSamples() (two, three *Sample) {
	m := minimal(1)
	two = m.sample(40, 2, 2, 1, .5, .2)
	three = m.sample(60, 3, 4, 1, -.5, .3)
	for c, p := range []float64{.5, .3, .2} {
		three.Prior[c] = .5 * math.Log(p)
	}
	three.Prior[3] = math.Inf(-1)
	return two, three
}

func TestFitTwoClasses(t *testing.T) {
	t.Parallel()
	two, _ := fitSamples()
	weights, bias := two.Weights(make([]float64, 3))
	// scikit-learn's solvers lbfgs and newton-cg differ by 1e-5.
	checkNear(t, "weights", weights, []float64{0.60558299, 0.26033686, 0.15918278}, 2e-5)
	checkNear(t, "bias", bias, []float64{-0.06607209, 0.06607209}, 2e-5)
}

func TestFitManyClasses(t *testing.T) {
	t.Parallel()
	_, three := fitSamples()
	weights, bias := three.Weights([]float64{.3, .4, .5})
	checkNear(t, "weights", weights, []float64{0.74401014, 0, 0.34483625}, 1e-6)
	checkNear(t, "bias", bias, []float64{-0.30638582, 0.16635335, 0.14003247, 0}, 1e-6)
	f := newFit(three, []float64{.3, .4, .5})
	x := append([]float64{0, 0, 0}, bias...)
	for m := range weights {
		x[m] = weights[m] * f.scale[m]
	}
	checkNear(t, "least value", []float64{valueAt(f, x)}, []float64{52.9475400940048}, 1e-9)
}

// Wherever the steps begin, they end at the minimum.
func TestFitNear(t *testing.T) {
	t.Parallel()
	_, three := fitSamples()
	byDefault := []float64{.3, .4, .5}
	want, wantBias := three.Weights(byDefault)
	for _, near := range [][]float64{{0, 0, 0}, want, {5, 0, 9}} {
		weights, bias := three.WeightsNear(byDefault, near, []float64{1, -2, .5, 0})
		checkNear(t, "weights", weights, want, 1e-4)
		checkNear(t, "bias", bias, wantBias, 1e-4)
	}
}

func checkNear(t *testing.T, what string, got, want []float64, tol float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %v, want %v", what, got, want)
	}
	for i := range got {
		if !(math.Abs(got[i]-want[i]) <= tol) {
			t.Errorf("%s: %v, want %v", what, got, want)
			return
		}
	}
}

// valueAt is the objective at x.
func valueAt(f *fit, x []float64) float64 {
	from := slices.Clone(f.x)
	copy(f.x, x)
	value := f.look()
	copy(f.x, from)
	f.look()
	return value
}

// checkMinimum holds that x is where the value is least: by central differences
// its gradient is 0 in what is free, and not below 0 in a weight that is 0.
func checkMinimum(t *testing.T, what string, s *Sample, byDefault []float64) {
	t.Helper()
	f := newFit(s, byDefault)
	value, steps := f.look(), 0
	for steps < fitSteps && f.step(&value) {
		steps++
	}
	if steps == fitSteps {
		t.Errorf("%s: %d steps did not do", what, steps)
	}
	// What a step may leave: a fall of the value by fitTolerance for each document.
	allowed := 10 * math.Sqrt(fitTolerance*float64(len(s.Labels)))
	for i := range f.x {
		const h = 1e-5
		x := slices.Clone(f.x)
		x[i] = f.x[i] + h
		up := valueAt(f, x)
		x[i] = f.x[i] - h
		slope := (up - valueAt(f, x)) / (2 * h)
		held := i < s.Parts && f.x[i] == 0
		if i < s.Parts && f.x[i] < 0 {
			t.Errorf("%s: weight %d is %v", what, i, f.x[i])
		}
		if math.Abs(slope) > allowed && !(held && slope > 0) {
			t.Errorf("%s: unknown %d of %d is %v, its slope %v", what, i, len(f.x), f.x[i], slope)
		}
		if math.Abs(slope-f.gradient[i]) > 1e-4*(1+math.Abs(slope)) {
			t.Errorf("%s: slope %v, but a gradient of %v", what, slope, f.gradient[i])
		}
	}
}

func TestFitFindsMinimum(t *testing.T) {
	t.Parallel()
	m := minimal(7)
	two, three := fitSamples()
	checkMinimum(t, "two classes", two, []float64{0, 0, 0})
	checkMinimum(t, "far from the default", two, []float64{50, 0, 50})
	checkMinimum(t, "a class without documents", three, []float64{.3, .4, .5})
	checkMinimum(t, "separable", m.sample(50, 2, 2, 9, 9), []float64{1, 0})
	checkMinimum(t, "separable, many classes", m.sample(300, 40, 40, 9, 9, 9), []float64{1, 0, 0})
	checkMinimum(t, "all misleading", m.sample(80, 3, 3, -1, -2, -.1), []float64{1, 1, 1})
	checkMinimum(t, "one document", m.sample(1, 1, 2, 1), []float64{1})
	checkMinimum(t, "few documents of many classes", m.sample(60, 50, 50, 1, 1, 1, 1, 1, 1, 1, 1), []float64{1, 0, 1, 0, 1, 0, 1, 0})
	unbiased := m.sample(400, BiasClasses+9, BiasClasses+9, 2, 1, -1)
	unbiased.Unbiased = true
	checkMinimum(t, "without biases", unbiased, []float64{1, 1, 1})
	rng := rand.New(rand.NewPCG(1, 1))
	for range 60 { // components that say nearly the same, and the default is wrong
		s := m.sample(20+rng.IntN(60), 3, 3, rng.NormFloat64(), 0, 0, rng.NormFloat64(), 0)
		byDefault := make([]float64, 5)
		for i := range byDefault {
			byDefault[i] = 3 * rng.Float64()
		}
		for _, scores := range s.Scores {
			for c := range 3 {
				scores[1*3+c] = scores[c] + .05*scores[1*3+c]
				scores[2*3+c] = 3*scores[c] - .1*scores[2*3+c]
				scores[4*3+c] = -scores[3*3+c] + .02*scores[4*3+c]
			}
		}
		checkMinimum(t, "twins", s, byDefault)
	}
}

// A component that says the same of all classes says nothing: its weight is of
// no account, and the others are what they are without it.
func TestFitConstantScores(t *testing.T) {
	t.Parallel()
	for _, constant := range []float64{0, 5, -1e4} {
		two, _ := fitSamples()
		want, wantBias := two.Weights([]float64{1, 1, 1})
		for d, scores := range two.Scores {
			two.Scores[d] = append(slices.Clone(scores), constant, constant)
		}
		two.Parts, two.Precision = two.Parts+1, append(two.Precision, 1)
		weights, bias := two.Weights([]float64{1, 1, 1, 1})
		checkNear(t, "weights", weights[:3], want, 1e-4)
		checkNear(t, "bias", bias, wantBias, 1e-4)
		if !(weights[3] >= 0) || math.IsInf(weights[3], 0) {
			t.Errorf("weight %v of the constant component", weights[3])
		}
		checkMinimum(t, "constant scores", two, []float64{1, 1, 1, 1})
	}
}

// Adding the same to all classes of a document, as a likelihood has it that is
// known up to a summand, changes nothing.
func TestFitCommonSummand(t *testing.T) {
	t.Parallel()
	two, _ := fitSamples()
	want, wantBias := two.Weights([]float64{1, 1, 1})
	for d := range two.Scores {
		for i := range two.Scores[d] {
			two.Scores[d][i] -= float64(1000 * (d + 1))
		}
	}
	weights, bias := two.Weights([]float64{1, 1, 1})
	checkNear(t, "weights", weights, want, 1e-6)
	checkNear(t, "bias", bias, wantBias, 1e-6)
}

// The posterior is the softmax of what is weighed, by its definition.
func TestWeigh(t *testing.T) {
	t.Parallel()
	_, s := fitSamples()
	weights, bias := []float64{.7, 0, .2}, []float64{.1, -.2, .3, 0}
	p := make([]float64, 4)
	for d, scores := range s.Scores {
		var odds [4]float64
		sum := 0.
		for c := range 3 {
			odds[c] = math.Exp(s.Prior[c] + bias[c] + .7*scores[c] + .2*scores[2*4+c])
			sum += odds[c]
		}
		want := math.Log(odds[s.Labels[d]] / sum)
		s.Weigh(p, d, weights, bias)
		if got := softmax(p, s.Labels[d]); !(math.Abs(got-want) <= 1e-12*math.Abs(want)) {
			t.Fatalf("document %d: %v, want %v", d, got, want)
		}
	}
}
