package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/polya-classifier/polya/classify/corpus"
	"github.com/polya-classifier/polya/cmd/internal/reading"
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/tokenize"
)

// training says what is learned and how, in the words of the flags of 'polya train'. It is plain
// data and travels as JSON.
type training struct {
	Class    string   // of all documents, "" takes what Folders and Labelled say
	Folders  bool     // each folder in a path is a class
	Labelled bool     // each document states its class
	TagNames []string // of --tag: tags of all documents
	Tags     bool     // of --tags: the class is a list of tags

	Options           corpus.Options // of the walk
	Attributes, Kinds []string       // of --attr and --kind
	Analyzer          string         // its spec
	Ledger            count.Ledger
	Source            string
	Dated             bool

	// At is the learning time of all documents, the same if an input is read twice.
	At time.Time

	Out    string // begins the names of all files
	Shards int    // in how many ranges ids are divided
}

// maxShards bounds the number of databases: one merge opens all.
const maxShards = 1024

// check returns an error if flags contradict each other or a value is not valid for its flag.
func (t *training) check() error {
	ways := 0
	for _, given := range []bool{t.Class != "", t.Folders, t.Labelled, len(t.TagNames) > 0} {
		if given {
			ways++
		}
	}
	switch {
	case t.Shards < 1 || t.Shards > maxShards:
		return fmt.Errorf("--shards %d: want 1 to %d", t.Shards, maxShards)
	case ways != 1:
		return errors.New("want one of --class, --folders, --labelled and --tag")
	case t.Tags && !t.Folders && !t.Labelled:
		return errors.New("--tags needs --folders or --labelled; --tag names a tag")
	}
	if t.Class != "" {
		if err := count.CheckClass(t.Class); err != nil {
			return fmt.Errorf("--class: %w", err)
		}
	}
	if len(t.TagNames) > 0 {
		var err error
		if t.Class, err = count.TagSet(t.TagNames...); err != nil {
			return fmt.Errorf("--tag: %w", err)
		}
		t.Tags = true
	}
	analyzer, err := tokenize.New(t.Analyzer)
	if err != nil {
		return fmt.Errorf("--analyzer: %w", err)
	}
	t.Analyzer = analyzer.Spec()
	_, err = reading.NewAttributes(t.Kinds, t.Attributes)
	return err
}

// shardName names the database of a range of ids.
func (t *training) shardName(shard int) string {
	return fmt.Sprintf("%s-%05d-of-%05d.polya", t.Out, shard, t.Shards)
}

// targetName names the empty database that is written last, into which the others are merged.
func (t *training) targetName() string { return t.Out + ".polya" }

func (t *training) reportName() string { return t.Out + ".report" }
