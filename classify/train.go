package classify

import (
	"cmp"
	"context"

	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// Train learns documents as class, all in one transaction, and returns when
// they are on the disk. A document that was learned as this class before
// changes nothing; one that was learned as another is moved.
func (c *Classifier) Train(ctx context.Context, class string, docs ...Document) (store.Applied, error) {
	return c.applyEach(ctx, docs, func(b *Batch, doc Document) error { return b.Train(class, doc) })
}

// Forget takes documents away, exactly as they were learned, in one
// transaction. If one was never learned, the error wraps ErrNotLearned
// and nothing changes.
func (c *Classifier) Forget(ctx context.Context, docs ...Document) (store.Applied, error) {
	return c.applyEach(ctx, docs, func(b *Batch, doc Document) error { return b.Forget(doc) })
}

// Relabel moves documents to class, in one transaction. If one was never
// learned, the error wraps ErrNotLearned and nothing changes.
func (c *Classifier) Relabel(ctx context.Context, class string, docs ...Document) (store.Applied, error) {
	return c.applyEach(ctx, docs, func(b *Batch, doc Document) error { return b.Relabel(class, doc) })
}

func (c *Classifier) applyEach(ctx context.Context, docs []Document, put func(*Batch, Document) error) (store.Applied, error) {
	var b Batch
	for _, doc := range docs {
		if err := put(&b, doc); err != nil {
			return store.Applied{}, err
		}
	}
	return c.Apply(ctx, &b)
}

// Apply does what the batch says in one transaction, and returns when it is on
// the disk. A context that has ended before keeps it from beginning.
func (c *Classifier) Apply(ctx context.Context, b *Batch) (store.Applied, error) {
	if err := ctx.Err(); err != nil {
		return store.Applied{}, err
	}
	applied, err := c.apply(b)
	if err != nil || applied.Learned+applied.Moved+applied.Forgotten == 0 {
		return applied, err
	}
	// The documents are learned. Neither the end of ctx, which ends a fit, nor a fit
	// that fails may say otherwise: the next training tries again. If somebody is
	// fitting now, that will do.
	if c.options.Fitting == FitByHand || c.db.Tags() {
		return applied, nil
	}
	due, err := c.due(trainCalibration)
	switch {
	case err != nil || !due.any():
	case c.options.Fitting == FitBehind && !due.cheapFor(applied.Learned+applied.Moved+applied.Forgotten):
		c.behind.Add(struct{}{})
	case c.refit.TryLock():
		defer c.refit.Unlock()
		_ = c.fitDue(ctx, trainCalibration)
	}
	return applied, nil
}

// apply is Apply without fits.
func (c *Classifier) apply(b *Batch) (store.Applied, error) {
	applied, err := c.db.Apply(&b.delta)
	if err != nil || applied.Learned+applied.Moved+applied.Forgotten == 0 {
		return applied, err
	}
	if keep := cmp.Or(b.delta.Keep, c.db.Ledger()); keep != count.LedgerFull && !c.db.Tags() {
		_ = c.db.View(func(s *store.Snapshot) error {
			c.opener().trained.follow(&b.delta, s.Classes())
			return nil
		})
	}
	return applied, nil
}
