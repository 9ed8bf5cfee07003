package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/cmd/polya/internal/reading"
	"github.com/polya-classifier/polya/cmd/polya/internal/terminal"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

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

// revision is one run of a command that changes what was learned: forget or
// relabel. It takes documents by path or by id.
type revision struct {
	*program
	ctx        context.Context
	classifier *classify.Classifier
	reader     *reading.Reader

	// known puts a document that the ledger knows into b. d is nil where the
	// document was named by its id.
	known func(b *classify.Batch, e *store.Entry, d *reading.Document) error

	// unknown, if not nil, does so for one that the ledger does not know.
	unknown func(b *classify.Batch, d *reading.Document) error

	batch   classify.Batch
	singles []single // the documents of batch, one by one
	seen    map[count.DocID]bool
	rows    knownRows
	applied store.Applied
	failed  reading.Troubles
}

// run revises the documents named by args.
func (r *revision) run(args []string) error {
	r.seen = map[count.DocID]bool{}
	var paths []string
	for _, arg := range args {
		id, isID := idOf(arg)
		if !isID {
			paths = append(paths, arg)
			continue
		}
		if err := r.revise(id, nil); err != nil {
			return err
		}
	}
	documents := r.reader
	documents.Bar, documents.Sorts = reading.NewBar(r.Streams, paths, documents.Options), true
	documents.Deliver = func(d *reading.Document) error { return r.revise(d.ID, d) }
	err := documents.Read(r.ctx, paths)
	if err == nil && r.batch.Len() > 0 {
		wait := r.NewWait("changing "+terminal.Grouped(r.batch.Len()), r.reader.Bar.Size())
		err = r.apply()
		wait.Done()
	}
	documents.Bar.Done()
	if errors.Is(err, context.Canceled) {
		return fmt.Errorf("interrupted: %s documents are done; run the same command again to go on",
			terminal.Grouped(r.applied.Forgotten+r.applied.Moved+r.applied.Already))
	}
	if err != nil {
		return err
	}
	_ = documents.Finish() // its errors stand in a row with others
	failed := append(r.failed, documents.Failed...)
	if len(r.rows.unknown) > 0 && r.rows.known == 0 {
		failed = append(failed, errUnknownRows(r.rows.unknown))
	}
	return failed.OrNil()
}

// idOf returns the id that an argument is, if there is no file of that name.
func idOf(arg string) (id count.DocID, isID bool) {
	id, err := count.ParseDocID(arg)
	_, missing := os.Stat(arg)
	return id, err == nil && missing != nil
}

// pathsOf leaves out of args what are ids.
func pathsOf(args []string) []string {
	return slices.DeleteFunc(slices.Clone(args), func(arg string) bool {
		_, isID := idOf(arg)
		return isID
	})
}

// knownRows tells whether rows were read as they were when they were learned.
type knownRows struct {
	known   int
	unknown string // the table with the first that the ledger does not know
}

func (k *knownRows) add(d *reading.Document, known bool) {
	switch {
	case d == nil || !d.Row:
	case known:
		k.known++
	case k.unknown == "":
		k.unknown = d.Path[:strings.LastIndexByte(d.Path, ':')]
	}
}

// revise adds one document to the batch. What was never learned does not keep
// the others from being revised.
func (r *revision) revise(id count.DocID, d *reading.Document) error {
	if r.seen[id] {
		return nil
	}
	r.seen[id] = true
	entry, err := ledgerEntry(r.classifier.Store(), id)
	if err != nil {
		return err
	}
	one := single{name: "document " + id.String()}
	if d != nil {
		one.name = d.Path
	}
	r.rows.add(d, entry != nil || r.classifier.Store().Ledger() == count.LedgerNone)
	switch {
	case entry != nil && (d != nil || entry.Keep == count.LedgerFull):
		err = r.known(&one.batch, entry, d)
	case entry != nil:
		err = fmt.Errorf("%s: the ledger keeps only its digest; give its file instead", one.name)
	case d != nil && r.unknown != nil:
		err = r.unknown(&one.batch, d)
	case r.classifier.Store().Ledger() == count.LedgerNone:
		err = fmt.Errorf("%s: the database keeps no ledger and cannot tell what was learned; 'polya forget --class' forgets it", one.name)
	default:
		err = errNever(one.name)
	}
	if err != nil {
		r.failed = append(r.failed, err)
		return nil
	}
	r.add(&one)
	if r.batch.Len() >= batchDocuments || r.batch.Size() >= batchBytes {
		return r.apply()
	}
	return nil
}

// single is one document by itself.
type single struct {
	name  string
	batch classify.Batch
}

func (r *revision) add(s *single) {
	r.batch.Delta().Merge(s.batch.Delta())
	r.singles = append(r.singles, *s)
}

// apply does what has been gathered, in one transaction. If that is refused for
// the sake of some documents, the others are done one by one.
func (r *revision) apply() error {
	err := r.applyBatch(&r.batch)
	if isRefusal(err) {
		err = nil
		for i := range r.singles {
			s := &r.singles[i]
			if err = r.applyBatch(&s.batch); err != nil && !isRefusal(err) {
				break
			}
			if err != nil {
				r.failed = append(r.failed, refused(s.name, err))
				err = nil
			}
		}
	}
	r.batch.Reset()
	r.singles = nil
	return err
}

func (r *revision) applyBatch(b *classify.Batch) error {
	applied := r.reader.Bar.While("changing " + terminal.Grouped(b.Len()))
	a, err := r.classifier.Apply(r.ctx, b)
	applied()
	r.applied.Moved += a.Moved
	r.applied.Forgotten += a.Forgotten
	r.applied.Already += a.Already
	return err
}

// isRefusal says whether a batch failed for the sake of a document in it.
func isRefusal(err error) bool {
	return errors.Is(err, count.ErrNotLearned) || errors.Is(err, store.ErrNoCounts)
}

func refused(name string, err error) error {
	if errors.Is(err, store.ErrNoCounts) {
		return fmt.Errorf("%s: this is not the text that was learned, and the ledger keeps only a digest of that; give the very file", name)
	}
	return errNever(name)
}

func errNever(name string) error {
	return fmt.Errorf("%s: never learned, so nothing was changed for it", name)
}

// revise opens the database, has build complete the revision, runs it on args
// and has report say what was done, if anything was or nothing failed.
func (p *program) revise(cmd *cobra.Command, f *revising, args []string, build func(*revision) error, report func(*revision)) error {
	o := opening{
		paths: pathsOf(args), flags: &f.pathFlags, attributes: &f.attributeFlags, jobs: f.jobs,
		open: func() (*classify.Classifier, error) { return p.openWrite(classify.Options{}) },
	}
	return p.over(cmd, o, func(db *classify.Classifier, documents *reading.Reader) error {
		r := &revision{program: p, ctx: cmd.Context(), classifier: db, reader: documents}
		if err := build(r); err != nil {
			return err
		}
		err := r.run(args)
		if err == nil || r.applied.Forgotten+r.applied.Moved+r.applied.Already > 0 {
			report(r)
		}
		return err
	})
}

// errUnknownRows says what may be the matter where none of several rows is known.
func errUnknownRows(path string) error {
	return fmt.Errorf("%s: no row is known: give --class-column, --text-column, --id-column and --attr as when it was learned", path)
}
