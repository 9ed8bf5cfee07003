package incoming

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/mail"
	"github.com/polya-classifier/polya/cmd/internal/holdings"
	"github.com/polya-classifier/polya/serve/api/client"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/engine"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// A Database is a backend.Backend for one goroutine that uses the daemon that holds the
// database or, without one, the file itself. It opens the file to answer or to learn; the
// end of the process closes it.
type Database struct {
	Path  string
	Asked classify.Options // to answer; to learn only Store is used
	Spam  []string         // as in engine.Options, where nil is "spam"

	// Daemon, unless it is nil, is asked first. If no daemon answers the database is opened.
	Daemon *client.Client

	asked *engine.Engine // nil before the first question
}

// Classify answers as the engine of the daemon does, without a threshold. The database
// must exist: a missing one is probably mistyped.
func (d *Database) Classify(ctx context.Context, r backend.Request, explain bool) (backend.Answer, error) {
	if d.Daemon != nil {
		if a, err := d.Daemon.Classify(ctx, r, explain); !errors.Is(err, client.ErrAbsent) && !errors.Is(err, backend.ErrSize) {
			return a, err
		}
	}
	if _, err := os.Stat(d.Path); errors.Is(err, fs.ErrNotExist) {
		return backend.Answer{}, fmt.Errorf("%s: %w", d.Path, store.ErrNotExist)
	}
	if d.asked == nil {
		o := d.Asked
		o.Store.ReadOnly = true
		var err error
		if d.asked, err = engine.New(engine.Options{Path: d.Path, Classify: o, Spam: d.Spam, NoThreshold: true, MaxMessage: math.MaxInt}); err != nil {
			return backend.Answer{}, err
		}
	}
	return d.asked.Classify(ctx, r, explain)
}

// Learn trains the message as class, or moves it there. It makes a missing database, and
// fits the models if that is due.
func (d *Database) Learn(ctx context.Context, r backend.Request, class string) (backend.Outcome, error) {
	if d.Daemon != nil {
		if o, err := d.Daemon.Learn(ctx, r, class); !errors.Is(err, client.ErrAbsent) {
			return o, err
		}
	}
	return d.change(false, func(c *classify.Classifier) (store.Applied, error) {
		doc := document(c, &r)
		doc.Source = r.Source
		return c.Train(ctx, class, doc)
	})
}

// Forget takes back what was learned of the message.
func (d *Database) Forget(ctx context.Context, r backend.Request) (backend.Outcome, error) {
	if d.Daemon != nil {
		if o, err := d.Daemon.Forget(ctx, r); !errors.Is(err, client.ErrAbsent) {
			return o, err
		}
	}
	return d.change(true, func(c *classify.Classifier) (store.Applied, error) {
		applied, err := c.Forget(ctx, document(c, &r))
		if errors.Is(err, count.ErrNotLearned) {
			err = nil
		}
		return applied, err
	})
}

func (d *Database) change(mustExist bool, do func(*classify.Classifier) (store.Applied, error)) (backend.Outcome, error) {
	if d.asked != nil {
		_ = d.asked.Close() // nothing was written
		d.asked = nil
	}
	o := d.Asked.Store
	o.MustExist = mustExist
	c, err := classify.Open(d.Path, classify.Options{Store: o})
	if err != nil {
		return backend.Unchanged, err
	}
	applied, err := do(c)
	if closed := c.Close(); err == nil {
		err = closed
	}
	switch {
	case err != nil:
		return backend.Unchanged, err
	case len(applied.Conflicts) > 0:
		return backend.Unchanged, fmt.Errorf("%s: %w", d.Path, store.ErrNoCounts)
	case applied.Learned > 0:
		return backend.Learned, nil
	case applied.Moved > 0:
		return backend.Moved, nil
	case applied.Forgotten > 0:
		return backend.Forgotten, nil
	}
	return backend.Unchanged, nil
}

// Classes lists the classes or tags of the database.
func (d *Database) Classes(context.Context, string) ([]string, error) {
	o := d.Asked.Store
	o.ReadOnly = true
	db, err := store.Open(d.Path, o)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	return holdings.Names(db), nil
}

// document returns the message of a request as c reads it.
func document(c *classify.Classifier, r *backend.Request) classify.Document {
	if r.Cut {
		return mail.Excerpt(c, r.Message)
	}
	return mail.Document(c, r.Message)
}
