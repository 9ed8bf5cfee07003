package classify

// halfFits are the weights and biases that were fitted to each half of a sample.
type halfFits [2]struct{ weights, bias []float64 }

// crossFit fits each half of the sample.
func crossFit(s sample, byDefault []float64) (fits halfFits) {
	for half := range fits {
		fits[half].weights, fits[half].bias = s.Half(half).Weights(byDefault)
	}
	return fits
}

// each calls f with each half of the sample, and with what was fitted to the other.
func (h *halfFits) each(s sample, f func(half sample, weights, bias []float64)) {
	for half, fit := range h {
		f(s.half(1-half), fit.weights, fit.bias)
	}
}
