package incoming

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/setting"
	"github.com/polya-classifier/polya/cmd/internal/command"
	"github.com/polya-classifier/polya/cmd/internal/reading"
	"github.com/polya-classifier/polya/cmd/internal/statistics"
	"github.com/polya-classifier/polya/serve/api/client"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/engine/answer"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// A Database answers about messages and learns them, for one goroutine: by the daemon that holds
// the program's database or, without one, by the file itself. It opens the file to answer or to
// learn; the end of the process closes it.
type Database struct {
	*command.Program
	Settings setting.Values // by which answers are decided
	Alone    bool           // no daemon is asked, which decides by its own settings

	asked   *classify.Classifier // nil before the first question
	answers answer.Options
}

// Ask calls work with what answers, and adds advice to its error. It returns a panic as an error:
// a message can pass whatever is in it.
func (d *Database) Ask(work func() error) (err error) {
	if crash := reading.Catch(func() { err = work() }); crash != nil {
		return fmt.Errorf("fault of the program, please report it: %v", crash.Value)
	}
	return command.OpenError(d.Path(), err)
}

// either calls ask with the daemon or, if there is none that answers, opened.
func (d *Database) either(ask func(*client.Client) error, opened func(path string) error) error {
	path := d.Path()
	timeout, err := d.Timeout()
	if err != nil {
		return err
	}
	if daemon := client.Of(path, cmp.Or(timeout, client.DefaultTimeout)); daemon != nil && path != "" && !d.Alone {
		if err := ask(daemon); !errors.Is(err, client.ErrAbsent) && !errors.Is(err, backend.ErrSize) {
			return err
		}
	}
	return opened(path)
}

// Classify answers as the daemon does, without a threshold. The database must exist: a missing
// one is probably mistyped. One that is an empty file has learned nothing.
func (d *Database) Classify(ctx context.Context, m *Message) (a backend.Answer, err error) {
	r := m.request("")
	err = d.either(func(daemon *client.Client) error {
		a, err = daemon.Classify(ctx, r, false)
		return err
	}, func(path string) error {
		if err := d.open(path); err != nil {
			if errors.Is(err, store.ErrEmpty) {
				a, err = d.answers.Unlearned(nil), nil
			}
			return err
		}
		reply, err := d.answers.Answer(ctx, d.asked, answer.Document(d.asked, &r), false)
		a = reply.Answer
		return err
	})
	return a, err
}

func (d *Database) open(path string) (err error) {
	if d.asked != nil {
		return nil
	}
	d.answers = answer.Options{Spam: []string{}, Classes: []string{"ham"}, NoThreshold: true}
	if is := d.Settings[setting.Is]; is != "" {
		d.answers.Spam = []string{is}
		if d.answers.Decision, _, err = d.Settings.Decide(); err != nil {
			return err
		}
	}
	d.asked, err = d.OpenClassifier(path, classify.Options{Settings: d.Settings, Holds: classify.Either, Store: store.Options{ReadOnly: true}})
	return err
}

// Teach trains the message as class, or moves it there; of class "" it takes back what was learned
// of the message. Training makes a missing database, and fits the models if that is due and takes
// no more than some 50 ms. source is where the training comes from.
func (d *Database) Teach(ctx context.Context, m *Message, source, class string) error {
	r := m.request(source)
	return d.either(func(daemon *client.Client) (err error) {
		_, err = daemon.Learn(ctx, r, class)
		return err
	}, func(path string) error {
		if d.asked != nil {
			_ = d.asked.Close() // nothing was written
			d.asked = nil
		}
		if class != "" {
			if err := command.MakeDefaultFolder(path); err != nil {
				return err
			}
		}
		c, err := d.OpenClassifier(path, classify.Options{Store: store.Options{MustExist: class == ""}})
		if err != nil {
			return err
		}
		doc, applied := answer.Document(c, &r), store.Applied{}
		if doc.Source = source; class != "" {
			applied, err = c.Train(ctx, class, doc)
		} else if applied, err = c.Forget(ctx, doc); errors.Is(err, count.ErrNotLearned) {
			err = nil
		}
		if len(applied.Conflicts) > 0 {
			err = fmt.Errorf("%s: %w", path, store.ErrNoCounts)
		}
		return cmp.Or(err, c.Close())
	})
}

// HasClass reports whether the file has a class or tag, or cannot be read.
func (d *Database) HasClass(name string) bool {
	return d.open(d.Path()) != nil || slices.Contains(statistics.Names(d.asked.Store()), name)
}
