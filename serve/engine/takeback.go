package engine

import (
	"context"
	"errors"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/engine/learn"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// Relabel moves the document with this id, whose counts the ledger must keep, to class, or takes it back if that is
// "", in the database of a user or, if user is "", in the shared one. Its source becomes by. The
// error is backend.ErrDocument if there is no such id, wraps count.ErrNotLearned or store.ErrNoCounts
// if the ledger does not have the document or its counts, and is otherwise as for Learn.
func (e *Engine) Relabel(ctx context.Context, user, id, class, by string) (backend.Outcome, error) {
	defer e.use()()
	doc, err := count.ParseDocID(id)
	if err != nil {
		return "", backend.ErrDocument
	}
	t := &learn.Training{Doc: classify.Document{ID: doc, Source: source(by)}, Class: class, ByID: true}
	switch err := e.teach(ctx, user, false, nil, t); {
	case errors.Is(err, store.ErrNotExist):
		return "", count.ErrNotLearned
	case err != nil:
		return "", err
	}
	return t.Outcome, nil
}

// OfLedger returns the Failure that says what a ledger lacks, or err if it is another error.
func OfLedger(err error) error {
	switch {
	case errors.Is(err, count.ErrNotLearned):
		return backend.Failure{Code: 404, Text: "no such document in the ledger"}
	case errors.Is(err, store.ErrNoCounts):
		return backend.Failure{Code: 409, Text: "the ledger does not keep the counts of the document: send the message"}
	}
	return err
}

// Undo takes back what f selects, or only reports it if dryRun is set, in the database of a
// user or, if user is "", in the shared one; see classify.Undo. Other trainings are learned
// in between, and the database is calibrated again afterwards.
func (e *Engine) Undo(ctx context.Context, user string, f classify.Query, dryRun bool) (gone classify.Undone, err error) {
	defer e.use()()
	gone.Classes = make(map[string]int)
	d, release, err := e.of(ctx, user)
	if err != nil {
		return gone, err
	}
	defer release()
	c, err := d.Open(ctx, false)
	if c == nil || err != nil {
		return gone, err
	}
	var ids []count.DocID
	var found classify.Undone
	err = c.Store().View(func(s *store.Snapshot) (err error) {
		ids, found, err = f.Find(ctx, s)
		return err
	})
	if err != nil || dryRun {
		return found, err
	}
	gone.Digests, gone.Unlisted = found.Digests, found.Unlisted
	list := make([]*learn.Training, len(ids))
	for i, id := range ids {
		list[i] = &learn.Training{Doc: classify.Document{ID: id}, ByID: true, Only: &f}
	}
	err = e.trainEach(ctx, d, list)
	for _, t := range list {
		if !t.Done() || t.Err != nil || t.Outcome == backend.Unchanged {
			continue
		}
		one := classify.Undone{Documents: 1, Classes: map[string]int{t.From: 1}}
		if t.Outcome == backend.Moved {
			one.Restored = 1
		}
		gone.Add(one)
	}
	if gone.Documents > 0 {
		d.Undone()
	}
	return gone, err
}

// UndoAll is Undo in the shared database and in all users' databases. After an error with
// one of them it goes on with the others, until ctx ends.
func (e *Engine) UndoAll(ctx context.Context, f classify.Query, dryRun bool) (gone classify.Undone, err error) {
	gone.Classes = make(map[string]int)
	users, err := e.Users()
	for _, user := range append([]string{""}, users...) {
		some, failed := e.Undo(ctx, user, f, dryRun)
		gone.Add(some)
		if failed != nil && !errors.Is(failed, backend.ErrUser) { // his file is gone
			err = errors.Join(err, failed)
		}
		if ctx.Err() != nil {
			break
		}
	}
	return gone, err
}
