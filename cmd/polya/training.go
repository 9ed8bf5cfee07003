package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/corpus"
	"github.com/polya-classifier/polya/cmd/polya/internal/holdings"
	"github.com/polya-classifier/polya/cmd/polya/internal/reading"
	"github.com/polya-classifier/polya/cmd/polya/internal/terminal"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// A batch is applied when it has so many documents or bytes.
const (
	batchDocuments = 16384
	batchBytes     = 32 << 20
)

// training is one run of train.
type training struct {
	ctx        context.Context
	classifier *classify.Classifier
	class      string // "" takes that of the document
	source     string
	keep       count.Ledger // what is kept of each document
	reader     *reading.Reader
	batch      classify.Batch
	read       int                    // documents
	placed     map[count.DocID]placed // of the batch
	isNew      func(*count.Class) bool
	guard      *moveGuard      // nil where documents may change their class
	badClasses map[string]bool // names that cannot be
	applied    store.Applied
	repeats    reading.Repeats
	failed     reading.Troubles
}

// placed is where a document of the batch is, and the class it is to have.
type placed struct{ path, class string }

// newTraining returns a training by the documents that r reads, which keeps of each what
// keep says, or else what the database was made with.
func newTraining(ctx context.Context, db *classify.Classifier, r *reading.Reader, class, source string, keep count.Ledger) *training {
	t := &training{
		ctx: ctx, classifier: db, class: class, source: source, keep: cmp.Or(keep, db.Store().Ledger()), reader: r,
		placed: map[count.DocID]placed{}, badClasses: map[string]bool{}, isNew: holdings.NewSince(holdings.Names(db.Store())),
	}
	t.batch.Keep(keep)
	r.Learns, r.Sorts, r.Deliver = true, true, t.learn
	r.Attributes.Learns, r.Attributes.AsksDatabase = true, false
	return t
}

func (t *training) learn(d *reading.Document) error {
	t.read++
	class := t.class
	if class == "" {
		class = d.Class
	}
	if class == "" {
		t.failed = append(t.failed, fmt.Errorf("%s: says no class; name one, as in 'polya train CLASS PATH'", d.Path))
		return nil
	}
	if t.class == "" && !t.canBeClass(class, d.Path) {
		return nil // what other classes have is learned all the same
	}
	if err := t.batch.Train(class, d.Learnable(t.source)); err != nil {
		return fmt.Errorf("%s: %w", d.Path, err)
	}
	t.repeats.Add(d, class)
	t.placed[d.ID] = placed{d.Path, class}
	if t.batch.Len() >= batchDocuments || t.batch.Size() >= batchBytes {
		return t.apply()
	}
	return nil
}

// canBeClass says whether a class can have the name that a folder or a document at path
// gives, and tells once of each that cannot.
func (t *training) canBeClass(name, path string) bool {
	if t.badClasses[name] {
		return false
	}
	if err := count.CheckClass(name); err != nil {
		t.badClasses[name] = true
		t.failed = append(t.failed, fmt.Errorf("%s and all others of its class: %w", path, err))
		return false
	}
	return true
}

// apply learns what has been gathered, in one transaction.
func (t *training) apply() error {
	if err := t.guard.check(t.classifier.Store(), t.placed); err != nil {
		return err
	}
	learned := t.reader.Bar.While("learning " + terminal.Grouped(t.batch.Len()))
	a, err := t.classifier.Apply(t.ctx, &t.batch)
	learned()
	t.applied.Learned += a.Learned
	t.applied.Moved += a.Moved
	t.applied.Already += a.Already
	for _, id := range a.Conflicts {
		t.failed = append(t.failed, fmt.Errorf("%s: stays in the class that another copy of it was learned as, "+
			"of which the ledger keeps only a digest; forget that copy first", t.placed[id].path))
	}
	t.batch.Reset()
	clear(t.placed)
	return err
}

// done is the number of documents that are as they were wanted.
func (t *training) done() int { return t.applied.Learned + t.applied.Moved + t.applied.Already }

func (t *training) run(paths []string) error {
	t.reader.Bar = reading.NewBar(t.reader.Streams, paths, t.reader.Options)
	err := t.reader.Read(t.ctx, paths)
	if err == nil && t.batch.Len() > 0 {
		wait := t.reader.NewWait("learning "+terminal.Grouped(t.batch.Len()), t.reader.Bar.Size())
		err = t.apply()
		wait.Done()
	}
	t.reader.Bar.Done()
	if errors.Is(err, context.Canceled) {
		return t.interrupted(paths)
	}
	if err != nil {
		return err
	}
	failed := append(t.reader.Failed, t.failed...)
	if t.applied.Learned+t.applied.Moved > 0 {
		if err := refit(t.ctx, t.reader.Streams, t.classifier); err != nil {
			failed = append(failed, err)
		}
	}
	return failed.OrNil()
}

// interrupted says what was kept.
func (t *training) interrupted(paths []string) error {
	if t.done() == 0 {
		return errors.New("interrupted: nothing was learned; run the same command again")
	}
	of := ""
	files := 0
	for _, path := range paths {
		n, _, _ := corpus.Size(path, t.reader.Options)
		files += n
	}
	if files >= t.read { // an mbox counts as one
		of = " of " + terminal.Grouped(files)
	}
	next := "run the same command again to go on"
	if t.keep == count.LedgerNone {
		next = "without a ledger, the same command again would learn them twice: give it the others alone"
	}
	return fmt.Errorf("interrupted: %s%s documents are learned and kept; %s", terminal.Grouped(t.done()), of, next)
}
