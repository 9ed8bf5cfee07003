package fit

import (
	"math"
	"slices"

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

// Floor is the share of answers that are wrong at any confidence: on documents that were
// filed in two places, have a near copy elsewhere, or resemble nothing learned before.
// With u the probability of all classes except the most probable one, u becomes
//
//	(1 - e) u + e (2u)^δ / 2
//
// and the other classes share it as before. Logistic models lack such a share: the
// log-odds of their answers grow with the evidence, however unreliable that is. δ is
// small, so that answers keep their order even at the highest confidence. The floor
// changes neither the most probable class nor an answer with a probability of a half or
// less. e is 0 to 1; 0 changes nothing.
type Floor float64

const (
	// floorDecay is δ. At u = .01 it leaves .82 of the floor, at 1e-6 .52.
	floorDecay = 0.05

	// floorShown and floorBound are confidences, one-sided, as losses in log-likelihood: half
	// the quantiles of χ² with one degree of freedom. A floor must be significant at 95 %,
	// and its upper bound at 99 % is used: leave-one-out is optimistic about documents with
	// similar ones in training.
	floorShown = 1.3528
	floorBound = 2.7059
)

// raise returns log((1 - e) u + e (2u)^δ / 2) for log u.
func (e Floor) raise(u float64) float64 {
	own, floor := math.Log1p(-float64(e))+u, math.Log(float64(e)/2)+floorDecay*(u+math.Ln2)
	top := max(own, floor)
	return top + math.Log(math.Exp(own-top)+math.Exp(floor-top))
}

// Answers are the data of a Floor: the confidence of answers, and whether they were right.
type Answers struct {
	right, wrong []share
	flipped      bool // there are wrong labels, of more than two classes
}

// share holds the probability u of all other classes, and floor, which a floor of e adds e
// times. The label of a wrong answer has the likelihood (u + e floor) own + (1 - u - e
// floor) flipped: it is the true class, or the answer is right and the label wrong.
type share struct{ u, floor, own, flipped float64 }

func shareOf(u float64) share { return share{u: u, floor: math.Pow(2*u, floorDecay)/2 - u, own: 1} }

// wrong returns the likelihood of the label of a wrong answer.
func (s *share) wrong(e float64) float64 {
	u := s.u + e*s.floor
	return u*s.own + (1-u)*s.flipped
}

// Floors from few documents are shrunk as if so many more answers of p = .999 had been
// right: otherwise with 43 documents one wrong answer would make all of them unsure, and
// log loss would rise by .17 there (short messages) and by .006 with 431 (newswire).
const (
	rightBefore   = 100
	sureBefore    = 0.001
	surestUnknown = 1e-300 // u for log-odds that overflow
)

// Add adds the answer for a document with these scores and this label. With Flips a label
// that resembles one drawn from all labels is rather a wrong label than a wrong answer.
func (a *Answers) Add(scores []float64, label int, flips *Flips) {
	top, ahead := lead(scores)
	if !(ahead > 0) {
		return
	}
	s := shareOf(max(math.Exp(-numeric.Softplus(ahead)), surestUnknown))
	if top == label {
		a.right = append(a.right, s)
		return
	}
	if flips != nil {
		a.flipped = len(scores) > 2
		s.own, s.flipped = (1-flips.Rates[label])*among(scores, top, label), flips.wrong(top)*flips.share[label]
	}
	a.wrong = append(a.wrong, s)
}

// among returns the probability of class c if it is not the most probable one.
func among(scores []float64, top, c int) float64 {
	others := slices.Delete(slices.Clone(scores), top, top+1)
	if c > top {
		c--
	}
	return numeric.Posterior(others)[c]
}

// Floor returns the upper confidence bound of the floor. It is 0 if 0 is within the
// confidence interval, or would be without the surest of the wrong answers, since one
// document may be mislabelled. With Flips of more than two classes it is not: a floor is
// then hard to see, and not the less there. Of two classes nothing tells a wrong answer
// from a wrong label. Sums run in the order in which answers were added.
func (a *Answers) Floor() Floor {
	if _, gain := a.butSurest().best(); gain < floorShown && !a.flipped {
		return 0
	}
	best, gain := a.best()
	bound := floorBound
	if a.flipped { // what might be either a wrong answer or a wrong label widens the interval already
		bound = floorShown
	}
	least := a.likelihood(0) + gain - bound
	return Floor(bisect(floorSteps, func(e float64) bool { return e <= best || a.likelihood(e) > least }))
}

// butSurest returns the answers without the surest wrong one.
func (a *Answers) butSurest() *Answers {
	if len(a.wrong) == 0 {
		return a
	}
	surest := 0
	for i, s := range a.wrong {
		if s.u < a.wrong[surest].u && s.u*s.own > s.flipped {
			surest = i
		}
	}
	return &Answers{right: a.right, wrong: slices.Delete(slices.Clone(a.wrong), surest, surest+1)}
}

// best returns the maximum likelihood floor, and the gain of its log-likelihood over a floor of 0.
func (a *Answers) best() (e, gain float64) {
	e = bisect(floorSteps, func(e float64) bool { return a.slope(e) > 0 })
	return e, a.likelihood(e) - a.likelihood(0)
}

const floorSteps = 40 // to 1e-12

// bisect returns approximately the greatest number from 0 to 1 up to which below holds.
func bisect(steps int, below func(e float64) bool) float64 {
	from, to := 0.0, 1.0
	for range steps {
		if e := (from + to) / 2; below(e) {
			from = e
		} else {
			to = e
		}
	}
	return from
}

// likelihood returns the log-likelihood of e, which is concave.
func (a *Answers) likelihood(e float64) float64 {
	before := shareOf(sureBefore)
	sum := rightBefore * math.Log1p(-before.u-e*before.floor)
	for _, s := range a.wrong {
		sum += math.Log(s.wrong(e))
	}
	for _, s := range a.right {
		sum += math.Log1p(-s.u - e*s.floor)
	}
	return sum
}

// slope returns the derivative of likelihood.
func (a *Answers) slope(e float64) float64 {
	before := shareOf(sureBefore)
	sum := -rightBefore * before.floor / (1 - before.u - e*before.floor)
	for _, s := range a.wrong {
		sum += s.floor * (s.own - s.flipped) / s.wrong(e)
	}
	for _, s := range a.right {
		sum -= s.floor / (1 - s.u - e*s.floor)
	}
	return sum
}
