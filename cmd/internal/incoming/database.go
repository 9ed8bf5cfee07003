package incoming

import (
	"context"
	"errors"
	"fmt"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/setting"
	"github.com/polya-classifier/polya/cmd/internal/statistics"
	"github.com/polya-classifier/polya/serve/api/client"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/engine/answer"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// A Database is a backend.Backend for one goroutine that uses the daemon that holds the
// database or, without one, the file itself. It opens the file to answer or to learn; the
// end of the process closes it.
type Database struct {
	Path  string
	Asked classify.Options // to answer, as decided by its Settings
	Open  func(path string, o classify.Options) (*classify.Classifier, error)

	// Daemon, unless it is nil, is asked first. If no daemon answers the database is opened.
	Daemon *client.Client

	asked   *classify.Classifier // nil before the first question
	answers answer.Options
}

// Classify answers as the daemon does, without a threshold. The database must exist: a missing
// one is probably mistyped. One that is an empty file has learned nothing.
func (d *Database) Classify(ctx context.Context, r backend.Request, explain bool) (backend.Answer, error) {
	if d.Daemon != nil {
		if a, err := d.Daemon.Classify(ctx, r, explain); !errors.Is(err, client.ErrAbsent) && !errors.Is(err, backend.ErrSize) {
			return a, err
		}
	}
	if err := d.ask(); errors.Is(err, store.ErrEmpty) {
		return d.answers.Unlearned(nil), nil
	} else if err != nil {
		return backend.Answer{}, err
	}
	a, err := d.answers.Answer(ctx, d.asked, answer.Document(d.asked, &r), explain)
	return a.Answer, err
}

// ask opens the database for questions.
func (d *Database) ask() (err error) {
	if d.asked != nil {
		return nil
	}
	o := d.Asked
	d.answers = answer.Options{Spam: []string{}, Classes: []string{"ham"}, NoThreshold: true}
	if is := o.Settings[setting.Is]; is != "" {
		d.answers.Spam = []string{is}
		if d.answers.Decision, _, err = o.Settings.Decide(); err != nil {
			return err
		}
	}
	o.Store.ReadOnly, o.Holds = true, classify.Either
	d.asked, err = d.Open(d.Path, o)
	return err
}

// Learn trains the message as class, or moves it there. It makes a missing database, and
// fits the models if that is due and takes no more than some 50 ms.
func (d *Database) Learn(ctx context.Context, r backend.Request, class string) (backend.Outcome, error) {
	if d.Daemon != nil {
		if o, err := d.Daemon.Learn(ctx, r, class); !errors.Is(err, client.ErrAbsent) {
			return o, err
		}
	}
	return d.change(false, func(c *classify.Classifier) (store.Applied, error) {
		doc := answer.Document(c, &r)
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
		applied, err := c.Forget(ctx, answer.Document(c, &r))
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
	c, err := d.Open(d.Path, classify.Options{Store: store.Options{MustExist: mustExist}})
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
	if err := d.ask(); err != nil {
		return nil, err
	}
	return statistics.Names(d.asked.Store()), nil
}
