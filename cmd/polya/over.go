package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/cmd/internal/learning"
	"github.com/polya-classifier/polya/cmd/internal/reading"
	"github.com/polya-classifier/polya/tokenize"
)

// opening says how a command about documents opens a database.
type opening struct {
	paths      []string
	flags      *pathFlags
	labelled   bool             // a table must have a column for the class
	attributes *attributeFlags  // nil where documents have no attributes
	options    classify.Options // for making a database
	jobs       int

	open  func() (*classify.Classifier, error) // nil opens it for questions
	close func(*classify.Classifier)           // nil is Close
}

// over opens a database for a command about the documents at o.paths, and calls do to
// read and use them. Slow input is read before, so that nobody waits for the database
// meanwhile.
func (p *program) over(cmd *cobra.Command, o opening, do func(*classify.Classifier, *reading.Reader) error) error {
	walk, err := o.flags.options(cmd, p.Stdin, o.labelled)
	if err != nil {
		return err
	}
	ahead, err := reading.ReadAhead(cmd.Context(), o.paths, &walk, func() *tokenize.Analyzer { return p.analyzerOf(o.options) })
	if err != nil {
		return err
	}
	if o.open == nil {
		o.open = func() (*classify.Classifier, error) { return p.openRead(classify.Options{}) }
	}
	db, err := o.open()
	if err != nil {
		return err
	}
	if o.close == nil {
		o.close = func(db *classify.Classifier) { db.Close() }
	}
	defer o.close(db)
	r := &reading.Reader{Streams: p.Streams, Options: walk, Ahead: ahead, Jobs: o.jobs, Analyzer: db.Analyzer(), Database: db.Store().Path()}
	if o.attributes != nil {
		if r.Attributes, err = o.attributes.read(cmd, db.Store()); err != nil {
			return err
		}
	}
	if err = do(db, r); errors.Is(err, classify.ErrNoDocuments) {
		return fmt.Errorf("%s: %w", db.Store().Path(), err)
	}
	return err
}

// revising holds the flags of commands that change what was learned.
type revising struct {
	pathFlags
	attributeFlags
	jobs int
	json bool
}

func (f *revising) flags(cmd *cobra.Command) {
	f.pathFlags.flags(cmd)
	f.attributeFlags.flags(cmd)
	jobsFlag(cmd, &f.jobs)
	jsonFlag(cmd, &f.json)
}

// revise opens the database, calls build to complete the revision, runs it on args and,
// if anything was done or nothing failed, calls report.
func (p *program) revise(cmd *cobra.Command, f *revising, args []string, build func(*learning.Revision) error, report func(*learning.Revision)) error {
	o := opening{
		paths: learning.PathsOf(args), flags: &f.pathFlags, attributes: &f.attributeFlags, jobs: f.jobs,
		open: func() (*classify.Classifier, error) { return p.openWrite(classify.Options{Holds: classify.Either}) },
	}
	return p.over(cmd, o, func(db *classify.Classifier, documents *reading.Reader) error {
		r := learning.NewRevision(cmd.Context(), db, documents)
		if err := build(r); err != nil {
			return err
		}
		err := r.Run(args)
		if err == nil || r.Applied.Forgotten+r.Applied.Moved+r.Applied.Already > 0 {
			report(r)
		}
		return err
	})
}

// leaveOpen does not close an unchanged database, since the process ends anyway and
// closing takes time.
func leaveOpen(*classify.Classifier) {}
