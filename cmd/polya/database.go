package main

import (
	"os"
	"runtime"
	"time"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/cmd/internal/command"
	"github.com/polya-classifier/polya/store"
)

func (p *program) openRead(o classify.Options) (*classify.Classifier, error) {
	o.Store.ReadOnly = true
	return p.Open(o)
}

// toChange opens an existing database of classes or tags for changes.
var toChange = classify.Options{Holds: classify.Either, Store: store.Options{MustExist: true}}

func (p *program) change(do func(*classify.Classifier) error) error { return p.With(toChange, do) }

// read calls do with a database of classes or tags, to read it.
func (p *program) read(do func(*classify.Classifier) error) error {
	return p.With(classify.Options{Holds: classify.Either, Store: store.Options{ReadOnly: true}}, do)
}

// closeCreated closes a database. It removes a new one that is still empty, so that a
// failed command leaves no empty database behind: in a View, which keeps others from learning
// meanwhile, or on Windows, which cannot remove open files, after closing.
func closeCreated(db *classify.Classifier, isNew bool) {
	path, empty := db.Store().Path(), false
	if isNew {
		_ = db.Store().View(func(s *store.Snapshot) error {
			if empty = s.Documents() == 0; empty {
				os.Remove(path)
			}
			return nil
		})
	}
	db.Close()
	if empty && runtime.GOOS == "windows" {
		os.Remove(path)
	}
}

// openToRead opens the user's database to read it, without a Classifier.
func (p *program) openToRead() (*store.DB, error) {
	db, err := p.openStore(p.Path())
	return db, command.OpenError(p.Path(), err)
}

// openStore opens a database to read it, and waits for it if it is in use.
func (p *program) openStore(path string) (*store.DB, error) {
	return command.Opened(p.Program, path, func(timeout time.Duration) (*store.DB, error) {
		return store.Open(path, store.Options{ReadOnly: true, Share: true, Timeout: timeout})
	})
}
