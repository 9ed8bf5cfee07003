package main

import (
	"errors"
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/corpus"
	"github.com/polya-classifier/polya/cmd/internal/command"
	"github.com/polya-classifier/polya/cmd/internal/reading"
	"github.com/polya-classifier/polya/store"
)

// documents holds the flags that say how documents are read.
type documents struct {
	format                            string
	classColumn, textColumn, idColumn string
	exclude                           []string
	kinds, attrs                      []string
}

// attributes reads the flags about attributes, for a database.
func (d *documents) attributes(db *store.DB) (*reading.Attributes, error) {
	a, err := reading.NewAttributes(d.kinds, d.attrs)
	if err != nil {
		return nil, err
	}
	return a, a.MeetDatabase(db)
}

func (d *documents) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&d.format, "format", "auto", "`FORMAT` of the documents, as for polya")
	f.StringVar(&d.classColumn, "class-column", "", "`COLUMN` of a table with the class")
	f.StringVar(&d.textColumn, "text-column", "", "`COLUMN` of a table with a text")
	f.StringVar(&d.idColumn, "id-column", "", "`COLUMN` of a table with an id")
	f.StringArrayVar(&d.exclude, "exclude", nil, "leave out folders called `NAME`; may be repeated")
	f.StringArrayVar(&d.kinds, "kind", nil, "`NAME=KIND` of an attribute; may be repeated")
}

// options turns the flags into options of a walk.
func (d *documents) options(l *lab) (corpus.Options, error) {
	format, err := corpus.ParseFormat(d.format)
	return corpus.Options{
		Format: format, Stdin: l.Stdin, Exclude: d.exclude,
		ClassColumn: d.classColumn, TextColumn: d.textColumn, IDColumn: d.idColumn,
	}, err
}

// with opens the database to read it, and calls do with it.
func (l *lab) with(o classify.Options, do func(*classify.Classifier) error) error {
	path, err := l.Path()
	if err != nil {
		return err
	}
	o.Store.ReadOnly = true
	c, err := l.OpenClassifier(path, o)
	if err != nil {
		return command.OpenError(path, err)
	}
	defer c.Close()
	return do(c)
}

// over opens the database, and calls do with it and a reader of documents.
func (l *lab) over(d *documents, o classify.Options, do func(*classify.Classifier, *reading.Reader) error) error {
	walk, err := d.options(l)
	if err != nil {
		return err
	}
	return l.with(o, func(c *classify.Classifier) error {
		r := &reading.Reader{Streams: l.Streams, Options: walk, Jobs: runtime.GOMAXPROCS(0), Analyzer: c.Analyzer(), Database: c.Store().Path()}
		err := do(c, r)
		if errors.Is(err, classify.ErrNoDocuments) {
			err = fmt.Errorf("%s: %w", c.Store().Path(), err)
		}
		return err
	})
}
