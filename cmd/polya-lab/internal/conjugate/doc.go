// Package conjugate has conjugate priors, for which a posterior is a sum of counts and
// every question has a closed form:
//
//	data                      prior          predictive
//	yes or no                 Beta           LogTrials
//	a real number, Gaussian   NormalGamma    StudentT
//	a number of 0 to θ        Pareto         Predictive
//
// Each struct has the parameters of a prior, in its first fields, and the observed
// counts, in the fields after them, zero at the start. Update adds to the counts and
// returns the posterior; it does not change the prior parameters. Params are the
// posterior's parameters. LogMarginal is the logarithm of the probability (or density) of
// the data, averaged over the prior.
//
// Logarithms are natural. Methods return NaN for undefined values, such as the predictive
// of an improper prior before any data. Parameters out of range panic. Logarithms of Gamma
// functions are never subtracted, but their difference is computed as such, to 5e-15 of
// itself or of 1, whichever is more.
//
// The formulas are those of M. DeGroot, Optimal Statistical Decisions, 1970, chapter
// 9, in the letters of K. Murphy, Machine Learning: A Probabilistic Perspective,
// 2012, chapters 3 and 4, and of K. Murphy, Conjugate Bayesian analysis of the
// Gaussian distribution, 2007.
package conjugate
