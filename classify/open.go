package classify

import (
	"fmt"

	"github.com/polya-classifier/polya/internal/background"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/tokenize"
)

// Open opens the database at path. The errors are those of store.Open, and others for an
// unknown analyzer spec, for options out of range and for options that exclude each other.
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
	if err := o.check(); err != nil {
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
	err = o.Holds.check(db.Tags())
	var a *tokenize.Analyzer
	if err == nil {
		a, err = tokenize.New(db.Analyzer())
	}
	if err != nil {
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
	so.Analyzer, so.Tags = "", o.Holds == Tags
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

// Close waits for a running or due fit, and closes the database.
func (c *Classifier) Close() error {
	if c.opened != nil {
		return nil
	}
	c.behind.Finish()
	return c.db.Close()
}
