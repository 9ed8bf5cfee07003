package learn

import (
	"context"
	"log/slog"
	"time"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/internal/background"
	"github.com/polya-classifier/polya/store"
)

// NewFits returns a queue that fits changed databases one by one, at least that time after the change.
func NewFits(after time.Duration, log *slog.Logger) *background.Queue[*Database] {
	return background.New(after, func(ctx context.Context, d *Database) bool {
		if d.Follows() {
			return d.askFit(ctx)
		}
		if !d.writing.TryAcquire(1) {
			return false // another process may write it; it is fitted afterwards
		}
		defer d.writing.Release(1)
		d.Hold()
		defer d.Release()
		c := d.Current()
		if c == nil {
			return false
		}
		was := unlike(c)
		err := d.fit(ctx, c)
		if !was && unlike(c) {
			log.Warn("the latest documents are unlike what was learned before them; answers may be wrong more often than they say", "path", d.Path)
		}
		if err != nil && ctx.Err() == nil {
			log.Warn("cannot fit models", "path", d.Path, "error", err)
		}
		return true
	})
}

// fit fits and calibrates c if that is due.
func (d *Database) fit(ctx context.Context, c *classify.Classifier) (err error) {
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

// fitLater fits the database if that is due. One that follows a log is fitted after trainings alone.
func (d *Database) fitLater() {
	if !d.Follows() {
		d.options.Fits.Add(d)
	}
}

// askFit has all that follow the log fit a user's database. The shared one is fitted by whoever
// applies the log, at set positions.
func (d *Database) askFit(ctx context.Context) bool {
	if d.options.User == "" {
		return false
	}
	if _, err := d.options.Publisher.Publish(ctx, d.options.User, nil); err != nil && ctx.Err() == nil {
		d.options.Log.Warn("models are not fitted before the next training", "path", d.Path, "error", err)
	}
	return true
}

// FitAt fits a database that follows a log, at a position at which the log asks for it. All that have
// applied the same log up to there, also in the base, get the same fits.
func (d *Database) FitAt(ctx context.Context, position uint64) error {
	c, err := d.Open(ctx, false)
	if c == nil || err != nil {
		return err
	}
	at := uint64(0)
	if err := c.Store().View(func(s *store.Snapshot) (err error) { at, err = s.Position(); return err }); err != nil || at >= position {
		return err
	}
	if err := c.RefitAt(ctx, position); err != nil {
		return err
	}
	if err := d.blend(ctx, c); err != nil {
		return err
	}
	_, err = c.Store().ApplyLog(ctx, []store.Logged{{Delta: new(store.Delta), Position: position}})
	return err
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
