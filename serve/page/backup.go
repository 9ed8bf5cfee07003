package page

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/store"
)

func (p *page) backup(v *visit) error {
	defer p.Admin.sending.Add(-1)
	if p.Admin.sending.Add(1) > mostBackups {
		return errBackup
	}
	if h, err := p.Admin.Statistics(v, v.User); err != nil {
		return err
	} else if h.Documents == 0 {
		return backend.Failure{Code: http.StatusNotFound, Text: "Nothing is learned yet."}
	}
	file, err := os.CreateTemp("", "polya-backup-")
	if err != nil {
		return noTemporary(err)
	}
	defer (&uploads{File: file, Path: file.Name()}).discard()
	_ = os.Remove(file.Name()) // where a system allows it nothing is left if the process is killed
	if err := p.Admin.Backup(v, v.User, file); err != nil {
		return noRoom(err)
	}
	size, err := file.Seek(0, io.SeekCurrent)
	if err != nil {
		return err
	}
	all := io.NewSectionReader(file, 0, size)
	h := v.reply.Header()
	h.Set("Content-Type", "application/octet-stream")
	h.Set("Content-Length", fmt.Sprint(size))
	h.Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", "polya-"+time.Now().Format(time.DateOnly)+".polya"))
	control := http.NewResponseController(v.reply)
	for err == nil { // the client has gone, or has all
		_ = control.SetWriteDeadline(time.Now().Add(uploadPause))
		_, err = io.CopyN(v.reply, all, 1<<20)
	}
	v.sent = true
	return nil
}

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

// restore puts a backup in the place of a user's database that has learned nothing.
func (d *Admin) restore(ctx context.Context, user string, backup *uploads) error {
	if len(backup.List) != 1 {
		return backend.ErrFile
	}
	err := d.Engine.Restore(ctx, user, backup.Path)
	if errors.Is(err, store.ErrNotPolya) || errors.As(err, new(*store.CorruptError)) {
		return fmt.Errorf("%w: %w", backend.ErrFile, err)
	} else if err != nil {
		return noRoom(err)
	}
	return nil
}
