package learn

import (
	"context"
	"log/slog"
	"time"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/tags"
	"github.com/polya-classifier/polya/internal/background"
)

// NewFits returns a queue that fits the models of changed databases, one after the other, at
// least that time after the change.
func NewFits(after time.Duration, log *slog.Logger) *background.Queue[*Database] {
	return background.New(after, func(ctx context.Context, d *Database) bool {
		if d.Follows() {
			return true // whoever applies the log fits it
		}
		if !d.writing.TryRLock() {
			return false // another process may write it; it is fitted afterwards
		}
		defer d.writing.RUnlock()
		d.reserve()
		defer d.fitted()
		c := d.Current()
		if c == nil {
			return false
		}
		was := unlike(c)
		err := d.fit(ctx, c)
		if !was && unlike(c) {
			log.Warn("the latest documents are unlike what was learned before them; answers may be wrong more often than they say", "path", d.path)
		}
		if err != nil && ctx.Err() == nil {
			log.Warn("cannot fit models", "path", d.path, "error", err)
		}
		return true
	})
}

// fit fits and calibrates c if that is due.
func (d *Database) fit(ctx context.Context, c *classify.Classifier) (err error) {
	if c.Store().Tags() {
		d.undone.Store(false)
		return tags.Refit(ctx, c)
	}
	if d.undone.Swap(false) {
		_, err = c.Recalibrate(ctx)
	} else {
		err = c.Refit(ctx)
	}
	if err != nil {
		return err
	}
	return d.blend(ctx, c)
}

// Undone calibrates the database again, after an undo has changed many counts.
func (d *Database) Undone() {
	d.undone.Store(true)
	d.options.Fits.Add(d)
}

// unlike reports whether the last calibration of c was not prepared for the latest documents.
func unlike(c *classify.Classifier) bool {
	k, err := c.Calibration()
	return err == nil && k != nil && k.Latest.Unlike()
}
