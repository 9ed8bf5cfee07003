package fit

import (
	"math"
	"slices"
)

// Floor is the share of answers that is wrong however sure they are: documents that were
// filed in two places, that have a near copy elsewhere, or that nothing learned before is
// like. With u the probability of all classes but the most probable one, that becomes
//
//	(1 - e) u + e (2u)^δ / 2
//
// and the others share it as before. Every logistic model lacks such a share: the log-odds
// of its answers grow with the evidence, whatever may be wrong with it. δ is small, so that
// answers keep their order even where they are as sure as can be. It changes neither which
// class is the most probable nor an answer of a probability of a half or less. e is 0 to 1;
// 0 changes nothing.
type Floor float64

const (
	// floorDecay is δ. At u = .01 it leaves .82 of the floor, at 1e-6 .52.
	floorDecay = 0.05

	// floorShown and floorBound are confidences, one-sided, as losses in log-likelihood:
	// half the quantiles of χ² with one degree of freedom. With 95 % a floor must be shown,
	// and with 99 % it is bounded: leave-one-out flatters documents of which something
	// alike was learned, so that the careful end of the interval is nearer to the truth
	// than its middle. On 20 Newsgroups, without a Layer, 26 answers of p > .99 are wrong
	// where the middle expects 13, and log loss is lower with the end.
	floorShown = 1.3528
	floorBound = 2.7059
)

// Apply takes from the score of the most probable class what the floor wants. The scores
// are logarithms, in nats, of what the probabilities are proportional to.
func (e Floor) Apply(scores []float64) {
	if e == 0 {
		return
	}
	if top, ahead := lead(scores); ahead > 0 && !math.IsInf(ahead, 1) {
		u := e.raise(-softplus(ahead))
		scores[top] += math.Log1p(-math.Exp(u)) - u - ahead
	}
}

// raise returns log((1 - e) u + e (2u)^δ / 2) for log u.
func (e Floor) raise(u float64) float64 {
	own, floor := math.Log1p(-float64(e))+u, math.Log(float64(e)/2)+floorDecay*(u+math.Ln2)
	top := max(own, floor)
	return top + math.Log(math.Exp(own-top)+math.Exp(floor-top))
}

// lead returns the class of the greatest score, and its log-odds against all others.
func lead(scores []float64) (top int, ahead float64) {
	for c, s := range scores {
		if s > scores[top] {
			top = c
		}
	}
	sum := 0.0
	for c, s := range scores {
		if c != top {
			sum += math.Exp(s - scores[top])
		}
	}
	return top, -math.Log(sum)
}

// softplus returns log(1 + e^x) of an x that is not below 0.
func softplus(x float64) float64 { return x + math.Log1p(math.Exp(-x)) }

// Answers are what a Floor is fitted to: how sure answers were, and whether they were right.
type Answers struct {
	right, wrong []share
}

// share has the probability u of all other classes, and what a floor of e adds to it: e times
// floor.
type share struct{ u, floor float64 }

func shareOf(u float64) share { return share{u, math.Pow(2*u, floorDecay)/2 - u} }

// Floors of few documents are held down as if so many more answers of p = .999 had been
// right: with 43 documents one wrong answer would otherwise make all of them unsure. Without,
// log loss would rise by .17 there (short messages) and by .006 with 431 (newswire).
const (
	rightBefore   = 100
	sureBefore    = 0.001
	surestUnknown = 1e-300 // u of log-odds that a number cannot hold
)

// Add adds the answer for a document of class label, of which these are the scores.
func (a *Answers) Add(scores []float64, label int) {
	top, ahead := lead(scores)
	if !(ahead > 0) {
		return
	}
	s := shareOf(max(math.Exp(-softplus(ahead)), surestUnknown))
	if top == label {
		a.right = append(a.right, s)
	} else {
		a.wrong = append(a.wrong, s)
	}
}

// Floor returns the floor that the answers show: the greatest one within its confidence. It
// is 0 if that is within it too, or would be without the surest of the wrong answers, as one
// document may have been filed wrongly. Sums run in the order in which answers were added.
func (a *Answers) Floor() Floor {
	if _, gain := a.butSurest().best(); gain < floorShown {
		return 0
	}
	best, gain := a.best()
	least := a.likelihood(0) + gain - floorBound
	return Floor(bisect(func(e float64) bool { return e <= best || a.likelihood(e) > least }))
}

// butSurest returns the answers without the surest of the wrong ones.
func (a *Answers) butSurest() *Answers {
	if len(a.wrong) == 0 {
		return a
	}
	surest := 0
	for i, s := range a.wrong {
		if s.u < a.wrong[surest].u {
			surest = i
		}
	}
	return &Answers{a.right, slices.Delete(slices.Clone(a.wrong), surest, surest+1)}
}

// best returns the floor of the greatest likelihood, and its log-likelihood over that of 0.
func (a *Answers) best() (e, gain float64) {
	e = bisect(func(e float64) bool { return a.slope(e) > 0 })
	return e, a.likelihood(e) - a.likelihood(0)
}

// bisect returns the greatest number from 0 to 1, nearly, up to which below holds.
func bisect(below func(e float64) bool) float64 {
	const steps = 40
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
		sum += math.Log(s.u + e*s.floor)
	}
	for _, s := range a.right {
		sum += math.Log1p(-s.u - e*s.floor)
	}
	return sum
}

// slope returns its derivative.
func (a *Answers) slope(e float64) float64 {
	before := shareOf(sureBefore)
	sum := -rightBefore * before.floor / (1 - before.u - e*before.floor)
	for _, s := range a.wrong {
		sum += s.floor / (s.u + e*s.floor)
	}
	for _, s := range a.right {
		sum -= s.floor / (1 - s.u - e*s.floor)
	}
	return sum
}
