package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/corpus"
	"github.com/polya-classifier/polya/store"
)

// revision is one run of a command that changes what was learned: forget or
// relabel. It takes documents by path or by id.
type revision struct {
	*program
	ctx        context.Context
	classifier *classify.Classifier
	options    corpus.Options
	jobs       int

	// one puts a document that the ledger knows into the batch. d is nil where
	// the document was named by its id.
	one func(e *store.Entry, d *document) error

	// unknown says what to do with a document that the ledger does not know.
	unknown func(d *document) error

	batch   classify.Batch
	seen    map[store.DocID]bool
	applied store.Applied
	failed  troubles
}

// run revises the documents named by args.
func (r *revision) run(args []string) error {
	r.seen = map[store.DocID]bool{}
	var paths []string
	for _, arg := range args {
		id, err := store.ParseDocID(arg)
		if _, missing := os.Stat(arg); err != nil || missing == nil {
			paths = append(paths, arg)
			continue
		}
		if err := r.revise(id, nil); err != nil {
			return err
		}
	}
	reading := reader{program: r.program, options: r.options, jobs: r.jobs, bar: r.newBar(paths)}
	reading.work = func(d *document) {
		d.identify()
		d.count(r.classifier.Analyzer())
		d.bag.Sort()
	}
	reading.deliver = func(d *document) error { return r.revise(d.id, d) }
	err := reading.read(r.ctx, paths)
	if err == nil && r.batch.Len() > 0 {
		err = r.apply()
	}
	reading.bar.done()
	if errors.Is(err, context.Canceled) {
		return fmt.Errorf("interrupted: %s documents are done; run the same command again to go on",
			grouped(r.applied.Forgotten+r.applied.Moved+r.applied.Already))
	}
	if err != nil {
		return err
	}
	return append(r.failed, reading.failed...).orNil()
}

// revise adds one document to the batch. What was never learned does not keep
// the others from being revised.
func (r *revision) revise(id store.DocID, d *document) error {
	if r.seen[id] {
		return nil
	}
	r.seen[id] = true
	entry, err := ledgerEntry(r.classifier.Store(), id)
	switch {
	case err != nil:
		return err
	case entry != nil && (d != nil || entry.Keep == store.LedgerFull):
		err = r.one(entry, d)
	case entry != nil:
		err = fmt.Errorf("document %s: the ledger keeps only its digest; give its file instead", id)
	case d != nil && r.unknown != nil:
		err = r.unknown(d)
	case d != nil && r.classifier.Store().Ledger() == store.LedgerNone:
		err = fmt.Errorf("%s: the database keeps no ledger and cannot tell what was learned; 'polya forget --class' forgets it", d.path)
	case d != nil:
		err = fmt.Errorf("%s: never learned, so nothing was changed for it", d.path)
	default:
		err = fmt.Errorf("document %s: never learned, so nothing was changed for it", id)
	}
	if err != nil {
		r.failed = append(r.failed, err)
		return nil
	}
	if r.batch.Len() >= batchDocuments || r.batch.Size() >= batchBytes {
		return r.apply()
	}
	return nil
}

func (r *revision) apply() error {
	a, err := r.classifier.Apply(r.ctx, &r.batch)
	r.applied.Moved += a.Moved
	r.applied.Forgotten += a.Forgotten
	r.applied.Already += a.Already
	r.batch.Reset()
	return err
}

// revise opens the database, has build complete the revision, runs it on args
// and has report say what was done, if anything was or nothing failed.
func (p *program) revise(cmd *cobra.Command, format string, jobs int, args []string, build func(*revision) error, report func(*revision)) error {
	f, err := parseFormat(cmd, format)
	if err != nil {
		return err
	}
	db, err := p.openWrite(classify.Options{})
	if err != nil {
		return err
	}
	defer db.Close()
	r := &revision{
		program: p, ctx: cmd.Context(), classifier: db, jobs: jobs,
		options: corpus.Options{Format: f, Stdin: p.stdin},
	}
	if err := build(r); err != nil {
		return err
	}
	err = r.run(args)
	if err == nil || r.applied.Forgotten+r.applied.Moved+r.applied.Already > 0 {
		report(r)
	}
	return err
}
