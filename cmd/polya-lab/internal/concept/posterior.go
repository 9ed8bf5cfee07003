package concept

import "math"

// Posterior is the posterior over the hypotheses of a Space given examples. Slices are by
// hypothesis, in the order of the Space.
type Posterior[T any] struct {
	// LogLikelihood is log p(D|h), -Inf where an example is not in h.
	LogLikelihood []float64

	// LogProb is log p(h|D). exp of it sums to 1.
	LogProb []float64

	// LogEvidence is log p(D) = log Σ_h p(D|h) p(h), at most 0 if no size is
	// under 1.
	LogEvidence float64

	hypotheses []Hypothesis[T]
}

// Learn returns the posterior given the examples. Without examples it is the prior. Their
// order does not matter; an example given twice counts as drawn twice. The error is
// ErrNoFit, or says that the Space is invalid: no hypotheses, or a size or a prior out of
// range.
func (s *Space[T]) Learn(examples ...T) (*Posterior[T], error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	p := &Posterior[T]{
		LogLikelihood: make([]float64, len(s.Hypotheses)),
		LogProb:       s.logPrior(),
		hypotheses:    s.Hypotheses,
	}
	for i := range s.Hypotheses {
		p.LogLikelihood[i] = s.logLikelihood(&s.Hypotheses[i], examples)
		p.LogProb[i] += p.LogLikelihood[i]
	}
	p.LogEvidence = normalise(p.LogProb)
	if math.IsInf(p.LogEvidence, -1) {
		return nil, ErrNoFit
	}
	return p, nil
}

// Prob returns p(h|D) of the hypothesis of that index.
func (p *Posterior[T]) Prob(h int) float64 { return math.Exp(p.LogProb[h]) }

// Likelihood returns p(D|h) of the hypothesis of that index.
func (p *Posterior[T]) Likelihood(h int) float64 { return math.Exp(p.LogLikelihood[h]) }

// Predict returns the posterior predictive p(x∈C|D), averaged over the hypotheses:
//
//	Σ_h p(h|D) [x ∈ h]
func (p *Posterior[T]) Predict(x T) float64 {
	in, out := 0.0, 0.0
	for i := range p.hypotheses {
		switch {
		case math.IsInf(p.LogProb[i], -1):
		case p.hypotheses[i].Has(x):
			in += p.Prob(i)
		default:
			out += p.Prob(i)
		}
	}
	return in / (in + out)
}

// normalise subtracts from all of logs their log-sum-exp and returns it. If all are
// -Inf, so is the result, and nothing is changed.
func normalise(logs []float64) float64 {
	greatest := math.Inf(-1)
	for _, l := range logs {
		greatest = max(greatest, l)
	}
	if math.IsInf(greatest, -1) {
		return greatest // or the differences below would be NaN
	}
	sum := 0.0
	for _, l := range logs {
		sum += math.Exp(l - greatest)
	}
	total := greatest + math.Log(sum)
	for i := range logs {
		logs[i] -= total
	}
	return total
}
