package eval

import (
	"cmp"
	"math"
	"slices"
)

// ROC is the receiver operating characteristic: true and false positives for every
// threshold on the score.
type ROC struct {
	// Positives and Negatives are the numbers of documents that are of the class and that
	// are not.
	Positives, Negatives int

	// Points has one point for every distinct score, in order of decreasing threshold, and
	// first a point that calls no document positive. The last point calls every document
	// positive.
	Points []Point
}

// Point is the result of calling positive the documents with
//
//	score ≥ Threshold
//
// except in the first point of a ROC, whose threshold is +Inf and which calls no
// document positive, not even one whose score is +Inf.
type Point struct {
	Threshold      float64
	TruePositives  int // positives that are called positive
	FalsePositives int // negatives that are called positive
}

// ROC returns the curve of the log-odds of class: the documents of class are the
// positives, those of all other classes the negatives.
func (r *Results) ROC(class int) ROC {
	scores, order := make([]float64, len(r.Answers)), make([]int, len(r.Answers))
	for i := range r.Answers {
		scores[i], order[i] = r.Answers[i].score(class), i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(scores[j], scores[i]) })
	c := ROC{Points: []Point{{Threshold: math.Inf(1)}}}
	for n, i := range order {
		if n == 0 || scores[i] != scores[order[n-1]] {
			c.Points = append(c.Points, Point{scores[i], c.Positives, c.Negatives})
		}
		if r.Answers[i].Class == class {
			c.Positives++
		} else {
			c.Negatives++
		}
		last := &c.Points[len(c.Points)-1]
		last.TruePositives, last.FalsePositives = c.Positives, c.Negatives
	}
	return c
}

// OneMinusROCAPercent returns the area above the curve in percent, the measure of
// the TREC spam tracks: with the scores of a positive and a negative drawn at random,
//
//	100 (P(s⁺ < s⁻) + ½ P(s⁺ = s⁻))
//
// It is counted, not subtracted from 1, so that small areas keep their digits. NaN
// if there are no positives or no negatives.
func (c ROC) OneMinusROCAPercent() float64 {
	above := int64(0) // twice, in pairs of a positive and a negative
	for i := 1; i < len(c.Points); i++ {
		before, at := c.Points[i-1], c.Points[i]
		missed := int64(c.Positives-before.TruePositives) + int64(c.Positives-at.TruePositives)
		above += missed * int64(at.FalsePositives-before.FalsePositives)
	}
	return 100 * (float64(above) / float64(2*int64(c.Positives)*int64(c.Negatives)))
}

// MissedAt returns the false-negative rate at a false-positive rate of at most x:
//
//	min false negatives / positives over the points with false positives / negatives ≤ x
//
// and the first point (of the highest threshold) with it. There is no interpolation
// between points: a threshold cannot split equal scores. Rate and threshold are NaN if
// there are no positives or no negatives. It panics if x is negative or NaN.
func (c ROC) MissedAt(x float64) (rate float64, at Point) {
	if !(x >= 0) {
		panic("eval: false-positive rate out of range")
	}
	if c.Positives == 0 || c.Negatives == 0 {
		return math.NaN(), Point{Threshold: math.NaN()}
	}
	at = c.Points[0]
	for _, p := range c.Points {
		if float64(p.FalsePositives)/float64(c.Negatives) > x {
			break
		}
		if p.TruePositives > at.TruePositives {
			at = p
		}
	}
	return float64(c.Positives-at.TruePositives) / float64(c.Positives), at
}

// LAMPercent returns the logistic average misclassification in percent, with the documents of
// class i as positives: the measure of decisions of the TREC spam tracks (Cormack and Lynam,
// "TREC 2005 Spam Track Overview"),
//
//	100 logit⁻¹((logit f⁺ + logit f⁻) / 2)    logit p = log(p / (1 - p))
//
// which depends little on the threshold. The rates are
//
//	f⁺ = (fp + ½) / (negatives + 1)    f⁻ = (fn + ½) / (positives + 1)
//
// so that logit f is log((errors + ½) / (rest + ½)), Haldane and Anscombe's estimate of
// log-odds, which is finite without errors and with only errors. NaN if there are no positives
// or no negatives.
func (c Confusion) LAMPercent(i int) float64 {
	n := c.Of(i)
	negatives := c.All().Docs - n.Docs
	if negatives == 0 || n.Docs == 0 {
		return math.NaN()
	}
	logit := func(errors, n int) float64 {
		return math.Log((float64(errors) + .5) / (float64(n-errors) + .5))
	}
	mean := (logit(n.Said-n.Right, negatives) + logit(n.Docs-n.Right, n.Docs)) / 2
	return 100 / (1 + math.Exp(-mean))
}
