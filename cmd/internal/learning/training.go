// Package learning learns, forgets and moves documents as they are read, in large
// transactions.
package learning

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"runtime/debug"
	"time"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/calibration"
	"github.com/polya-classifier/polya/cmd/internal/reading"
	"github.com/polya-classifier/polya/cmd/internal/statistics"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// A batch is applied when it takes a share of the database's size in memory, within these limits:
// each batch of many short documents writes nearly all of the database but the log anew.
const (
	LeastBatch = 8 << 20
	mostBatch  = 24 << 20
	batchShare = 8
)

// isFull reports whether it is time to apply b to db.
func isFull(b *classify.Batch, db *store.DB) bool {
	bytes := int64(b.Delta().Size())
	if bytes < LeastBatch {
		return false
	}
	size, err := db.Size()
	return err != nil || bytes >= min(size/batchShare, mostBatch)
}

// Training is one run of train. Fields that are not set by NewTraining may be set before Run.
type Training struct {
	ctx        context.Context
	Classifier *classify.Classifier
	Source     string       // that teaches
	Ledger     count.Ledger // the ledger mode of each document; 0 for the database's own
	Reader     *reading.Reader
	batch      classify.Batch
	placed     map[count.DocID]placed // of the batch
	Before     []string               // the classes when the training began
	Moves      bool                   // any number of documents may change their class
	guard      *moveGuard             // nil with Moves
	overdue    bool                   // isOverdue when the training began
	labels     Labels
	Applied    store.Applied
	OnlyNew    bool // documents in the ledger stay as they are
	Unfitted   bool // Fit fits nothing
	Dated      bool // each document is entered in the ledger as learned at its own date
	Undated    int  // documents that could not be, having none or one to come
	Repeats    reading.Repeats
	Overruled  int    // documents that state another class than the one named
	unwritten  []byte // see collectSeldom

	// From, unless nil, says which documents to learn: those in its ledger, with the class, time
	// and source that they have there, and the classes that they had before. Strangers counts the
	// others.
	From      *store.DB
	Strangers int
	moved     map[count.DocID]bool // learned with From that had other classes before
}

// many is the number of documents from which collecting garbage takes a share of the time.
const many = 256

// collectSeldom has garbage collected whenever memory has grown by half and by 16 MB: learning
// and fitting 6,000 messages takes a twentieth less time than at half alone, and 36,000 take
// 150 MB. The collector counts unwritten as memory in use, and no page is taken for it.
func (t *Training) collectSeldom() {
	if os.Getenv("GOGC") == "" && debug.SetMemoryLimit(-1) == math.MaxInt64 {
		debug.SetGCPercent(50)
		t.unwritten = make([]byte, 32<<20)
	}
}

type placed struct{ path, class string }

// NewTraining returns a training on the documents that r reads, as a class or, if that is "", as
// the class that each document states.
func NewTraining(db *classify.Classifier, r *reading.Reader, class string) *Training {
	t := &Training{
		Classifier: db, Reader: r,
		placed: map[count.DocID]placed{}, moved: map[count.DocID]bool{}, labels: Labels{Class: class, Tags: db.Store().Tags()},
		Before: statistics.Names(db.Store()), overdue: isOverdue(db),
	}
	r.Learns, r.Sorts, r.Deliver = true, true, t.learn
	r.Attributes.Learns, r.Attributes.AsksDatabase = true, false
	return t
}

// Keep returns the ledger mode of documents that are learned anew.
func (t *Training) Keep() count.Ledger { return cmp.Or(t.Ledger, t.Classifier.Store().Ledger()) }

func (t *Training) learn(d *reading.Document) error {
	if t.From != nil {
		return t.learnAgain(d)
	}
	class, ok := t.labels.Of(d)
	if !ok {
		return nil // documents of other classes are learned all the same
	}
	if d.Class != "" && d.Class != class && !t.labels.Tags {
		t.Overruled++
	}
	doc := d.Learnable(t.Source)
	if t.Dated {
		if doc.Time = Dated(d); doc.Time.IsZero() {
			t.Undated++
		}
	}
	t.batch.Delta().OnlyNew = t.OnlyNew
	if err := t.batch.Train(class, doc); err != nil {
		return fmt.Errorf("%s: %w", d.Path, err)
	}
	return t.put(d, class)
}

// put applies the batch, to which d was added, once it is large.
func (t *Training) put(d *reading.Document, class string) error {
	t.Repeats.Add(d, class)
	t.placed[d.ID] = placed{d.Path, class}
	if len(t.placed) == many && t.unwritten == nil {
		t.collectSeldom()
	}
	if isFull(&t.batch, t.Classifier.Store()) {
		return t.apply()
	}
	return nil
}

// apply learns the batch in one transaction.
func (t *Training) apply() error {
	if err := t.guard.check(t.Classifier.Store(), t.placed); err != nil {
		return err
	}
	a, err := t.Classifier.Apply(t.ctx, &t.batch)
	t.Applied.Add(a)
	for _, id := range a.Conflicts {
		t.labels.Failed = append(t.labels.Failed, Stays(t.placed[id].path))
	}
	t.batch.Reset()
	clear(t.placed)
	return err
}

// Stays is the error about a document at path among store.Applied.Conflicts.
func Stays(path string) error {
	return fmt.Errorf("%s: stays in the class that another copy of it was learned as, "+
		"of which the ledger keeps only a digest; forget that copy first", path)
}

// Done returns the number of documents that are now learned as requested.
func (t *Training) Done() int { return t.Applied.Learned + t.Applied.Moved + t.Applied.Already }

// Run learns the documents at paths. Its error lists those that could not be read or learned.
func (t *Training) Run(ctx context.Context, paths []string) error {
	t.ctx, t.batch.Delta().Keep = ctx, t.Ledger
	if !t.Moves {
		t.guard = newMoveGuard(t.Classifier, t.labels.Class == "")
	}
	err := readAll(ctx, t.Reader, paths, "learning ", &t.batch, t.apply)
	switch next := "run the same command again to go on"; {
	case err == nil:
		return append(t.Reader.Failed, t.labels.Failed...).OrNil()
	case !errors.Is(err, context.Canceled):
		return err
	case t.Done() == 0:
		return errors.New("interrupted: nothing was learned; run the same command again")
	case t.From != nil:
		return errors.New("interrupted: nothing was changed")
	default:
		if t.Keep() == count.LedgerNone {
			next = "without a ledger, the same command again would learn them twice: give it the others alone"
		}
		return fmt.Errorf("interrupted: %s documents are learned and kept; %s", terminal.Grouped(t.Done()), next)
	}
}

// readAll reads the documents at paths, and then applies what is left in the batch.
func readAll(ctx context.Context, r *reading.Reader, paths []string, doing string, batch *classify.Batch, apply func() error) error {
	r.Bar = reading.NewBar(r.Streams, paths, r.Options)
	defer r.Bar.Done()
	err := r.Read(ctx, paths)
	if err == nil && batch.Len() > 0 {
		defer r.StartBar(doing+terminal.Grouped(batch.Len()), 0).Done()
		err = apply()
	}
	return err
}

// Fit fits the models after Run; see classify.Classifier.RefitAfter. The result of Run is
// printed before.
func (t *Training) Fit() error {
	if t.Unfitted || t.Done() == 0 { // one that was killed before its fit is given again
		return nil
	}
	if err := fit(t.ctx, t.Reader.Streams, t.Classifier, t.Done()); err != nil {
		return err
	}
	if t.Done() < calibration.FewTaught && t.Classifier.Store().Ledger() == count.LedgerFull && !t.overdue && isOverdue(t.Classifier) { // said once
		t.Reader.Streams.Note(fmt.Errorf("%s: never calibrated, or much was learned since, so that fewer answers are sure; 'polya calibrate' does it, or learning %d documents at once", t.Classifier.Store().Path(), calibration.FewTaught))
	}
	return nil
}

// isOverdue reports whether commands that teach few documents have left a fit undone that is worth a
// command of its own.
func isOverdue(c *classify.Classifier) bool {
	due, err := c.FitDue(calibration.TrainGrowth)
	return due && err == nil && statistics.TooFew(c.Store()) == ""
}

// Refit fits the models to what was learned, if much of it is new. What was learned
// is kept if that is interrupted.
func Refit(ctx context.Context, to *terminal.Streams, c *classify.Classifier) error {
	return fit(ctx, to, c, calibration.FewTaught)
}

// fit is Refit after a training of so many documents.
func fit(ctx context.Context, to *terminal.Streams, c *classify.Classifier, documents int) error {
	wait := to.StartBar("fitting", 0)
	err := c.RefitAfter(ctx, documents)
	wait.Done()
	const unfitted, advice = "all is learned and kept, but the models are not fitted to it", "; 'polya calibrate' does that"
	switch {
	case errors.Is(err, context.Canceled):
		return errors.New("interrupted: " + unfitted + advice)
	case errors.Is(err, store.ErrInUse):
		to.Note(fmt.Errorf("%s: in use by others: %s", c.Store().Path(), unfitted+advice))
		return nil
	case err != nil:
		return fmt.Errorf("%s: %w", unfitted, err)
	}
	return nil
}

// Labels determines the class that each document is learned as.
type Labels struct {
	Class string // of all documents, "" takes that of the document
	Tags  bool   // classes are sets of tags

	Failed reading.Troubles // documents without a class, or with an invalid one
}

// Of returns the class of d, or records in l.Failed why it has none.
func (l *Labels) Of(d *reading.Document) (class string, ok bool) {
	if l.Class != "" {
		return l.Class, true
	}
	class, err := d.Class, error(nil)
	switch {
	case l.Tags:
		class, err = count.ParseTagSet(class)
	case class == "" && d.Row:
		err = errors.New("says no class in this row; write one there, or leave the row out")
	case class == "":
		err = errors.New("says no class; write one there, name one for all, as in 'polya train CLASS PATH', take the names of folders by --folders, or say how it is read, as in --format csv")
	case class[0] == ',':
		err = errors.New("states a list of classes; --tags learns them as tags")
	default:
		err = count.CheckClass(class)
	}
	if err != nil {
		l.Failed = append(l.Failed, fmt.Errorf("%s: %w", d.Path, err))
	}
	return class, err == nil
}

// Dated returns the document's own date, to be entered in the ledger as its learning time; the
// zero time if it has none or one in the future.
func Dated(d *reading.Document) (at time.Time) {
	if at = d.Date(); at.Before(time.Now()) {
		return at
	}
	return time.Time{}
}
