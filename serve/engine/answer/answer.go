// Package answer asks a database, or a user's view of two, about a document, and turns the
// result into an answer and its explanation.
package answer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/calibration"
	"github.com/polya-classifier/polya/classify/decision"
	"github.com/polya-classifier/polya/classify/mail"
	"github.com/polya-classifier/polya/classify/tags"
	"github.com/polya-classifier/polya/internal/numeric"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/tokenize"
)

// maxBits bounds scores, which are infinite if a class is impossible.
const maxBits = 9999

// Options say what answers are about.
type Options struct {
	Spam     []string // the classes that Answer.Spam and Score are about
	Classes  []string // other classes that may be learned before a database has them
	Decision decision.Decision
	Abstain  float64 // the probability below which answers are unsure
	// NoThreshold leaves out Answer.Threshold, for which the whole calibration is read.
	NoThreshold bool

	tagger atomic.Pointer[tags.Tagger] // of the database of tags that was asked last
}

// A Reply is an answer with what it is computed from.
type Reply struct {
	backend.Answer
	Doc        classify.Document           // without a Bag if there is no database
	Posterior  []classify.ClassProbability // nil if the database abstains for lack of documents; of tags each one's own
	Calibrated bool                        // unless NoThreshold is set
}

// A Source is a classify.Classifier, or a user's classify.View.
type Source interface {
	Classes() ([]*count.Class, error)
	Calibration() (*calibration.Calibration, error)
	Classify(context.Context, classify.Document) (classify.Result, error)
	Explain(context.Context, classify.Document) (classify.Explanation, error)
}

// Document returns the document of a request.
func Document(c *classify.Classifier, r *backend.Request) classify.Document {
	if r.Cut {
		return mail.Excerpt(c, r.Message)
	}
	return mail.Document(c, r.Message)
}

// Answer asks c about a document, with reasons if explain is set.
func (o *Options) Answer(ctx context.Context, c Source, doc classify.Document, explain bool) (Reply, error) {
	r, err := o.reply(ctx, c, doc, explain)
	r.Truncated = err == nil && truncated(doc.Bag)
	return r, err
}

func truncated(b *tokenize.Bag) bool {
	for i := range b.Len() {
		if term, _ := b.At(i); bytes.HasPrefix(term, []byte("limit:")) {
			return true
		}
	}
	return false
}

func (o *Options) reply(ctx context.Context, c Source, doc classify.Document, explain bool) (Reply, error) {
	if c, ok := c.(*classify.Classifier); ok && c.Store().Tags() {
		return o.tagged(ctx, c, doc, explain)
	}
	classes, err := c.Classes()
	if err != nil {
		return Reply{}, err
	}
	untaught := decision.Untaught(o.Decision, classes)
	if untaught == decision.Unlearned {
		return Reply{Answer: o.Unlearned(classes), Doc: doc}, nil
	}
	var x classify.Explanation
	if explain && untaught == decision.Sure {
		x, err = c.Explain(ctx, doc)
	} else {
		x.Result, err = c.Classify(ctx, doc)
	}
	switch {
	case errors.Is(err, classify.ErrNoDocuments):
		return Reply{Answer: o.Unlearned(nil), Doc: doc}, nil
	case err != nil:
		return Reply{}, err
	}
	r := Reply{Doc: doc, Posterior: x.Posterior}
	r.Class, r.Probability, r.Unsure, r.Score = x.Class, x.Probability, x.Unsure, bits(logOdds(x.Posterior, o.Spam))
	r.Spam = !r.Unsure && slices.Contains(o.Spam, r.Class)
	if !o.NoThreshold {
		k, err := c.Calibration()
		if err != nil {
			return Reply{}, err
		}
		r.Threshold, r.Calibrated = bits(o.threshold(k, classes)), k != nil
	}
	r.Reasons = reasons(&x)
	return r, nil
}

func reasons(x *classify.Explanation) (list []backend.Reason) {
	for _, t := range x.Terms {
		list = append(list, backend.Reason{Term: t.Term, Count: t.Count, Bits: bits(t.LogOdds)})
	}
	return list
}

// Missing says in words which missing training makes all answers unsure; "" if they are not.
func (o *Options) Missing(classes []*count.Class) string {
	reason := decision.Untaught(o.Decision, classes)
	if reason == decision.Unlearned {
		return fmt.Sprintf("nothing was learned of class %q", decision.PartsOf(o.Decision).Positive)
	}
	return string(reason)
}

// Unlearned is the answer of a database that has learned too little: unsure, with the
// largest class and its share of documents after one is added to each class.
func (o *Options) Unlearned(classes []*count.Class) backend.Answer {
	docs := make(map[string]float64)
	for _, name := range slices.Concat(o.Spam, o.Classes) {
		docs[name] = 1
	}
	for _, c := range classes {
		docs[c.Name] = float64(c.Docs) + 1
	}
	a := backend.Answer{Unsure: true}
	all, spam := 0.0, 0.0
	for name, n := range docs {
		all += n
		if slices.Contains(o.Spam, name) {
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
	a.Threshold = bits(o.threshold(nil, nil))
	return a
}

// logOdds returns the log-odds of some classes together against all others, in nats. It
// is finite even if probabilities round to 0 and 1.
func logOdds(posterior []classify.ClassProbability, some []string) float64 {
	if len(some) == 0 {
		return 0
	}
	if only := posterior[0]; len(posterior) == 1 { // the others were not learned
		if slices.Contains(some, only.Class) {
			return only.LogOdds
		}
		return -only.LogOdds
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

// threshold returns the log-odds of spam, in nats, above which the answer is spam, as far as one number can say
// it: from the decision, and the probability below which answers are unsure.
func (o *Options) threshold(k *calibration.Calibration, classes []*count.Class) float64 {
	cut := math.Inf(-1)
	if p := o.Abstain; p > 0.5 {
		cut = math.Log(p) - math.Log1p(-p)
	}
	switch d := o.Decision.(type) {
	case decision.Filter:
		m, id := chosen(k, classes, d.Positive)
		return max(cut, m.Zone(id).Yes)
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

func bits(nats float64) float64 { return max(-maxBits, min(maxBits, nats/math.Ln2)) }
