package engine

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// Relabel moves the document of that id, of which the ledger must keep the counts, to class,
// in the database of a user or, if user is "", in the shared one. It is then a document that
// by has taught. The error wraps count.ErrNotLearned or store.ErrNoCounts if the ledger does
// not have it, or not enough of it, and is otherwise as Learn's.
func (e *Engine) Relabel(ctx context.Context, user string, id count.DocID, class, by string) (backend.Outcome, error) {
	return e.revise(ctx, user, class, &training{doc: classify.Document{ID: id, Source: source(by)}, class: class, byID: true, watch: e.watch()})
}

// ForgetID takes back what was learned as the document of that id, as Relabel moves it.
func (e *Engine) ForgetID(ctx context.Context, user string, id count.DocID) (backend.Outcome, error) {
	return e.revise(ctx, user, "", &training{doc: classify.Document{ID: id}, byID: true})
}

// revise has t learned in the database of a user, if that is there.
func (e *Engine) revise(ctx context.Context, user, class string, t *training) (backend.Outcome, error) {
	if e.isClosed() {
		return 0, errClosed
	}
	d, err := e.of(ctx, user)
	if err != nil {
		return 0, err
	}
	defer d.release()
	if class != "" {
		if err := e.mayLearn(ctx, d, class); err != nil {
			return 0, err
		}
	}
	c, err := d.open(ctx, false)
	if err != nil {
		return 0, err
	}
	if c == nil {
		return 0, count.ErrNotLearned
	}
	if class != "" {
		e.taught(t.doc.ID, class)
	}
	return e.train(ctx, d, t)
}

// TakeBack forgets what was learned automatically at or after a moment, all of it if that
// is the zero time, in the database of a user or, if user is "", in the shared one. It
// returns the number of documents. What somebody has confirmed or corrected since is
// theirs and stays.
func (e *Engine) TakeBack(ctx context.Context, user string, since time.Time) (int, error) {
	d, err := e.of(ctx, user)
	if err != nil {
		return 0, err
	}
	defer d.release()
	c, err := d.open(ctx, false)
	if c == nil || err != nil {
		return 0, err
	}
	var ids []count.DocID
	err = c.Store().View(func(s *store.Snapshot) error {
		return s.Entries(func(entry *store.Entry) error {
			// The ledger has seconds.
			if entry.Source == AutoSource && !entry.Time.Before(since.Truncate(time.Second)) {
				ids = append(ids, entry.ID)
			}
			return ctx.Err()
		})
	})
	forgotten := 0
	for batch := range slices.Chunk(ids, maxBatch) {
		// Of a batch at a time, so that others are learned between.
		var trainings []*training
		for _, id := range batch {
			t := &training{doc: classify.Document{ID: id}, byID: true, ifAuto: true}
			if err = e.submit(d, t); err != nil {
				break
			}
			trainings = append(trainings, t)
		}
		for _, t := range trainings {
			out, failed := t.wait(ctx)
			err = errors.Join(err, failed)
			if failed == nil && out == backend.Forgotten {
				forgotten++
			}
		}
		if err != nil {
			break
		}
	}
	return forgotten, err
}

// TakeBackAll is TakeBack in the shared database and in those of all users. After an error
// with one of them it goes on with the others, until ctx ends.
func (e *Engine) TakeBackAll(ctx context.Context, since time.Time) (forgotten int, err error) {
	users, err := e.users.names()
	for _, user := range append([]string{""}, users...) {
		n, failed := e.TakeBack(ctx, user, since)
		forgotten += n
		if failed != nil && !errors.Is(failed, backend.ErrUser) { // his file is gone
			err = errors.Join(err, failed)
		}
		if ctx.Err() != nil {
			break
		}
	}
	return forgotten, err
}

// names lists the users who have databases.
func (p *pool) names() ([]string, error) {
	if p.users.Path == "" {
		return nil, nil
	}
	files, err := os.ReadDir(filepath.Dir(p.users.Path))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	var names []string
	for _, f := range files {
		if name, has := p.owner(f.Name()); has {
			names = append(names, name)
		}
	}
	return names, err
}
