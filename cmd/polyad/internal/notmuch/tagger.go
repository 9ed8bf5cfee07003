package notmuch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/corpus"
	"github.com/polya-classifier/polya/classify/mail"
	"github.com/polya-classifier/polya/classify/tags"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// batch is the number of messages whose changes are made together: a stopped run has to
// repeat at most these.
const batch = 256

// source is the ledger's source of messages learned here.
const source = "notmuch"

// A Tagger does the work of one run on an open database.
type Tagger struct {
	Changed func(id string, add, remove []string) // called with each change of tags before it is made
	Remark  func(text string)                     // called with a text about skipped messages

	config  *Config
	dry     bool
	scratch string // holds the files that a dry run would make
	program program
	tagger  *tags.Tagger
	memory  *memory
}

// Open opens the configured database and the memory beside it, and makes them if they do
// not exist. The program is called as notmuch. A dry run changes neither tags nor files.
func Open(c *Config, o store.Options, dryRun bool) (t *Tagger, err error) {
	t = &Tagger{config: c, dry: dryRun, program: "notmuch"}
	defer func() {
		if err != nil {
			t.Close()
		}
	}()
	path := c.Database
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil && !dryRun {
			return t, err
		}
		if dryRun {
			if t.scratch, err = os.MkdirTemp("", "polya"); err != nil {
				return t, err
			}
			path = filepath.Join(t.scratch, "notmuch.polya")
		}
	}
	if t.tagger, err = tags.Open(path, tags.Options{Precision: c.Precision, ByHand: true, Store: o}); err != nil {
		return t, err
	}
	t.memory, err = openMemory(path + ".notmuch")
	return t, err
}

// Close closes the database and the memory.
func (t *Tagger) Close() (err error) {
	if t.memory != nil {
		err = t.memory.close()
	}
	if t.tagger != nil {
		err = errors.Join(err, t.tagger.Close())
	}
	if t.scratch != "" {
		err = errors.Join(err, os.RemoveAll(t.scratch))
	}
	return err
}

// Done counts what a run did.
type Done struct {
	Messages int `json:"messages"` // examined
	Learned  int `json:"learned"`  // with tags
	Observed int `json:"observed"` // learned without tags
	Tagged   int `json:"tagged"`   // given a tag
	Missing  int `json:"missing"`  // messages whose files are missing
}

// document reads a message. It is nil if none of its files exists.
func (t *Tagger) document(m *message) (*classify.Document, error) {
	for _, path := range m.Files {
		f, err := os.Open(path)
		if err != nil {
			continue // a mail program has just moved it, or its disk is not there
		}
		raw, err := io.ReadAll(io.LimitReader(f, corpus.DefaultMaxBytes+1))
		f.Close()
		if err != nil {
			return nil, err
		}
		c := t.tagger.Classifier()
		if len(raw) > corpus.DefaultMaxBytes {
			d := mail.Excerpt(c, raw[:corpus.DefaultMaxBytes])
			return &d, nil
		}
		d := mail.Document(c, raw)
		return &d, nil
	}
	t.remark("%s: none of its files is there", m.ID)
	return nil, nil
}

func (t *Tagger) remark(format string, args ...any) {
	if t.Remark != nil {
		t.Remark(fmt.Sprintf(format, args...))
	}
}

// ours returns the tags of the configuration that are among tags, sorted.
func (t *Tagger) ours(tags []string) []string {
	list := []string{}
	for _, tag := range tags {
		if slices.Contains(t.config.Tags, tag) {
			list = append(list, tag)
		}
	}
	slices.Sort(list)
	return list
}

// known returns the tags that the message was learned with, nil if it was not learned.
func (t *Tagger) known(id count.DocID) ([]string, error) {
	list, err := t.tagger.TagsOf(id)
	if err != nil || list[0] == nil {
		return nil, err
	}
	return t.ours(list[0]), nil
}

// learn adds the message with these tags to a batch.
func (t *Tagger) learn(b *classify.Batch, d *classify.Document, tags []string, done *Done) error {
	set, err := count.TagSet(tags...)
	if err != nil {
		return err
	}
	if len(tags) > 0 {
		done.Learned++
	} else {
		done.Observed++
	}
	d.Source = source
	return b.Train(set, *d)
}

func (t *Tagger) apply(ctx context.Context, b *classify.Batch) error {
	if t.dry {
		return nil
	}
	_, err := t.tagger.Apply(ctx, b)
	return err
}

// refit fits the models if learning has made that due.
func (t *Tagger) refit(ctx context.Context) error {
	if t.dry {
		return nil
	}
	return t.tagger.Refit(ctx)
}
