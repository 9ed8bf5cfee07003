package classify

import (
	"cmp"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/polya-classifier/polya/classify/calibration"
	"github.com/polya-classifier/polya/classify/model"
	"github.com/polya-classifier/polya/classify/setting"
	"github.com/polya-classifier/polya/internal/background"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/tokenize"
)

// Classifier learns and classifies. It is safe for concurrent use, Close included: readers do not
// wait for trainers, and trainers share transactions. After Close the error of all its methods is
// store.ErrClosed. While nothing is learned it caches what the terms of the last documents
// contribute.
type Classifier struct {
	db       *store.DB
	analyzer *tokenize.Analyzer
	options  Options     // with Model and Decision filled in
	opened   *Classifier // the Classifier that opened the database, nil if this one did

	refit  sync.Mutex                  // held while fitting, so that trainers do not fit twice
	behind *background.Queue[struct{}] // fits in the background
	taught atomic.Int64                // documents that it has changed

	calibrations calibrationCache
	records      parsed[calibration.Record]
	trained      trainedSample
	corrections  corrections
	dcm          precisions

	mu       sync.Mutex
	prepared *prepared // for the newest totals
	asked    bool      // a question was answered, or begun
}

// prepared is a scorer with the totals that it was made from.
type prepared struct {
	classes       []*count.Class
	attributes    []*count.AttributeTotals // of Totals
	reads         []bool                   // which of the attributes the scorer reads, nil for all
	state         uint64                   // store.Snapshot.StateDigest: other fits have another
	scorer        model.Scorer
	levels        bool                // whether the scorer reads Cell.U
	asked         atomic.Bool         // at least once
	once          bool                // valid only as long as its snapshot
	contributing  *model.TermSums     // the same scorer, nil if it does not sum contributions
	prior         []float64           // by class: the constant part of the score
	shift         []float64           // by class: the effect of the decision's prior, added after shrinkage
	priorOnly     []float64           // by class: log prior, for a document without known terms
	calibrated    *calibration.Model  // nil if nothing was fitted
	contradiction *contradiction      // nil if contradictions are not detected
	record        *calibration.Record // nil unless the decision needs it
	recent        *correction         // nil unless there are two classes with documents
}

// With returns a Classifier of the same open database with the options o, except
// o.Analyzer and o.Store, which it ignores. It learns too, but leaves fitting to c: its
// Refit and Close do nothing. It must not be used after c was closed.
func (c *Classifier) With(o Options) (*Classifier, error) {
	if err := o.complete(); err != nil {
		return nil, err
	}
	if err := o.decide(c.db); err != nil {
		return nil, err
	}
	o.Fitting = FitByHand
	return &Classifier{db: c.db, analyzer: c.analyzer, options: o, opened: c.opener()}, nil
}

// WithModel is With that changes only the model.
func (c *Classifier) WithModel(m Model) (*Classifier, error) {
	o := c.options
	o.Model = m
	return c.With(o)
}

func (c *Classifier) opener() *Classifier { return cmp.Or(c.opened, c) }

// Store returns the database, for operations on counts: backup, check, dump, classes.
func (c *Classifier) Store() *store.DB { return c.db }

// Settings returns the settings that the database kept when it was opened, with those of
// Options over them. They must not be changed.
func (c *Classifier) Settings() setting.Values { return c.options.Settings }

// Analyzer returns the database's analyzer.
func (c *Classifier) Analyzer() *tokenize.Analyzer { return c.analyzer }

// Classes returns all classes with their counts, in order of name. They are shared and
// must not be changed.
func (c *Classifier) Classes() (classes []*count.Class, err error) {
	err = c.db.View(func(s *store.Snapshot) error {
		classes = s.Classes()
		return nil
	})
	return classes, err
}

// Document returns the document of a plain text, in a Bag of its own, with its ContentID.
// So equal texts are one document: the second counts as already learned, or moves the
// first to its class. If each is to count (short texts that many people write, rows of a
// table), give each document its own ID, and use the same one to forget it:
//
//	doc := c.Document(text)
//	doc.ID = classify.ContentID([]byte("ticket 4711"))
//
// For mail use Document of package classify/mail.
func (c *Classifier) Document(text []byte) Document {
	bag := new(tokenize.Bag)
	c.analyzer.Text(bag, "", text)
	return Document{ID: ContentID(text), Bag: bag}
}

// Calibration returns the stored calibration, nil if there is none. It is shared and must
// not be changed.
func (c *Classifier) Calibration() (k *calibration.Calibration, err error) {
	err = c.db.View(func(s *store.Snapshot) error {
		k = c.calibrations.read(s)
		return nil
	})
	return k, err
}

// ErrNoDocuments is the error of a question to a database without documents.
var ErrNoDocuments = errors.New("the database has learned no documents; train it first")

// Open opens the database at path. The errors are those of store.Open, ErrHasTags or
// ErrHasClasses, and others for an unknown analyzer spec, for options out of range and for options
// that exclude each other.
func Open(path string, o Options) (*Classifier, error) {
	return open(o, func(so store.Options) (*store.DB, error) { return store.Open(path, so) })
}

// OpenMemory opens a database without a file of its own: a copy of data, the bytes of a
// database file (embedded in the program, or read by fs.ReadFile from an fs.FS), or a new
// one if data is empty; see store.OpenMemory. With Options.Store.ReadOnly it answers and
// learns nothing. All of it is gone after Close; Store().Backup writes it to a file.
func OpenMemory(data []byte, o Options) (*Classifier, error) {
	return open(o, func(so store.Options) (*store.DB, error) { return store.OpenMemory(data, so) })
}

func open(o Options, openStore func(store.Options) (*store.DB, error)) (*Classifier, error) {
	if err := o.complete(); err != nil {
		return nil, err
	}
	so, err := o.store()
	if err != nil {
		return nil, err
	}
	db, err := openStore(so)
	if err != nil {
		return nil, err
	}
	a, err := tokenize.New(db.Analyzer())
	if err = cmp.Or(o.Holds.check(db.Tags()), err); err != nil {
		err = fmt.Errorf("%s: %w", db.Path(), err)
	} else {
		err = o.decide(db)
	}
	if err != nil {
		db.Close()
		return nil, err
	}
	c := &Classifier{db: db, analyzer: a, options: o}
	c.behind = background.New(0, c.fitBehind)
	return c, nil
}

// store returns the options of the store: it is opened with the given spec, or, if that is
// empty, with its own, or, if it is new, with the default.
func (o *Options) store() (store.Options, error) {
	so := o.Store
	if so.Analyzer != "" || so.DefaultAnalyzer != "" || so.Tags {
		return so, errors.New("want Options.Analyzer and Holds in place of Options.Store.Analyzer, DefaultAnalyzer and Tags")
	}
	so.Tags = o.Holds == Tags
	if o.Analyzer == "" {
		so.DefaultAnalyzer = tokenize.DefaultSpec
		return so, nil
	}
	a, err := tokenize.New(o.Analyzer)
	if err == nil {
		so.Analyzer = a.Spec()
	}
	return so, err
}

// Close waits for a running or due fit, see Fitting, and closes the database. What was learned is
// on disk before: a program that is killed loses nothing but the fit.
func (c *Classifier) Close() error {
	if c.opened != nil {
		return nil
	}
	c.behind.Finish()
	return c.db.Close()
}
