package tags

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/decision"
	"github.com/polya-classifier/polya/classify/internal/tagged"
	"github.com/polya-classifier/polya/classify/model"
	"github.com/polya-classifier/polya/internal/numeric"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// Result is the result of Tagger.Score for a document.
type Result struct {
	// Scores are the scores of all tags that some document has, the most probable first.
	Scores []Score

	// Terms is the number of distinct known terms of the document.
	Terms int
}

// Score is the score of one tag.
type Score struct {
	Tag         string
	Probability float64 // that the document has it
	LogOdds     float64 // the same, in nats

	// Speaks says whether to give the document the tag: at these log-odds enough
	// leave-one-out answers were right. Other tags are indistinguishable from noise.
	Speaks bool

	// Calibrated says whether Probability was fitted to leave-one-out answers for the tag.
	Calibrated bool
}

// Tags returns the tags that speak, in order of name.
func (r *Result) Tags() []string {
	tags := []string{}
	for i := range r.Scores {
		if r.Scores[i].Speaks {
			tags = append(tags, r.Scores[i].Tag)
		}
	}
	slices.Sort(tags)
	return tags
}

// prepared is the part of scoring that does not depend on the document.
type prepared struct {
	*tagged.Counts
	state      uint64 // store.Snapshot.StateDigest
	fit        *tagged.Fitted
	components []model.Component
	features   *model.Features
	prior      []float64   // by tag, with its bias
	weights    [][]float64 // by tag: of the components
	cut        []float64   // by tag: it speaks above
}

// prepare prepares for s, or returns what was prepared for the same counts and calibration.
func (t *Tagger) prepare(s *store.Snapshot) *prepared {
	t.mu.Lock()
	p := t.prepared
	t.mu.Unlock()
	var fit *tagged.Fitted
	if state := s.StateDigest(); p == nil || p.state != state {
		fit = tagged.Read(s)
	} else if fit = p.fit; slices.Equal(s.Classes(), p.Sets) {
		return p
	}
	p = newPrepared(tagged.New(s), fit, t.precision)
	p.state = s.StateDigest()
	t.mu.Lock()
	t.prepared = p
	t.mu.Unlock()
	return p
}

func newPrepared(c *tagged.Counts, fit *tagged.Fitted, precision float64) *prepared {
	list := tagged.Components(fit)
	p := &prepared{Counts: c, fit: fit, components: list}
	byDefault := model.Stack{Components: list}.Weights()
	for i := range list {
		if list[i].IsLayer() {
			byDefault[i] = 0
		}
	}
	for _, tag := range c.Classes {
		start, own, cut := tagged.Prior(tag.Docs, c.Documents), byDefault, math.Inf(1)
		tag.ID = math.MaxUint32 // not a class of the Layer
		if at := fit.At(tag.Name); at >= 0 {
			m := &fit.Models[at]
			tag.ID = count.ClassID(at)
			start, own = start+m.Bias[0], m.Weights
			if best, ok := bestCut(m, fit.Documents, precision); ok {
				cut = best.logOdds
			}
		}
		p.prior, p.weights, p.cut = append(p.prior, start), append(p.weights, own), append(p.cut, cut)
	}
	p.features = model.NewFeatures(list, c.Totals)
	return p
}

// logOdds returns the log-odds of a tag from the scores of all components and tags.
func (p *prepared) logOdds(tag int, features []float64) float64 {
	z := p.prior[tag]
	for m, w := range p.weights[tag] {
		z += w * features[m*len(p.prior)+tag]
	}
	return z
}

// asking is memory that is reused for each question.
type asking struct {
	tagged.Evidence
	terms    []count.TermCount
	features []float64
}

var askings = sync.Pool{New: func() any { return new(asking) }}

// Score returns the probability of each tag for a document. The error wraps
// classify.ErrNoDocuments if nothing was learned.
func (t *Tagger) Score(ctx context.Context, doc classify.Document) (r Result, err error) {
	err = t.score(ctx, doc, func(_ *prepared, _ *asking, scored Result) error {
		r = scored
		return nil
	})
	return r, err
}

// score calls f with the result for a document and with what it was computed from, which f may
// not keep.
func (t *Tagger) score(ctx context.Context, doc classify.Document, f func(*prepared, *asking, Result) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	a := askings.Get().(*asking)
	defer askings.Put(a)
	a.terms = doc.Counted("", a.terms[:0]).Terms
	return t.c.Store().View(func(s *store.Snapshot) error {
		p := t.prepare(s)
		if p.Documents == 0 {
			return classify.ErrNoDocuments
		}
		if err := a.Read(s, p.Counts, a.terms); err != nil {
			return err
		}
		return f(p, a, p.result(a))
	})
}

func (p *prepared) result(a *asking) Result {
	tags := len(p.prior)
	n := len(p.components) * tags
	a.features = slices.Grow(a.features[:0], n)[:n]
	p.features.Score(&a.Evidence.Evidence, tags, a.features)
	r := Result{Scores: make([]Score, tags), Terms: len(a.Rows)}
	for tag, class := range p.Classes {
		z := p.logOdds(tag, a.features)
		r.Scores[tag] = Score{Tag: class.Name, Probability: numeric.Logistic(z), LogOdds: z, Speaks: z > p.cut[tag] && r.Terms > 0, Calibrated: class.ID != math.MaxUint32}
	}
	slices.SortStableFunc(r.Scores, func(a, b Score) int { return cmp.Compare(b.LogOdds, a.LogOdds) })
	return r
}

// DefaultPrecision is the precision of a Tagger for which none is given.
const DefaultPrecision = 0.95

// Tagger predicts the tags of documents. It is safe for concurrent use: readers do not wait for
// trainers.
type Tagger struct {
	c         *classify.Classifier
	precision float64

	mu       sync.Mutex
	prepared *prepared
}

// New returns a Tagger of an open database. precision is the target precision of tags, the share of
// right answers when a tag speaks, above 0 and below 1; 0 means DefaultPrecision. The error wraps
// classify.ErrHasClasses for a database of classes.
func New(c *classify.Classifier, precision float64) (*Tagger, error) {
	if !c.Store().Tags() {
		return nil, fmt.Errorf("%s: %w", c.Store().Path(), classify.ErrHasClasses)
	}
	precision = cmp.Or(precision, DefaultPrecision)
	if !(precision > 0 && precision < 1) {
		return nil, fmt.Errorf("precision %v: want more than 0 and less than 1", precision)
	}
	return &Tagger{c: c, precision: precision}, nil
}

// Classifier returns the open database.
func (t *Tagger) Classifier() *classify.Classifier { return t.c }

// Silent is the reason of an answer whose tag does not speak.
const Silent decision.Reason = "the tag is not sure enough to be given"

// Answer returns a Result as that of a classifier whose classes are the tags: about a tag or,
// for "", the most probable. It is unsure unless the tag speaks. The error wraps
// classify.ErrNoDocuments if no document has a tag, and store.ErrNoClass if none has this one.
func (r *Result) Answer(tag string) (a classify.Result, err error) {
	at := 0
	if tag != "" {
		at = slices.IndexFunc(r.Scores, func(s Score) bool { return s.Tag == tag })
	}
	switch {
	case len(r.Scores) == 0:
		return a, classify.ErrNoDocuments
	case at < 0:
		return a, fmt.Errorf("tag %.40q: %w", tag, store.ErrNoClass)
	}
	s := r.Scores[at]
	a.Class, a.Probability, a.LogOdds, a.Terms = s.Tag, s.Probability, s.LogOdds, r.Terms
	switch {
	case r.Terms == 0:
		a.Unsure, a.Reason = true, decision.NoKnownTerm
	case !s.Speaks:
		a.Unsure, a.Reason = true, Silent
	}
	for _, s := range r.Scores {
		a.Posterior = append(a.Posterior, classify.ClassProbability{Class: s.Tag, Probability: s.Probability, LogOdds: s.LogOdds})
	}
	return a, nil
}

// Explain scores a document and returns the contributions to the log-odds of a tag or, for "",
// of the most probable one. The Explanation has that tag as its only class. The errors are
// those of Score and of Result.Answer.
func (t *Tagger) Explain(ctx context.Context, doc classify.Document, tag string) (x classify.Explanation, err error) {
	err = t.score(ctx, doc, func(p *prepared, a *asking, r Result) (err error) {
		if x.Result, err = r.Answer(tag); err != nil {
			return err
		}
		p.explain(&x, a)
		return nil
	})
	return x, err
}

// explain adds the contributions to the log-odds of x.Class.
func (p *prepared) explain(x *classify.Explanation, a *asking) {
	tag := count.ClassNamed(p.Classes, x.Class)
	one := func(v float64) classify.Contribution {
		return classify.Contribution{LogOdds: v, LogLikelihoods: []float64{v}}
	}
	parts := model.NewContributions(&a.Evidence.Evidence, len(p.prior))
	own := model.Stack{Components: slices.Clone(p.components[:len(p.weights[tag])])}
	for m, w := range p.weights[tag] {
		own.Components[m].Weight = w
	}
	own.Prepare(p.Totals).Explain(&a.Evidence.Evidence, 1, parts)
	x.Classes, x.Unknown = []string{x.Class}, a.Unknown()
	start := p.prior[tag] + parts.Start[tag]
	length := x.LogOdds - start
	for i, row := range slices.Concat(a.Rows, a.Channel) {
		length -= parts.Rows[i][tag]
		x.Terms = append(x.Terms, classify.TermContribution{Term: string(row.Term), Count: row.X, Contribution: one(parts.Rows[i][tag])})
	}
	x.Prior, x.Length = one(start), one(length)
	x.Sort()
}
