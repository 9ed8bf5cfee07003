package eval

import (
	"fmt"
	"math"
)

// Answer is the true class of one document and a classifier's answer. Classes are indices
// into the classes of the Results that hold the answer.
type Answer struct {
	// ID names the document. Comparing two classifiers needs it, measures do not.
	ID string

	// Class is the true class.
	Class int

	// Said is the class answered. It need not be the most probable: costs may decide otherwise.
	Said int

	// Unsure says that the classifier abstained. Measures do not use it.
	Unsure bool

	// Posterior is the probability of each class; they sum to 1.
	Posterior []float64

	// LogOdds is the score of each class by which ROC ranks: its log-odds against all other
	// classes together, which still rank where probabilities round to 0 or 1. If it is nil,
	// the log-odds of Posterior are used.
	LogOdds []float64
}

func (a *Answer) score(class int) float64 {
	if a.LogOdds == nil {
		p := math.Min(a.Posterior[class], 1)
		return math.Log(p) - math.Log1p(-p)
	}
	return a.LogOdds[class]
}

// Results are the answers of one classifier.
type Results struct {
	Classes []string // the names of the classes by index, which differ
	Answers []Answer // in the order in which Add has added them
}

// sumTolerance is how far the sum of probabilities may be from 1: they are rounded, and
// may have been printed and read.
const sumTolerance = 1e-6

// Add adds an answer and keeps its slices. It returns an error, and adds
// nothing, if a number is NaN, a probability is not within 0 and 1, or the
// probabilities do not sum to 1 (within 1e-6). It panics if an index is no class, or a slice is
// not by class.
func (r *Results) Add(a Answer) error {
	k := len(r.Classes)
	if a.Class < 0 || a.Class >= k || a.Said < 0 || a.Said >= k {
		panic("eval: class out of range")
	}
	if len(a.Posterior) != k || a.LogOdds != nil && len(a.LogOdds) != k {
		panic("eval: slice length mismatch")
	}
	var sum float64
	for c, p := range a.Posterior {
		if !(p >= 0 && p <= 1+sumTolerance) { // also refuses NaN
			return fmt.Errorf("document %q: probability of class %q is %v", a.ID, r.Classes[c], p)
		}
		sum += p
	}
	if math.Abs(sum-1) > sumTolerance {
		return fmt.Errorf("document %q: probabilities sum to %v", a.ID, sum)
	}
	for c, score := range a.LogOdds {
		if math.IsNaN(score) {
			return fmt.Errorf("document %q: log-odds of class %q is %v", a.ID, r.Classes[c], score)
		}
	}
	r.Answers = append(r.Answers, a)
	return nil
}

// mean returns the mean of f over the answers, NaN if there are none.
func (r *Results) mean(f func(*Answer) float64) float64 {
	var sum float64
	for i := range r.Answers {
		sum += f(&r.Answers[i])
	}
	return sum / float64(len(r.Answers))
}
