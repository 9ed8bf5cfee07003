package classify

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/polya-classifier/polya/classify/calibration"
	"github.com/polya-classifier/polya/classify/decision"
	"github.com/polya-classifier/polya/classify/internal/recent"
	"github.com/polya-classifier/polya/classify/internal/sum"
	"github.com/polya-classifier/polya/classify/internal/tagged"
	"github.com/polya-classifier/polya/classify/model"
	"github.com/polya-classifier/polya/internal/numeric"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/tokenize"
)

// Result is the answer for one document.
type Result struct {
	// Class is the class answered: the most probable, the first by name of equal ones, unless
	// a Decision says otherwise.
	Class string

	// Probability is the posterior probability of Class, 0 to 1.
	Probability float64

	// LogOdds is the logarithm of the odds of Class against all other classes together, in
	// nats. It is never clamped, so it ranks documents whose probabilities both round to 1.
	LogOdds float64

	// Terms is the number of distinct known terms of the document, those that some class has.
	// Attributes is the number of its known attributes.
	Terms      int
	Attributes int

	// Unsure is set if the classifier abstains, and Reason is why.
	Unsure bool
	Reason decision.Reason

	// Precision is the precision that the answer has earned, 0 to 1, if the Decision is
	// decision.Precision: the share of right answers among those of the calibration sample
	// down to a cut-off that it reaches too; see calibration.Record.
	Precision float64

	// Cost is the expected cost of the answer, if the Decision is decision.LeastCost.
	Cost float64

	// Posterior is the probability of every class that has documents, the most probable
	// first, equal ones by name. They sum to 1. The only class learned, with n documents, has
	// the odds 1 + n min(1, e^(1-x/μ)) against classes that were not learned: x is the share of
	// the document's terms that are new, and μ its mean for documents of the class.
	Posterior []ClassProbability
}

// ClassProbability is the posterior probability of one class.
type ClassProbability struct {
	Class       string
	Probability float64
	LogOdds     float64 // against all other classes, in nats
}

// Classify returns the answer for doc. It returns ErrNoDocuments if nothing was learned, and an
// error that wraps store.ErrNoClass if the Decision asks about a class that the database lacks.
func (c *Classifier) Classify(ctx context.Context, doc Document) (r Result, err error) {
	err = c.ask(ctx, &doc, (*question).answer, func(p *prepared, q *question) error {
		r, err = c.result(p, q)
		return err
	})
	return r, err
}

// ask calls read to score a document, and then answer.
func (c *Classifier) ask(ctx context.Context, doc *Document, read reading, answer func(*prepared, *question) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return c.view(func(s *store.Snapshot, p *prepared) error {
		q := questions.Get().(*question)
		defer questions.Put(q)
		if err := read(q, s, p, doc); err != nil {
			return err
		}
		return answer(p, q)
	})
}

// reading scores a document: question.answer, or question.ask, which leaves its evidence.
type reading func(*question, model.Reader, *prepared, *Document) error

// question is the memory of one question; it is reused.
type question struct {
	evidence model.Evidence
	given    int // attributes of the document, known or not
	against  calibration.Evidence
	known    int           // known terms
	unread   bool          // Unread of the document
	scores   []float64     // by class: prior and bias, and the weighted scores
	bag      *tokenize.Bag // of the document; nil for none
	grams    []uint16      // memory of its grams
	features recent.Document
	recent   float64 // the correction in scores
	reading  model.Reading
	hashes   []uint64 // of the terms
	sums     sum.Reader
}

var questions = sync.Pool{New: func() any { return new(question) }}

// answer computes the scores of the document. The first question to a model does not cache
// terms, so that a single question does not pay for it.
func (q *question) answer(r model.Reader, p *prepared, doc *Document) error {
	again := p.asked.Load()
	if !again {
		p.asked.Store(true)
	}
	if !again || p.contributing == nil || doc.Bag == nil {
		return q.ask(r, p, doc)
	}
	return q.sum(r, p, doc)
}

// sum is ask with cached terms; it leaves no rows.
func (q *question) sum(r model.Reader, p *prepared, doc *Document) error {
	e := &q.evidence
	q.begin(doc)
	q.hashes = q.hashes[:0]
	for i := range e.Terms {
		q.hashes = append(q.hashes, doc.Bag.Hash(i))
	}
	q.against = calibration.Evidence{}
	known, err := q.reading.ReadTerms(r, p.contributing, e, q.hashes, q.against.Add)
	if err != nil {
		return err
	}
	if err := e.ReadAttributes(r, p.attributes, p.reads, doc.Attributes); err != nil {
		return err
	}
	q.scored(p, known, func(scores []float64) { q.reading.Score(p.contributing, e, scores, known) })
	return nil
}

// begin sets the terms to read evidence of.
func (q *question) begin(doc *Document) {
	q.evidence.Terms = appendTerms(q.evidence.Terms[:0], doc.Bag)
	q.given, q.unread, q.bag = len(doc.Attributes), doc.Bag != nil && doc.Bag.Unread(), doc.Bag
}

// ask computes the scores of the document, and leaves their evidence.
func (q *question) ask(r model.Reader, p *prepared, doc *Document) error {
	q.begin(doc)
	if err := q.read(r, p, doc.Attributes); err != nil {
		return err
	}
	q.against = p.contradiction.evidence(&q.evidence)
	q.score(p)
	return nil
}

func (q *question) read(r model.Reader, p *prepared, attributes []count.Attribute) error {
	q.evidence.FieldsOf = tagged.FieldsOf
	if err := q.evidence.ReadTerms(r, p.levels); err != nil {
		return err
	}
	return q.evidence.ReadAttributes(r, p.attributes, p.reads, attributes)
}

func (q *question) score(p *prepared) {
	q.scored(p, len(q.evidence.Rows), func(scores []float64) { p.scorer.Score(&q.evidence, scores) })
}

// scored sets q.scores by calling score and adding the priors, for a document with this
// many known terms.
func (q *question) scored(p *prepared, known int, score func(scores []float64)) {
	q.known, q.recent = known, 0
	q.scores = slices.Grow(q.scores[:0], len(p.classes))[:len(p.classes)]
	if known == 0 && len(q.evidence.Attributes) == 0 {
		copy(q.scores, p.priorOnly)
		return
	}
	score(q.scores)
	if len(q.evidence.Attributes) > 0 {
		known = 0
	}
	for c, v := range p.prior {
		q.scores[c] += v
	}
	shrinkageOf(p.calibrated).Apply(q.scores, known)
	q.recent = p.recent.correct(q)
	for c, v := range p.shift {
		q.scores[c] += v
	}
}

func (c *Classifier) result(p *prepared, q *question) (Result, error) {
	classes, scores := learnedOf(p.classes, q.scores)
	if len(classes) == 0 {
		return Result{}, ErrNoDocuments
	}
	decide := decision.Among(c.options.Decision, p.classes)
	if positive := decision.PartsOf(decide).Positive; positive != "" && count.ClassNamed(p.classes, positive) < 0 {
		return Result{}, fmt.Errorf("%s: class %q of Decision.Positive: %w; train it, or name one that there is", c.db.Path(), positive, store.ErrNoClass)
	}
	order := make([]int, len(classes))
	for i := range order {
		order[i] = i
	}
	// By score: probabilities may have rounded to 0 and 1.
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	a := &decision.Case{
		Classes: classes, Calibrated: p.calibrated, Terms: q.known, Attributes: len(q.evidence.Attributes), Unread: q.unread,
		Text:        q.against.Text(),
		Contradicts: p.contradiction != nil && p.contradiction.known && p.contradiction.bounds.Exceeds(&q.against),
		Scores:      scores, Probabilities: numeric.Posterior(scores), Order: order, Record: p.record, Recent: q.recent,
	}
	r := Result{Terms: a.Terms, Attributes: a.Attributes, Posterior: posteriorOf(a)}
	if len(classes) == 1 {
		r.Posterior = onlyLearned(classes[0], q.known, q.evidence.Terms)
	}
	var said int
	said, r.Reason = a.Decide(decide, c.options.Threshold)
	r.Unsure = r.Reason != decision.Sure
	answer := r.Posterior[slices.Index(order, said)]
	r.Class, r.Probability, r.LogOdds = answer.Class, answer.Probability, answer.LogOdds
	r.Precision = a.Earned
	if a.Costs != nil {
		r.Cost = a.Costs.Expected(a.Probabilities, said)
	}
	return r, nil
}

// onlyLearned returns the probability of the only learned class for a document of these terms,
// of which it has known ones; see Result.Posterior.
func onlyLearned(c *count.Class, known int, terms []count.TermCount) []ClassProbability {
	odds := 1 + float64(c.Docs)*usual(c, known, terms)
	return []ClassProbability{{c.Name, odds / (odds + 1), math.Log(odds)}}
}

// usual returns how usual a document is for the class: 1 if its share of new terms is at most
// the mean of the class's documents, else the probability that one of them above the mean has
// as large a share. The mean is Good and Turing's estimate, the share of occurrences in documents
// that are a term's only one, as if there were one more; of the distributions with this mean
// the exponential has the greatest entropy.
func usual(c *count.Class, known int, terms []count.TermCount) float64 {
	words := 0
	for _, t := range terms {
		if !count.OfChannel(t.Term) {
			words++
		}
	}
	if known == words {
		return 1
	}
	once := 1 + float64(c.Dropped) // what was dropped is new again
	all := once
	for _, f := range c.Frequencies {
		all += float64(f.N) * float64(f.Count)
		if f.N == 1 {
			once += float64(f.Count)
		}
	}
	return min(1, math.Exp(1-(1-float64(known)/float64(words))*all/once))
}

// posteriorOf lists the probabilities, the most probable class first.
func posteriorOf(a *decision.Case) []ClassProbability {
	list := make([]ClassProbability, len(a.Order))
	best := a.Order[0]
	total := a.Scores[best] - math.Log(a.Probabilities[best])
	for k, i := range a.Order {
		// For a class other than the best, the odds follow from the probability, which is at
		// most one half, without a sum over all others.
		own := a.Scores[i] - total - math.Log1p(-a.Probabilities[i])
		switch {
		case k == 0:
			own = numeric.LogOdds(a.Scores, best)
		case a.Scores[i] == a.Scores[a.Order[k-1]]:
			own = list[k-1].LogOdds
		}
		list[k] = ClassProbability{a.Classes[i].Name, a.Probabilities[i], own}
	}
	return list
}
