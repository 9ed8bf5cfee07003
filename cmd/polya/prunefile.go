package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/calibration"
	"github.com/polya-classifier/polya/classify/model"
	"github.com/polya-classifier/polya/cmd/polya/internal/scratch"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// prunable is a database that terms are dropped from, or would be.
type prunable struct {
	*classify.Classifier
	path    string // that the user means
	scratch string // a folder to be removed, unless empty
}

// openPrune opens the database for writing, even if nothing will be: to know the size
// of the file it is written, beside the one that is there. Where only that is wanted
// and the database may only be read, a copy in a temporary folder does.
func (p *program) openPrune(ctx context.Context, really bool) (*prunable, error) {
	c, err := p.openWrite(classify.Options{})
	if err == nil {
		return &prunable{Classifier: c, path: c.Store().Path()}, nil
	}
	if really || !errors.Is(err, store.ErrReadOnly) {
		return nil, err
	}
	original, err := p.openRead(classify.Options{})
	if err != nil {
		return nil, err
	}
	defer original.Close()
	dir, err := scratch.Folder("polya-prune-")
	if err != nil {
		return nil, err
	}
	copied := filepath.Join(dir, "copy.polya")
	if err = backUp(ctx, original.Store(), copied); err == nil {
		err = ctx.Err()
	}
	if err == nil {
		c, err = classify.Open(copied, classify.Options{})
	}
	if err != nil {
		os.RemoveAll(dir)
		return nil, err
	}
	return &prunable{Classifier: c, path: original.Store().Path(), scratch: dir}, nil
}

// backUp writes a copy of the database to a new file.
func backUp(ctx context.Context, db *store.DB, path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = db.Backup(ctx, f)
	return errors.Join(err, f.Close())
}

// Close closes the database, and removes it if it is a copy.
func (c *prunable) Close() error {
	err := c.Classifier.Close()
	if c.scratch != "" {
		err = errors.Join(err, os.RemoveAll(c.scratch))
	}
	return err
}

// recalibrate calibrates a database again that was calibrated when it had other counts
// of the same documents. It returns nil if it was not, or if too few documents are at
// hand for it.
func (p *program) recalibrate(ctx context.Context, c *classify.Classifier) (*calibration.Calibration, error) {
	before, err := c.Calibration()
	if err != nil || before == nil {
		return nil, err
	}
	size, err := c.Store().Size()
	if err != nil {
		return nil, err
	}
	// A limit and models are given only where the ledger has more to offer than what
	// the calibration was made of: what is asked for by name replaces that always.
	var models []model.EventModel
	limit := 0
	if c.Store().Ledger() == count.LedgerFull {
		limit, models = before.Limit, calibratedModels(before)
	}
	wait := p.NewWait("calibrating", size)
	k, err := c.Calibrate(ctx, limit, models...)
	wait.Done()
	if isInterrupted(err) {
		return nil, errors.New("interrupted: the terms are dropped, but the models are not fitted to what is left; 'polya calibrate' does that")
	}
	return k, err
}
