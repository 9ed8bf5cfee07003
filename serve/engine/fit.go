package engine

import (
	"context"
	"log/slog"
	"time"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/internal/background"
)

// fitter fits the models of changed databases, one after the other.
type fitter struct {
	*background.Queue[*database]
	log *slog.Logger
}

func newFitter(after time.Duration, log *slog.Logger) *fitter {
	f := &fitter{log: log}
	f.Queue = background.New(after, f.fit)
	return f
}

// fit fits and calibrates d if that is due, and reports whether it could check.
func (f *fitter) fit(ctx context.Context, d *database) bool {
	if d.follows() {
		return true // whoever applies the log fits it
	}
	if !d.writing.TryRLock() {
		return false // it is lent; it is fitted afterwards
	}
	defer d.writing.RUnlock()
	d.reserve()
	defer d.fitted()
	c := d.current()
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
