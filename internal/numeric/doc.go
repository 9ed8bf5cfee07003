// Package numeric computes what models and measures need of logarithms, probabilities and
// samples, to the last digits also where probabilities are near 0 and 1 or numbers are large.
package numeric
