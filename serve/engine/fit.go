package engine

import (
	"context"
	"log/slog"
	"time"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/internal/background"
)

// fitter fits the models of databases that have learned something, one after the other.
type fitter struct {
	*background.Queue[*database]
	log    *slog.Logger
	sample sample // of the shared database
}

func newFitter(after time.Duration, log *slog.Logger) *fitter {
	f := &fitter{log: log}
	f.Queue = background.New(after, f.fit)
	return f
}

// fit fits and calibrates d where that is due, and returns whether it could look.
func (f *fitter) fit(ctx context.Context, d *database) bool {
	if d.follows() {
		return true // it is fitted by what applies the log
	}
	if !d.writing.TryRLock() {
		return false // it is lent; there is another fit afterwards
	}
	defer d.writing.RUnlock()
	if !d.reserve() {
		f.Add(d)
		return false
	}
	defer d.fitted()
	c := d.current()
	if c == nil && d.unblended.Load() {
		c, _ = d.open(ctx, false) // what is wrong is in the log
	}
	if c == nil {
		return false
	}
	was := unlike(c)
	var err error
	if d.undone.Swap(false) {
		_, err = c.Recalibrate(ctx)
	} else {
		err = c.Refit(ctx)
	}
	if err == nil {
		err = d.blend(ctx, c)
	}
	if !was && unlike(c) {
		f.log.Warn("the latest documents are unlike what was learned before them; answers may be wrong more often than they say", "path", d.path)
	}
	if err != nil && ctx.Err() == nil {
		f.log.Warn("cannot fit models", "path", d.path, "error", err)
	}
	return true
}

// unlike reports whether the last calibration of c was not prepared for the latest documents.
func unlike(c *classify.Classifier) bool {
	k, err := c.Calibration()
	return err == nil && k != nil && k.Latest.Unlike()
}
