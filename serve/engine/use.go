package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/engine/learn"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// Use calls f with the open database of a user, the shared one if user is "", for what a Backend does not do.
// It stays open until f returns. The error is backend.ErrUser if there is no such user, and wraps
// store.ErrNotExist if there is no database yet. Trainings made by f bypass the queue, unlike those of Change.
func (e *Engine) Use(ctx context.Context, user string, f func(*classify.Classifier) error) error {
	return e.with(ctx, user, func(d *learn.Database) error {
		c, err := d.Existing(ctx)
		if err != nil {
			return err
		}
		return f(c)
	})
}

// Read is Use, and does nothing if there is no database yet.
func (e *Engine) Read(ctx context.Context, user string, f func(*classify.Classifier) error) error {
	err := e.Use(ctx, user, f)
	if errors.Is(err, store.ErrNotExist) {
		return nil
	}
	return err
}

// with calls f with the database that learns for a user, who may have none yet.
func (e *Engine) with(ctx context.Context, user string, f func(*learn.Database) error) error {
	defer e.use()()
	d, release, err := e.of(ctx, user)
	if err != nil {
		return err
	}
	defer release()
	return f(d)
}

// alone is with, unless the database follows a log, which alone changes it.
func (e *Engine) alone(ctx context.Context, user string, f func(*learn.Database) error) error {
	return e.with(ctx, user, func(d *learn.Database) error {
		if d.Follows() {
			return fmt.Errorf("%s: %w", d.Path, store.ErrFollows)
		}
		return f(d)
	})
}

// Change is Use with f queued as a training of the database: no other is learned
// meanwhile. If ctx ends before f is called, f may still be called later, with nobody
// waiting for it. For a database that follows a log the error wraps store.ErrFollows.
func (e *Engine) Change(ctx context.Context, user string, f func(*classify.Classifier) error) error {
	return e.alone(ctx, user, func(d *learn.Database) error { return e.trainEach(ctx, d, []*learn.Training{{Do: f}}) })
}

// Lend lets another process write the file of a user's database, or of the shared one if user
// is "", until the caller calls giveBack; see learn.Database.HandOver. The error is
// backend.ErrUser if there is no such user, and wraps store.ErrFollows for one that follows a log.
func (e *Engine) Lend(ctx context.Context, user string) (giveBack func(), err error) {
	err = e.alone(ctx, user, func(d *learn.Database) (err error) {
		giveBack, err = d.HandOver(ctx)
		return err
	})
	return giveBack, err
}

// Owner returns the user whose database has this file name, or backend.ErrUser.
func (e *Engine) Owner(file string) (user string, err error) {
	defer e.use()()
	user, has := e.users.Owner(file)
	if !has {
		return "", backend.ErrUser
	}
	return user, nil
}

// Make lets a user's database, or the shared one if user is "", learn a class that it does not have, or some
// tags. The error is backend.ErrClassName if no class can have that name, and backend.ErrTags if it has a comma
// where there are no tags, unless it is the name of a folder.
func (e *Engine) Make(ctx context.Context, user, class string, folder bool) error {
	return e.with(ctx, user, func(d *learn.Database) error {
		if _, err := d.Open(ctx, false); err != nil {
			return err
		}
		name, each, err := named(d, class)
		switch {
		case err != nil || count.CheckClass(name) != nil:
			return backend.ErrClassName
		case !folder && strings.ContainsRune(class, ',') && slices.Contains(each, class):
			return backend.ErrTags
		}
		e.mu.Lock()
		defer e.mu.Unlock()
		for _, one := range each {
			e.made[[2]string{d.Path, one}] = true
		}
		return nil
	})
}

// Restore puts a backup in the place of a user's database, or of the shared one if user is "". The
// error is backend.ErrLearned if that has documents, and wraps backend.ErrUnsuited if the database could not be used
// afterwards; otherwise as of store.Restore.
func (e *Engine) Restore(ctx context.Context, user, backup string) error {
	return e.alone(ctx, user, func(d *learn.Database) error {
		giveBack, err := d.HandOver(ctx)
		if err != nil {
			return err
		}
		defer giveBack()
		c, err := d.Open(ctx, false)
		if c != nil {
			var classes []*count.Class
			if classes, err = c.Classes(); count.WithDocuments(classes) > 0 {
				err = backend.ErrLearned
			}
			d.Reopen()
		}
		if err != nil {
			return err
		}
		if err := d.Suits(ctx, backup); err != nil {
			return fmt.Errorf("%w: %w", backend.ErrUnsuited, err)
		}
		_, err = store.Restore(ctx, d.Path, backup, store.Options{})
		return err
	})
}
