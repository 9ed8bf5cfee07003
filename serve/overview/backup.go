package overview

import (
	"context"
	"errors"
	"io"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/store"
)

// Backup writes a copy of a user's database, unless that is damaged.
func (d *Admin) Backup(ctx context.Context, user string, w io.Writer) error {
	return d.Use(ctx, user, func(c *classify.Classifier) error {
		_, err := c.Store().Check(ctx, nil)
		if err == nil {
			_, err = c.Store().Backup(ctx, w)
		}
		return err
	})
}

// Restore puts a backup in the place of a user's database that has learned nothing.
func (d *Admin) Restore(ctx context.Context, user string, backup *Uploads) error {
	if len(backup.List) != 1 {
		return backend.ErrFile
	}
	err := d.Engine.Restore(ctx, user, backup.File.Name())
	var damaged *store.CorruptError
	if errors.Is(err, store.ErrNotPolya) || errors.As(err, &damaged) {
		return backend.ErrFile
	}
	return err
}
