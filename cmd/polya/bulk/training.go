// Package bulk divides 'polya train' into steps for many machines. Read reads the documents of
// an input, Settle counts the documents of a range of ids, Write writes a range of the lines of
// a dump, and Finish writes what is left of it. The dump is that of one training of all inputs
// in their order.
package bulk

import (
	"errors"
	"fmt"
	"time"

	"github.com/polya-classifier/polya/classify/corpus"
	"github.com/polya-classifier/polya/cmd/internal/reading"
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/tokenize"
)

// Training says what is learned and how; its fields have the meaning of the flags of 'polya
// train' with these names. It is plain data and travels as JSON.
type Training struct {
	Class    string   // of all documents, "" takes what Folders and Labelled say
	Folders  bool     // each folder in a path is a class
	Labelled bool     // each document states its class
	TagNames []string // of --tag: tags of all documents
	Tags     bool     // of --tags: the class is a list of tags

	Format                            string // "" is auto
	ClassColumn, TextColumn, IDColumn string
	NoClasses, NoTexts, NoIDs         bool // that column was given as ''
	Subfolders, FollowLinks           bool
	Exclude                           []string

	Attributes, Kinds []string // of --attr and --kind
	Analyzer          string   // spec, "" is the default
	Ledger            count.Ledger
	Source            string
	Dated             bool

	// At is the learning time of all documents, the same if an input is read twice.
	At time.Time

	Shards int // in how many ranges ids and terms are divided
}

// Check returns an error if flags contradict each other or a value is not valid for its flag.
func (t *Training) Check() error {
	ways := 0
	for _, given := range []bool{t.Class != "", t.Folders, t.Labelled, len(t.TagNames) > 0} {
		if given {
			ways++
		}
	}
	switch {
	case t.Shards < 1 || t.Shards > MaxShards:
		return fmt.Errorf("--shards %d: want 1 to %d", t.Shards, MaxShards)
	case ways != 1:
		return errors.New("want one of --class, --folders, --labelled and --tag")
	case t.Tags && !t.Folders && !t.Labelled:
		return errors.New("--tags needs --folders or --labelled; --tag names a tag")
	case t.Labelled && t.NoClasses:
		return errors.New("--class-column '' reads no classes, and --labelled takes them from there")
	}
	if t.Class != "" {
		if err := count.CheckClass(t.Class); err != nil {
			return fmt.Errorf("--class: %w", err)
		}
	}
	if _, err := count.TagSet(t.TagNames...); err != nil {
		return fmt.Errorf("--tag: %w", err)
	}
	if _, err := t.walk(); err != nil {
		return err
	}
	if _, err := tokenize.New(t.Analyzer); err != nil {
		return fmt.Errorf("--analyzer: %w", err)
	}
	_, err := reading.NewAttributes(t.Kinds, t.Attributes)
	return err
}

// tags reports whether classes are sets of tags.
func (t *Training) tags() bool { return t.Tags || len(t.TagNames) > 0 }

// walk says how documents are read.
func (t *Training) walk() (corpus.Options, error) {
	o := corpus.Options{
		Several: t.Labelled, Subfolders: t.Subfolders, Exclude: t.Exclude, FollowLinks: t.FollowLinks,
		ClassColumn: t.ClassColumn, TextColumn: t.TextColumn, IDColumn: t.IDColumn,
		NoClasses: t.NoClasses, NoTexts: t.NoTexts, NoIDs: t.NoIDs,
	}
	if t.Labelled && o.ClassColumn == "" {
		o.ClassColumn = "class"
	}
	if t.Format == "" {
		return o, nil
	}
	var err error
	o.Format, err = corpus.ParseFormat(t.Format)
	return o, err
}

// MaxShards bounds the files of a dump, and what passes between machines: the square of them.
const MaxShards = 1024
