// Package concept learns a concept from positive examples only: which of many
// hypotheses, each a set of objects, are the examples D = x_1 … x_n drawn from?
//
// Examples are assumed to be drawn uniformly at random from the concept (strong
// sampling), so that
//
//	p(D|h) = (1/|h|)^n   if all of D are in h, else 0
//
// which is the size principle: among the hypotheses that contain all examples smaller
// ones are more likely, and increasingly so with every example. Then
//
//	p(h|D)   = p(D|h) p(h) / Σ_h' p(D|h') p(h')
//	p(x∈C|D) = Σ_h p(h|D) [x ∈ h]                  Bayesian model averaging
//	p(x∈C|D) ≈ [x ∈ ĥ],  ĥ = argmax_h p(h|D)       plug-in
//
// and the hypothesis of the greatest likelihood, argmax_h p(D|h), is the smallest that
// contains all examples. With few examples averaging generalises further than the
// plug-in; with many both converge to the maximum of the likelihood.
//
// A prior keeps unnatural hypotheses ("powers of 2, except 32") from winning by their
// size. It may be a mixture of the priors of several kinds of hypotheses,
//
//	p(h) = Σ_i λ_i p_i(h)
//
// such as rules and intervals in the number game; see Mixture.
//
// # Exceptions
//
// With Noise ε > 0 an example is drawn from h with probability 1-ε, and from all N
// existing objects with probability ε:
//
//	p(x|h) = (1-ε) [x ∈ h]/|h| + ε/N
//
// so that a hypothesis that an example contradicts is improbable instead of impossible,
// and every set of examples has a posterior.
//
// # Sources
//
// J. B. Tenenbaum, A Bayesian Framework for Concept Learning, PhD thesis, MIT, 1999;
// the same, Rules and Similarity in Concept Learning, NIPS 12, 2000; K. P. Murphy,
// Machine Learning: A Probabilistic Perspective, MIT Press, 2012, section 3.2. The
// term of noise is ours.
package concept
