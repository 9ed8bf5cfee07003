package fit

import (
	"math"

	"github.com/polya-classifier/polya/internal/numeric"
)

// Shrinkage lowers confidence where a calibration cannot justify it. Log-odds of a document with
// fewer known terms than were Seen are less by its share of them. Next the scale of their
// log-odds: a fit to few documents, all of which it tells apart, finds weights that may as well
// be half as large. The scale has a gamma distribution of mean 1 and variance v, and the odds
// against an answer of log-odds a, exp(-a), are on the average over it
//
//	E[exp(-s a)] = (1 + v a)^(-1/v)
//
// which is log(1 + v a)/v in log-odds: the same where a is small, and ever less than a where
// it is large, so that answers of a calibration keep their order. (D. MacKay shrinks the
// outputs of networks by the variance of a, The Evidence Framework Applied to Classification
// Networks, Neural Computation 4, 1992.) Then the Floor is applied. Neither changes which
// class is the most probable, nor an answer of a probability of a half or less. The zero
// Shrinkage changes nothing.
type Shrinkage struct {
	Variance float64 // v, 0 or more
	Floor    Floor

	// Seen is the number of known terms that nearly all documents of the sample have; the
	// sample does not show the value of fewer terms. 0 changes nothing.
	Seen int
}

// Apply lowers the score of the most probable class where the answer is too confident. The
// scores are log probabilities up to a constant, in nats; known is the number of known
// terms, or 0 to ignore it.
func (m Shrinkage) Apply(scores []float64, known int) {
	if m == (Shrinkage{}) {
		return
	}
	top, ahead := lead(scores)
	if !(ahead > 0) || math.IsInf(ahead, 1) {
		return
	}
	left := ahead
	if 0 < known && known < m.Seen {
		left *= float64(known) / float64(m.Seen)
	}
	if m.Variance > 0 {
		left = math.Log1p(m.Variance*left) / m.Variance
	}
	if m.Floor > 0 {
		u := m.Floor.raise(-numeric.Softplus(left))
		left = math.Log1p(-math.Exp(u)) - u
	}
	scores[top] += left - ahead
}

// LogOdds returns the log-odds of one of two classes after shrinkage.
func (m Shrinkage) LogOdds(x float64) float64 {
	scores := []float64{x, 0}
	m.Apply(scores, 0)
	return scores[0] - scores[1]
}

// lead returns the class of the greatest score, and its log-odds against all others.
func lead(scores []float64) (class int, ahead float64) {
	top, sum := numeric.Top(scores), 0.0
	for c, s := range scores {
		if c != top {
			sum += math.Exp(s - scores[top])
		}
	}
	return top, -math.Log(sum)
}

// Scale estimates the scale of log-odds from answers. The zero Scale has none.
type Scale struct {
	ahead []float64 // log-odds
	slope float64   // Σ a p, of a that are wrong with probability p
	least float64   // Σ log(1 + exp(-a))
}

// Add adds the answer for a document that was not fitted, of which these are the scores.
func (s *Scale) Add(scores []float64) {
	if _, ahead := lead(scores); ahead > 0 && !math.IsInf(ahead, 1) {
		s.ahead = append(s.ahead, ahead)
		odds := math.Exp(-ahead)
		s.slope += ahead * odds / (1 + odds)
		s.least += math.Log1p(odds)
	}
}

// Variance returns the variance of the scale given the answers, up to 1. A standard deviation
// less than 1 is the scale that they would show to be too small by half a unit of
// log-likelihood, if they are wrong as often as they say. So it is the inverse of Fisher's
// information where answers are many; of a few that are all sure, whose information is next
// to none, it says that half the scale would not do either.
func (s *Scale) Variance() float64 {
	const enough, steps = 0.5, 20
	deviation := bisect(steps, func(less float64) bool { return s.loss(1-less) < enough })
	return deviation * deviation
}

// loss returns how much log-likelihood answers are expected to lose by that scale.
func (s *Scale) loss(scale float64) float64 {
	sum := 0.0
	for _, a := range s.ahead {
		sum += math.Log1p(math.Exp(-scale * a))
	}
	return sum - s.least - (1-scale)*s.slope
}
