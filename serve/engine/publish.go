package engine

import (
	"cmp"
	"context"
	"errors"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/store"
)

// Publisher appends Deltas to an ordered log, from which somebody else applies them to
// the database.
type Publisher interface {
	// Publish returns when d is durable in the log and the database has applied it, with what that
	// changed or why d was refused. After an error d may still be in the log and be applied;
	// publishing a training twice changes nothing. It waits no longer than a person who teaches would.
	Publish(ctx context.Context, d *store.Delta) (store.Applied, error)
}

// follows says that a database follows a log.
func (d *database) follows() bool { return d.publisher != nil }

// apply learns b directly or through the log.
func (d *database) apply(ctx context.Context, c *classify.Classifier, b *classify.Batch) (store.Applied, error) {
	if !d.follows() {
		return c.Apply(ctx, b)
	}
	applied, err := d.publisher.Publish(ctx, b.Delta())
	return applied, cmp.Or(err, applied.Refused)
}

// dependsOnLedger reports whether the foreseen outcome depends on whether the ledger has the
// document.
func (t *training) dependsOnLedger() bool {
	return t.outcome != backend.Learned || t.byID || t.confirms
}

// catchUp returns when the database has applied everything that was in the log before the call,
// so that its ledger has the latest trainings from elsewhere. It publishes an empty Delta,
// since a reported length of the log may be out of date.
func (d *database) catchUp(ctx context.Context, c *classify.Classifier) error {
	_, err := d.apply(ctx, c, new(classify.Batch))
	return err
}

// checkPublisher refuses options that a log does not carry to other processes.
func (o *Options) checkPublisher() error {
	switch {
	case o.Publisher == nil:
		return nil
	case o.Users.Path != "":
		return errors.New("databases of users cannot follow a log")
	case o.Auto != nil:
		return errors.New("a database that follows a log cannot learn automatically")
	}
	return nil
}
