package tags

import (
	"context"
	"fmt"
	"slices"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/decision"
	"github.com/polya-classifier/polya/classify/model"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

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
	own := model.Stack{Components: slices.Clone(p.components)}
	for m, w := range p.weights[tag] {
		own.Components[m].Weight = w
	}
	own.Prepare(p.Totals).Explain(&a.Evidence.Evidence, 1, parts)
	x.Classes, x.Unknown = []string{x.Class}, len(a.terms)-len(a.Rows)-len(a.Channel)
	start := p.prior[tag] + parts.Start[tag]
	length := x.LogOdds - start
	for i, row := range slices.Concat(a.Rows, a.Channel) {
		length -= parts.Rows[i][tag]
		x.Terms = append(x.Terms, classify.TermContribution{Term: string(row.Term), Count: row.X, Contribution: one(parts.Rows[i][tag])})
	}
	x.Prior, x.Length = one(start), one(length)
	x.Sort()
}
