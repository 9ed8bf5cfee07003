package evaluation

import (
	"fmt"
	"math"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/eval"
	"github.com/polya-classifier/polya/internal/numeric"
)

// answers holds the answers of one model.
type answers struct {
	name    string
	results *eval.Results
	unsure  []bool
	scratch struct{ posterior, odds []float64 }
	index   map[string]int // of the classes by name
	fit     *fit           // of the baseline, else nil
}

func newAnswers(name string, c *Corpus) *answers {
	return &answers{name: name, results: eval.NewResults(c.Classes...), index: c.class}
}

// add adds the answer for document i. A class that was never learned has probability 0; but
// if only one class was learned the others share the rest. An unsure answer still names its
// class, so that accuracies can be compared; unsure answers are counted separately.
func (a *answers) add(c *Corpus, i int, r *classify.Result) error {
	a.reset(len(c.Classes))
	for _, p := range r.Posterior {
		at, known := a.index[p.Class]
		if !known {
			return fmt.Errorf("%s: answer of class %q, which no document has", c.Docs[i].Path, p.Class)
		}
		a.scratch.posterior[at], a.scratch.odds[at] = p.Probability, p.LogOdds
	}
	if len(r.Posterior) == 1 {
		a.share(a.index[r.Class])
	}
	return a.put(&c.Docs[i], a.index[r.Class], r.Unsure)
}

// addScores adds an answer by its scores: unnormalized log-probabilities, -Inf for a class
// that was never learned.
func (a *answers) addScores(c *Corpus, i int, scores []float64, threshold float64) error {
	a.reset(len(c.Classes))
	best := 0
	for at, s := range scores {
		if s > scores[best] {
			best = at
		}
		a.scratch.odds[at] = numeric.LogOdds(scores, at)
	}
	numeric.Softmax(a.scratch.posterior, scores)
	return a.put(&c.Docs[i], best, a.scratch.posterior[best] < threshold)
}

// share divides the probability left by the only learned class equally among the others.
func (a *answers) share(learned int) {
	p, odds := a.scratch.posterior, a.scratch.odds
	others := float64(len(p) - 1)
	if others == 0 {
		p[learned], odds[learned] = 1, math.Inf(1)
		return
	}
	each := (1 - p[learned]) / others
	for at := range p {
		if at != learned {
			p[at], odds[at] = each, math.Log(each)-math.Log1p(-each)
		}
	}
}

func (a *answers) reset(classes int) {
	a.scratch.posterior, a.scratch.odds = a.scratch.posterior[:0], a.scratch.odds[:0]
	for range classes {
		a.scratch.posterior = append(a.scratch.posterior, 0)
		a.scratch.odds = append(a.scratch.odds, math.Inf(-1))
	}
}

func (a *answers) put(doc *Doc, said int, unsure bool) error {
	err := a.results.Add(eval.Answer{
		ID: doc.Path, Class: doc.Class, Said: said,
		Posterior: a.scratch.posterior, LogOdds: a.scratch.odds,
	})
	if err == nil {
		a.unsure = append(a.unsure, unsure)
	}
	return err
}
