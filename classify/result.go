package classify

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"sync"

	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/tokenize"
)

// ErrNoDocuments is returned when a database that has learned nothing is asked.
var ErrNoDocuments = errors.New("the database has learned no documents; train it first")

// Result is the answer for one document.
type Result struct {
	// Class is the most probable class, the first by name among equals.
	Class string

	// Probability is the posterior probability of Class, 0 to 1.
	Probability float64

	// LogOdds is the logarithm of the odds of Class against all other classes
	// together, in nats. It is never clamped, so that it ranks documents whose
	// probabilities are both 1. It is +Inf if there is but one class.
	LogOdds float64

	// Terms is the number of distinct terms that had a say: those that some
	// class has.
	Terms int

	// Unsure says that the answer should not be acted on: no term had a say,
	// another class is as probable, or Probability is below the threshold.
	Unsure bool

	// Posterior is the probability of every class that has documents, the
	// most probable first, equals by name. They sum to 1.
	Posterior []ClassProbability
}

// ClassProbability is the posterior probability of one class.
type ClassProbability struct {
	Class       string
	Probability float64
	LogOdds     float64 // against all other classes, in nats
}

// Of returns the probability of class, 0 if it has no documents.
func (r *Result) Of(class string) float64 {
	for _, p := range r.Posterior {
		if p.Class == class {
			return p.Probability
		}
	}
	return 0
}

// Classify returns the answer for doc. It returns ErrNoDocuments if nothing was
// learned.
func (c *Classifier) Classify(ctx context.Context, doc Document) (Result, error) {
	if err := ctx.Err(); err != nil {
		return Result{}, err
	}
	var r Result
	err := c.view(func(s *store.Snapshot, p *prepared) error {
		v := scoringPool.Get().(*scoring)
		defer scoringPool.Put(v)
		if err := v.score(s, p, doc.Bag, c.model.Levels()); err != nil {
			return err
		}
		var err error
		r, err = c.result(p, v)
		return err
	})
	return r, err
}

// scoring is the memory of one question; it is used again.
type scoring struct {
	terms  []store.TermCount
	scores []float64                  // by class: log prior + log-likelihood
	known  int                        // distinct terms that some class has
	tokens int                        // their occurrences
	counts [tokenize.MaxCount + 1]int // by number of occurrences: known terms
	occurs []int                      // the numbers of which there are some
}

var scoringPool = sync.Pool{New: func() any { return new(scoring) }}

// score computes the scores of the bag; see Scorer. Every class that lacks a
// term has the same need to be told of it, so that this is summed once, by the
// number of occurrences.
func (v *scoring) score(s *store.Snapshot, p *prepared, bag *tokenize.Bag, levels bool) error {
	v.terms = appendTerms(v.terms[:0], bag)
	v.scores = append(v.scores[:0], p.prior...)
	v.known, v.tokens = 0, 0
	clear(v.counts[:])
	err := s.Rows(v.terms, levels, func(i int, cells []store.Cell) error {
		x := int(v.terms[i].N)
		v.known++
		v.tokens += x
		v.counts[x]++
		for _, cell := range cells {
			v.scores[cell.Class] += p.scorer.Term(x, cell) - p.scorer.Missing(cell.Class, x)
		}
		return nil
	})
	if err != nil || v.known == 0 {
		return err
	}
	v.occurs = v.occurs[:0]
	for x, n := range v.counts {
		if n > 0 {
			v.occurs = append(v.occurs, x)
		}
	}
	for class := range v.scores {
		v.scores[class] += p.scorer.Base(class, v.tokens)
		for _, x := range v.occurs {
			v.scores[class] += float64(v.counts[x]) * p.scorer.Missing(class, x)
		}
	}
	return nil
}

// result turns the scores into an answer.
func (c *Classifier) result(p *prepared, v *scoring) (Result, error) {
	order := make([]int, 0, len(p.classes))
	for i, class := range p.classes {
		if class.Docs > 0 {
			order = append(order, i)
		}
	}
	if len(order) == 0 {
		return Result{}, ErrNoDocuments
	}
	// By score: probabilities may have become 0 and 1.
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(v.scores[b], v.scores[a]) })
	best := order[0]
	r := Result{
		Class:     p.classes[best].Name,
		LogOdds:   logOdds(v.scores, best),
		Terms:     v.known,
		Posterior: make([]ClassProbability, len(order)),
	}
	probabilities := posterior(v.scores)
	r.Probability = probabilities[best]
	total := v.scores[best] - math.Log(r.Probability)
	for k, i := range order {
		// Of a class that is not the best, the odds follow from the probability,
		// which is at most one half, without a sum over all others.
		odds := v.scores[i] - total - math.Log1p(-probabilities[i])
		switch {
		case k == 0:
			odds = r.LogOdds
		case v.scores[i] == v.scores[order[k-1]]:
			odds = r.Posterior[k-1].LogOdds
		}
		r.Posterior[k] = ClassProbability{p.classes[i].Name, probabilities[i], odds}
	}
	tie := len(order) > 1 && v.scores[order[1]] == v.scores[best]
	r.Unsure = v.known == 0 || tie || r.Probability < c.threshold
	return r, nil
}
