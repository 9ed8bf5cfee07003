package notmuch

import (
	"context"
	"fmt"
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

// Hook returns the path of the program that notmuch calls after indexing new mail.
func Hook(ctx context.Context) (string, error) {
	folder, err := program("notmuch").output(ctx, "", "config", "get", "database.hook_dir")
	return filepath.Join(folder, "post-new"), err
}
