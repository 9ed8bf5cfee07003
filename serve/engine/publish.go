package engine

import (
	"cmp"
	"context"
	"errors"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/store"
)

// Publisher puts Deltas into an ordered log, from which somebody else applies them to the
// database.
type Publisher interface {
	// Publish returns once the log has d for good and the database has applied it, with
	// what that has changed, or why it was refused. After an error d may be in the log nevertheless, and is
	// applied then; trainings that are published again change nothing. It waits no
	// longer than somebody who teaches does.
	Publish(ctx context.Context, d *store.Delta) (store.Applied, error)
}

// follows says that a database follows a log.
func (d *database) follows() bool { return d.publisher != nil }

// apply learns b at once, or by way of the log.
func (d *database) apply(ctx context.Context, c *classify.Classifier, b *classify.Batch) (store.Applied, error) {
	if !d.follows() {
		return c.Apply(ctx, b)
	}
	applied, err := d.publisher.Publish(ctx, b.Delta())
	return applied, cmp.Or(err, applied.Refused)
}

// dependsOnLedger reports whether the foreseen training would be another if the ledger had or
// lacked the document.
func (t *training) dependsOnLedger() bool {
	return t.outcome != backend.Learned || t.byID || t.confirms
}

// catchUp returns when the database has applied all that the log had before: what was taught
// elsewhere a moment ago is in its ledger then. It takes an empty Delta, since whoever says how
// long a log is may not have been told of its end.
func (d *database) catchUp(ctx context.Context, c *classify.Classifier) error {
	_, err := d.apply(ctx, c, new(classify.Batch))
	return err
}

// checkPublisher refuses what a log does not carry to other processes.
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
