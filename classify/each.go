package classify

import (
	"context"
	"slices"

	"github.com/polya-classifier/polya/store"
)

// ClassifyEach returns the answer of each model for doc, in the order of models, from one
// snapshot of the counts. Each is the answer of Classify with this model in the Options. A
// nil model is Auto, as in Options. The error is as of Open, for an invalid model or one
// that the Decision excludes.
func (c *Classifier) ClassifyEach(ctx context.Context, doc Document, models []Model) ([]Result, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	models, err := c.askable(models)
	if err != nil {
		return nil, err
	}
	results := make([]Result, len(models))
	err = c.viewEach(models, func(s *store.Snapshot, all []*prepared) error {
		q := questions.Get().(*question)
		defer questions.Put(q)
		levels := false
		for _, p := range all {
			levels = levels || p.levels
		}
		for i, p := range all {
			if i == 0 || p.fields != all[i-1].fields || !slices.Equal(p.reads, all[i-1].reads) {
				if err := q.read(s, p, &doc, levels); err != nil {
					return err
				}
			}
			q.against = p.contradiction.evidence(&q.evidence)
			q.score(p)
			r, err := c.result(p, q)
			if err != nil {
				return err
			}
			results[i] = r
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return results, nil
}

// askable returns the models with Auto in place of nil, or an error for an invalid one.
func (c *Classifier) askable(models []Model) ([]Model, error) {
	models = slices.Clone(models)
	for i, m := range models {
		if m == nil {
			models[i] = Auto{}
			continue
		}
		if err := checkModel(m); err != nil {
			return nil, err
		}
	}
	return models, nil
}
