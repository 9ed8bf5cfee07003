package engine

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/engine/learn"
	"github.com/polya-classifier/polya/store"
)

// errNoUsers is the error where a log has users, and the Options have none.
var errNoUsers = errors.New("databases of users have no path here")

// Follow calls f with the open database of a user, the shared one if user is "", for whoever applies
// a log. With create it is made if it does not exist, whoever the Options know. The error is
// backend.ErrUser if user is no name that is used here, as Users returns them: it never leads to
// another file. It wraps store.ErrNotExist if there is no database.
func (e *Engine) Follow(ctx context.Context, user string, create bool, f func(*classify.Classifier) error) error {
	return e.reserved(user, func(d *learn.Database) error {
		if create {
			if _, err := d.Open(ctx, true); err != nil {
				return err
			}
		}
		c, err := d.Existing(ctx)
		if err != nil {
			return err
		}
		return f(c)
	})
}

// FitAt fits the models of a user's database at a position of the log; see learn.Database.FitAt.
func (e *Engine) FitAt(ctx context.Context, user string, position uint64) error {
	return e.reserved(user, func(d *learn.Database) error { return d.FitAt(ctx, position) })
}

// Replace puts a backup in the place of a user's database, or only moves that away if backup is "".
func (e *Engine) Replace(ctx context.Context, user, backup string) (out store.Restored, err error) {
	err = e.reserved(user, func(d *learn.Database) error {
		giveBack, err := d.HandOver(ctx)
		if err != nil {
			return err
		}
		defer giveBack()
		if backup == "" {
			out.Before = d.Path + time.Now().UTC().Format(".20060102150405.000000.replaced")
			return os.Rename(d.Path, out.Before)
		}
		if err := os.MkdirAll(filepath.Dir(d.Path), 0o700); err != nil {
			return err
		}
		out, err = store.Restore(ctx, d.Path, backup, store.Options{Timeout: 10 * time.Second})
		return err
	})
	return out, err
}

// Users lists the users who have databases.
func (e *Engine) Users() ([]string, error) {
	e.mu.Lock()
	users := e.users
	e.mu.Unlock()
	return users.Names()
}

// reserved calls f with a database for whoever applies a log.
func (e *Engine) reserved(user string, f func(*learn.Database) error) error {
	d, err := e.reserve(user)
	if err != nil {
		return err
	}
	defer d.Release()
	return f(d)
}

// reserve returns the database of reserved; the caller ends its use by Release.
func (e *Engine) reserve(user string) (*learn.Database, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case e.ended:
		return nil, learn.ErrClosed
	case user == "":
		e.shared.Hold()
		return e.shared, nil
	case e.options.Users.Path == "":
		return nil, errNoUsers
	}
	if d := e.users.Reserve(user); d != nil {
		return d, nil
	}
	return nil, backend.ErrUser
}
