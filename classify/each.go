package classify

import (
	"context"

	"github.com/polya-classifier/polya/store"
)

// ClassifyEach returns the answer of each model for doc, in the order of models,
// from one look at the counts: what Classify would say if the Classifier had
// that model.
func (c *Classifier) ClassifyEach(ctx context.Context, doc Document, models []EventModel) ([]Result, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	results := make([]Result, len(models))
	err := c.viewEach(models, func(s *store.Snapshot, all []*prepared) error {
		if len(all) == 0 {
			return nil
		}
		q := questions.Get().(*question)
		defer questions.Put(q)
		levels := false
		for _, p := range all {
			levels = levels || p.levels
		}
		q.evidence.choice = all[0].choice
		if err := q.evidence.read(s, doc.Bag, levels); err != nil {
			return err
		}
		for i, p := range all {
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
