package notmuch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Hook does the work after notmuch has indexed new mail: it learns from corrections, and
// tags new messages.
func (t *Tagger) Hook(ctx context.Context) (done Done, err error) {
	fixed, err := t.Fix(ctx)
	if err != nil {
		return fixed, err
	}
	done, err = t.Tag(ctx)
	done.Messages += fixed.Messages
	done.Learned += fixed.Learned
	done.Observed += fixed.Observed
	done.Missing += fixed.Missing
	return done, err
}

// Install makes notmuch call a command after indexing new mail, and returns the path of
// the hook. If there is a hook already the error wraps fs.ErrExist.
func Install(ctx context.Context, command ...string) (string, error) {
	folder, err := program("notmuch").hooks(ctx)
	if err != nil {
		return "", err
	}
	path := filepath.Join(folder, "post-new")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return path, err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o700)
	if errors.Is(err, fs.ErrExist) {
		return path, fmt.Errorf("%s: %w; add this line to it: %s", path, fs.ErrExist, shell(command))
	}
	if err != nil {
		return path, err
	}
	_, err = fmt.Fprintf(f, "#!/bin/sh\n%s\n", shell(command))
	return path, errors.Join(err, f.Close())
}

// shell writes words as a shell command.
func shell(words []string) string {
	var b strings.Builder
	for i, word := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		if strings.Trim(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./") == "" {
			b.WriteString(word)
		} else {
			b.WriteString("'" + strings.ReplaceAll(word, "'", `'\''`) + "'")
		}
	}
	return b.String()
}

// Init writes a configuration that lists the tags of notmuch's mail, unless the file
// exists: then the error wraps fs.ErrExist.
func Init(ctx context.Context, path string) error {
	tags, messages, err := program("notmuch").tags(ctx)
	if err != nil {
		return err
	}
	return write(path, tags, messages)
}
