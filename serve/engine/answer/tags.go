package answer

import (
	"context"
	"errors"
	"slices"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/tags"
	"github.com/polya-classifier/polya/serve/backend"
)

// tagged is Answer of a database of tags. The Class is the first of Options.Spam that is to be
// given, else the most probable tag that is, else, unsure, the one asked about or the most
// probable one. Score is that of Options.Spam, where the database has one of them.
func (o *Options) tagged(ctx context.Context, c *classify.Classifier, doc classify.Document, explain bool) (Reply, error) {
	t := o.tagger.Load()
	if t == nil || t.Classifier() != c {
		var err error
		if t, err = tags.New(c, 0); err != nil {
			return Reply{}, err
		}
		o.tagger.Store(t)
	}
	found, err := t.Score(ctx, doc)
	if errors.Is(err, classify.ErrNoDocuments) || err == nil && len(found.Scores) == 0 {
		return Reply{Answer: backend.Answer{Unsure: true}, Doc: doc}, nil
	}
	if err != nil {
		return Reply{}, err
	}
	r := Reply{Doc: doc}
	asked := ""
	for _, s := range found.Scores {
		if s.Speaks {
			r.Tags = append(r.Tags, s.Tag)
		}
		if slices.Contains(o.Spam, s.Tag) && asked == "" {
			asked, r.Score = s.Tag, bits(s.LogOdds)
		}
	}
	about := asked
	if len(r.Tags) > 0 && !slices.Contains(r.Tags, asked) {
		about = r.Tags[0]
	}
	a, err := found.Answer(about)
	if err != nil {
		return Reply{}, err
	}
	r.Posterior = a.Posterior
	r.Class, r.Probability, r.Unsure = a.Class, a.Probability, a.Unsure
	r.Spam = !r.Unsure && r.Class == asked
	if explain {
		x, err := t.Explain(ctx, doc, r.Class)
		if err != nil {
			return Reply{}, err
		}
		r.Reasons = reasons(&x)
	}
	return r, nil
}
