package notmuch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A Tag is a tag that messages have.
type Tag struct {
	Name     string
	Messages int
}

// Tags returns all tags.
func Tags(ctx context.Context) (tags []Tag, err error) {
	p := program("notmuch")
	names, err := p.search(ctx, "tags", "*")
	for _, name := range names {
		ids, err := p.output(ctx, "", "count", "--exclude=false", "--", quoted("tag", name))
		if err != nil {
			return nil, err
		}
		tag := Tag{Name: name}
		if _, err := fmt.Sscan(ids, &tag.Messages); err != nil {
			return nil, err
		}
		tags = append(tags, tag)
	}
	return tags, err
}

// MarksUnread reports whether notmuch gives new mail the tag unread.
func MarksUnread(ctx context.Context) (bool, error) {
	tags, err := program("notmuch").output(ctx, "", "config", "get", "new.tags")
	return slices.Contains(strings.Split(tags, "\n"), "unread"), err
}

// Install makes notmuch call a command of the shell after indexing new mail, and returns the path
// of the hook. If there is a hook already the error wraps fs.ErrExist.
func Install(ctx context.Context, command string) (string, error) {
	folder, err := program("notmuch").output(ctx, "", "config", "get", "database.hook_dir")
	if err != nil {
		return "", err
	}
	path := filepath.Join(folder, "post-new")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return path, err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o700)
	if errors.Is(err, fs.ErrExist) {
		return path, fmt.Errorf("%s: %w; add this line to it: %s", path, fs.ErrExist, command)
	}
	if err != nil {
		return path, err
	}
	_, err = fmt.Fprintf(f, "#!/bin/sh\n%s\n", command)
	return path, errors.Join(err, f.Close())
}
