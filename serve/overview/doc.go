// Package overview answers a person's questions about databases: what they have learned, from
// whom and when, which terms distinguish classes, and how accurate their answers are. It also does
// what he asks of them: classes are renamed, mailboxes and backups brought in and out.
package overview

import (
	"context"
	"errors"
	"sync"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/serve/engine"
	"github.com/polya-classifier/polya/store"
)

// Admin asks and changes the databases of an Engine.
type Admin struct {
	*engine.Engine

	measuring sync.Mutex // held during a measurement, which takes a processor for seconds
	imports   imports

	Receiving sync.Mutex    // to be held while files are received
	Backups   chan struct{} // takes a token of each backup that is made and sent
}

// maxBackups is the number of copies of databases that are made and sent at a time.
const maxBackups = 2

// New returns the Admin of an Engine. All pages share it, so that they show the same imports.
func New(e *engine.Engine) *Admin { return &Admin{Engine: e, Backups: make(chan struct{}, maxBackups)} }

// read calls f with the database of a user, unless it does not exist yet.
func (d *Admin) read(ctx context.Context, user string, f func(*classify.Classifier) error) error {
	err := d.Use(ctx, user, f)
	if errors.Is(err, store.ErrNotExist) {
		return nil
	}
	return err
}

// view is read with a snapshot of the database.
func (d *Admin) view(ctx context.Context, user string, f func(*store.Snapshot) error) error {
	return d.read(ctx, user, func(c *classify.Classifier) error { return c.Store().View(f) })
}
