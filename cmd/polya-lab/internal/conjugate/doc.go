// Package conjugate has conjugate priors, for which a posterior is a sum of counts and
// every question has a closed form:
//
//	data                      prior                     predictive
//	yes or no                 Beta                      BetaBinomial
//	one of K types            Dirichlet, Symmetric      DirichletMultinomial
//	a real number, Gaussian   NormalGamma               StudentT
//	a number of 0 to θ        Pareto                    LogPredictive, LogFuture
//
// Each struct has the parameters of a prior, in its first fields, and the observed
// counts, in the fields after them, zero at the start. Update adds to the counts and
// returns the posterior; it does not change the prior parameters. So the posterior
// depends only on the sums, and these are as exact as the caller's:
//
//   - Beta, Dirichlet and Pareto count whole numbers and a maximum. Updating one at a
//     time, in any order, or all at once gives the same bits, with any prior.
//   - NormalGamma keeps a mean and a sum of squared deviations. One Update with
//     both computed from exact sums gives the same bits whatever the order in which
//     those were summed; several Updates round, about one unit in the last place each.
//
// The methods have the same names in all families. Params are the posterior's parameters.
// Predictive and LogPredictive are the probability (or density) of the next datum,
// LogFuture that of a sequence of future data, all three averaged over the posterior.
// LogMarginal is the probability of the counted sequence, averaged over the prior: the
// product of its successive predictives.
//
// # Conventions
//
// Logarithms are natural. Methods return NaN for undefined values, such as the mode of a
// flat density or the predictive of an improper prior before any data; each lists its
// cases. Parameters out of range and slices of unequal length are mistakes of the program
// and panic.
//
// Logarithms of Gamma functions are never subtracted: log Γ(a+n) - log Γ(a) is
// computed as such, to 5e-15 of itself or of 1, whichever is more.
//
// The formulas are those of M. DeGroot, Optimal Statistical Decisions, 1970, chapter
// 9, in the letters of K. Murphy, Machine Learning: A Probabilistic Perspective,
// 2012, chapters 3 and 4, and of K. Murphy, Conjugate Bayesian analysis of the
// Gaussian distribution, 2007.
package conjugate
