// Package notmuch is a mailbox in the mail store of notmuch. A folder is a set of tags, and to
// move a message is to change its tags. It calls the notmuch program and reads the files of
// messages; it changes only tags that the settings name, and those of suggestions.
package notmuch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/polya-classifier/polya/cmd/polyad/internal/filing"
	"github.com/polya-classifier/polya/cmd/polyad/internal/watching"
	"github.com/polya-classifier/polya/store/count"
)

// Settings are the settings of the table notmuch.
type Settings struct {
	Query string `toml:"query,omitempty"` // the messages to look at
	Read  string `toml:"read,omitempty"`  // of these, those that somebody has looked at
}

// Check fills in what the settings do not say.
func (s *Settings) Check() {
	s.Query = cmp.Or(s.Query, "not tag:draft and not tag:deleted")
	s.Read = cmp.Or(s.Read, "not tag:unread")
}

// A Box is a mail store. It is a watching.Box for one goroutine.
type Box struct {
	settings *Settings
	tags     []string // that are folders
	program  program

	seen     revision
	listed   time.Time                  // all messages were
	messages map[string]*message        // by id
	folders  map[string][]watching.Copy // by set of tags
	paths    map[string]string          // by id: of one file, when it was listed
}

// message is what is known of a message.
type message struct {
	folder  string
	read    bool
	suggest []string // tags of suggestions
}

// New returns the mail store of notmuch's own configuration. Of all tags only these are folders.
func New(s *Settings, tags []string) *Box {
	return &Box{settings: s, tags: tags, program: "notmuch"}
}

// Close does nothing.
func (b *Box) Close() error { return nil }

// listAfter is how long changes since the last complete listing are enough. The time of a query
// such as date:..30d goes on, and what is deleted is no change.
const listAfter = time.Hour

// Folders returns the sets of tags that messages have, and each tag alone.
func (b *Box) Folders(ctx context.Context) ([]string, error) {
	now, err := b.program.revision(ctx)
	if err != nil {
		return nil, err
	}
	within := fmt.Sprintf("lastmod:%d..", b.seen.number+1)
	if now.uuid != b.seen.uuid || now.messages < b.seen.messages || time.Since(b.listed) > listAfter {
		within, b.listed, b.messages, b.paths = "*", time.Now(), map[string]*message{}, map[string]string{}
	}
	if now == b.seen && within != "*" {
		return slices.Sorted(maps.Keys(b.folders)), nil
	}
	b.seen = revision{}
	if err := b.load(ctx, within, now); err != nil {
		return nil, err
	}
	b.seen = now
	b.folders = map[string][]watching.Copy{filing.Untagged: nil}
	for _, tag := range b.tags {
		b.folders[b.set([]string{tag})] = nil
	}
	for id, m := range b.messages {
		b.folders[m.folder] = append(b.folders[m.folder], watching.Copy{Key: id, Read: m.read})
	}
	return slices.Sorted(maps.Keys(b.folders)), nil
}

// load reads the messages that a query finds anew, at a revision or later.
func (b *Box) load(ctx context.Context, within string, now revision) error {
	if within != "*" {
		changed, err := b.program.search(ctx, "messages", within)
		if err != nil {
			return err
		}
		for _, id := range changed {
			delete(b.messages, id)
		}
	}
	err := b.program.tags(ctx, all(b.settings.Query, within), func(id string, tags []string) {
		suggest := slices.DeleteFunc(slices.Clone(tags), func(tag string) bool { return !strings.HasPrefix(tag, Suggestion) })
		b.messages[id] = &message{folder: b.set(tags), suggest: suggest}
	})
	if err != nil {
		return err
	}
	read, err := b.program.search(ctx, "messages", all(b.settings.Query, within, b.settings.Read))
	for _, id := range read {
		if m := b.messages[id]; m != nil {
			m.read = true
		}
	}
	if err != nil {
		return err
	}
	return b.program.paths(ctx, all(b.settings.Query, within), now, b.paths)
}

// set returns the folder of a message with these tags, among others.
func (b *Box) set(tags []string) string {
	return watching.SetOf(slices.DeleteFunc(tags, func(tag string) bool { return !slices.Contains(b.tags, tag) }))
}

// List returns the messages with a set of tags.
func (b *Box) List(_ context.Context, folder string) ([]watching.Copy, error) {
	return b.folders[folder], nil
}

// Read reads a file of a message.
func (b *Box) Read(ctx context.Context, _, key string) (raw []byte, err error) {
	if raw, err = watching.ReadFile(b.paths[key], 0); !errors.Is(err, os.ErrNotExist) {
		return raw, err
	}
	paths, err := b.program.search(ctx, "files", quoted("id", key)) // mail programs move them
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		if raw, err = watching.ReadFile(path, 0); !errors.Is(err, os.ErrNotExist) {
			return raw, err
		}
	}
	return nil, watching.ErrGone
}

// Move changes the tags of a message, unless somebody else has changed them since.
func (b *Box) Move(ctx context.Context, from, key, to string) error {
	is, becomes := count.Tags(from), count.Tags(to)
	err := b.program.tag(ctx, becomes, slices.DeleteFunc(is, func(tag string) bool { return slices.Contains(becomes, tag) }), b.exactly(key, from))
	if err != nil {
		return err
	}
	there, err := b.program.search(ctx, "messages", b.exactly(key, to))
	if err == nil && len(there) == 0 {
		err = watching.ErrGone
	}
	return err
}

// exactly returns a query for a message that has a set of tags.
func (b *Box) exactly(id, set string) string {
	terms := []string{quoted("id", id)}
	for _, tag := range b.tags {
		term := quoted("tag", tag)
		if !slices.Contains(count.Tags(set), tag) {
			term = "not " + term
		}
		terms = append(terms, term)
	}
	return strings.Join(terms, " and ")
}

// Suggestion is what a suggested tag begins with.
const Suggestion = "suggest/"

// Suggest gives a message the tags that suggest folders.
func (b *Box) Suggest(ctx context.Context, _, key string, folders []string) error {
	var add []string
	for _, folder := range folders {
		for _, tag := range count.Tags(folder) {
			add = append(add, Suggestion+tag)
		}
	}
	return b.program.tag(ctx, add, nil, quoted("id", key))
}

// Unsuggest removes the tags of suggestions from the messages with a set of tags.
func (b *Box) Unsuggest(ctx context.Context, folder string) error {
	for _, c := range b.folders[folder] {
		if m := b.messages[c.Key]; len(m.suggest) > 0 {
			if err := b.program.tag(ctx, nil, m.suggest, quoted("id", c.Key)); err != nil {
				return err
			}
			m.suggest = nil
		}
	}
	return nil
}

// often is how often changes are asked for.
const often = 5 * time.Second

// Wait waits until something may have changed, at most for the given time.
func (b *Box) Wait(ctx context.Context, most time.Duration) error {
	return watching.Pause(ctx, min(most, often))
}
