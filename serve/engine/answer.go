package engine

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/calibration"
	"github.com/polya-classifier/polya/classify/decision"
	"github.com/polya-classifier/polya/classify/filter"
	"github.com/polya-classifier/polya/internal/numeric"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/store/count"
)

const (
	// maxReasons is the largest number of reasons of an Answer.
	maxReasons = 20

	// maxBits bounds scores, which are infinite if a class is impossible.
	maxBits = 9999
)

// reply is an answer with what it is computed from.
type reply struct {
	backend.Answer
	doc        classify.Document           // without a Bag if there is no database
	posterior  []classify.ClassProbability // nil if the database abstains for lack of documents
	calibrated bool
}

// question is a message to classify, or the document that was made of one.
type question struct {
	request *backend.Request
	doc     *classify.Document // nil if it is to be made of the request
	explain bool
	aside   bool // the answer is not kept
}

func (q *question) document(c *classify.Classifier) classify.Document {
	if q.doc != nil {
		return *q.doc
	}
	return document(c, q.request)
}

// answerer is a classify.Classifier, or a user's classify.View.
type answerer interface {
	Classes() ([]*count.Class, error)
	Calibration() (*calibration.Calibration, error)
	Classify(context.Context, classify.Document) (classify.Result, error)
	Explain(context.Context, classify.Document) (classify.Explanation, error)
}

// answer asks c about the document that reader makes of the message. reader is nil if there is
// no database.
func (e *Engine) answer(ctx context.Context, c answerer, reader *classify.Classifier, q *question) (reply, error) {
	if reader == nil {
		return reply{Answer: e.unlearned(nil)}, nil
	}
	classes, err := c.Classes()
	if err != nil {
		return reply{}, err
	}
	doc := q.document(reader)
	if e.untaught(classes) != decision.Sure {
		return reply{Answer: e.unlearned(classes), doc: doc}, nil
	}
	var x classify.Explanation
	if q.explain {
		x, err = c.Explain(ctx, doc)
	} else {
		x.Result, err = c.Classify(ctx, doc)
	}
	switch {
	case errors.Is(err, classify.ErrNoDocuments):
		return reply{Answer: e.unlearned(nil), doc: doc}, nil
	case err != nil:
		return reply{}, err
	}
	a := e.answerOf(&x.Result)
	var k *calibration.Calibration
	if !e.options.NoThreshold || e.auto != nil {
		if k, err = c.Calibration(); err != nil {
			return reply{}, err
		}
		a.Threshold = bits(e.threshold(k, classes))
	}
	for _, t := range x.Terms {
		a.Reasons = append(a.Reasons, backend.Reason{Term: t.Term, Count: t.Count, Bits: bits(t.LogOdds)})
	}
	return reply{a, doc, x.Posterior, k != nil}, nil
}

// untaught returns why the decision is unsure of every message.
func (e *Engine) untaught(classes []*count.Class) decision.Reason {
	return decision.Untaught(e.options.Classify.Decision, classes)
}

// Untaught says which missing training makes all answers of the shared database unsure;
// "" if they are not.
func (e *Engine) Untaught(ctx context.Context) (why string, err error) {
	c, err := e.shared.open(ctx, false)
	if err != nil {
		return "", err
	}
	var classes []*count.Class
	if c != nil {
		if classes, err = c.Classes(); err != nil {
			return "", err
		}
	}
	reason := e.untaught(classes)
	if reason == decision.Unlearned {
		return fmt.Sprintf("nothing was learned of class %q", decision.PartsOf(e.options.Classify.Decision).Positive), nil
	}
	return string(reason), nil
}

// unlearned is the answer of a database that has learned too little: unsure, with the
// largest class and its share of documents after one is added to each class.
func (e *Engine) unlearned(classes []*count.Class) backend.Answer {
	docs := make(map[string]float64)
	for _, name := range slices.Concat(e.options.Spam, e.options.Classes) {
		docs[name] = 1
	}
	for _, c := range classes {
		docs[c.Name] = float64(c.Docs) + 1
	}
	a := backend.Answer{Unsure: true}
	all, spam := 0.0, 0.0
	for name, n := range docs {
		all += n
		if slices.Contains(e.options.Spam, name) {
			spam += n
		}
	}
	for name, n := range docs {
		if p := n / all; p > a.Probability || p == a.Probability && name < a.Class {
			a.Class, a.Probability = name, p
		}
	}
	if spam > 0 {
		a.Score = bits(math.Log(spam) - math.Log(all-spam))
	}
	a.Threshold = bits(e.threshold(nil, nil))
	return a
}

// answerOf converts a result to a backend.Answer, except its threshold.
func (e *Engine) answerOf(r *classify.Result) backend.Answer {
	a := backend.Answer{Class: r.Class, Probability: r.Probability, Unsure: r.Unsure}
	a.Spam = !a.Unsure && slices.Contains(e.options.Spam, a.Class)
	a.Score = bits(logOdds(r.Posterior, e.options.Spam))
	return a
}

// logOdds returns the log-odds of some classes together against all others, in nats. It
// is finite even if probabilities round to 0 and 1.
func logOdds(posterior []classify.ClassProbability, some []string) float64 {
	if len(some) == 0 {
		return 0
	}
	of, others := math.Inf(-1), math.Inf(-1)
	for _, p := range posterior {
		log := -numeric.Softplus(-p.LogOdds) // log p
		if slices.Contains(some, p.Class) {
			of = numeric.LogSum(of, log)
		} else {
			others = numeric.LogSum(others, log)
		}
	}
	return of - others
}

// threshold returns the log-odds of spam, in nats, above which the answer is spam, as far
// as one number can say it: from the zone of a filter or the cut-off of a rate, and the
// probability below which answers are unsure.
func (e *Engine) threshold(k *calibration.Calibration, classes []*count.Class) float64 {
	cut := math.Inf(-1)
	if p := e.options.Classify.Abstain.Threshold; p > 0.5 {
		cut = math.Log(p) - math.Log1p(-p)
	}
	switch d := e.options.Classify.Decision.(type) {
	case decision.Filter:
		zone, known := filter.Zone{}, false
		if m, id := chosen(k, classes, d.Positive); m != nil {
			zone, known = m.Zones[id]
		}
		if !known {
			zone = filter.Assumed(filter.DefaultCosts)
		}
		return max(cut, zone.Yes)
	case decision.FalsePositiveRate:
		if m, id := chosen(k, classes, d.Positive); m != nil {
			if c, known := m.Tails[id].Cut(d.Rate); known {
				return max(cut, c.LogOdds)
			}
		}
		return maxBits // the rate is not known, and no answer is spam
	}
	return max(cut, 0)
}

// chosen returns the default model and the id of the class.
func chosen(k *calibration.Calibration, classes []*count.Class, class string) (*calibration.Model, count.ClassID) {
	i := count.ClassNamed(classes, class)
	if k == nil || i < 0 {
		return nil, 0
	}
	return k.Model(k.Chosen), classes[i].ID
}

// bits returns nats as bits, bounded.
func bits(nats float64) float64 { return max(-maxBits, min(maxBits, nats/math.Ln2)) }
