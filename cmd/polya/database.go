package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/cmd/polya/internal/outfile"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/tokenize"
)

// databasePath is the database that the user means.
func (p *program) databasePath() (string, error) {
	if p.database != "" {
		return p.database, nil
	}
	if path := os.Getenv("POLYA_DB"); path != "" {
		return path, nil
	}
	return defaultDatabase()
}

// defaultDatabase is the database of a user who names none.
func defaultDatabase() (string, error) {
	dir := ""
	home, err := os.UserHomeDir()
	switch {
	case runtime.GOOS == "windows":
		dir = os.Getenv("LocalAppData")
	case runtime.GOOS == "darwin" && err == nil:
		dir = filepath.Join(home, "Library", "Application Support")
	case filepath.IsAbs(os.Getenv("XDG_DATA_HOME")):
		dir = os.Getenv("XDG_DATA_HOME")
	case err == nil:
		dir = filepath.Join(home, ".local", "share")
	}
	if dir == "" {
		return "", errors.New("there is no home directory to keep a database in; name one by --db FILE or POLYA_DB")
	}
	return filepath.Join(dir, "polya", "polya.db"), nil
}

// openRead opens the database for questions.
func (p *program) openRead(o classify.Options) (*classify.Classifier, error) {
	o.Store.ReadOnly = true
	return p.open(o)
}

// openWrite opens the database, which must be there, for changes.
func (p *program) openWrite(o classify.Options) (*classify.Classifier, error) {
	o.Store.MustExist = true
	return p.open(o)
}

func (p *program) open(o classify.Options) (*classify.Classifier, error) {
	path, err := p.databasePath()
	if err != nil {
		return nil, err
	}
	c, err := p.openClassifier(path, o)
	return c, openError(path, err)
}

// openError says what to do about a database that cannot be opened.
func openError(path string, err error) error {
	switch {
	case errors.Is(err, store.ErrNotExist):
		return fmt.Errorf("%s: no such database; 'polya train' makes one, --db or POLYA_DB names another", path)
	case errors.Is(err, store.ErrEmpty):
		return fmt.Errorf("%s: the file is empty, nothing was learned yet; 'polya train' fills it, --db or POLYA_DB names another", path)
	case errors.Is(err, store.ErrNotPolya):
		return fmt.Errorf("%w; --db or POLYA_DB names another", err)
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%w; make the folder first, or name another file by --db", err)
	}
	return err
}

// openCreate opens the database for changes and makes it if it is not there. The
// folder of the default database is made as well; that of another is not, since
// a path that does not exist is more often mistyped than meant. closeCreated closes it.
func (p *program) openCreate(o classify.Options) (db *classify.Classifier, isNew bool, err error) {
	path, err := p.databasePath()
	if err != nil {
		return nil, false, err
	}
	if err := makeDefaultFolder(path); err != nil {
		return nil, false, err
	}
	isNew = !exists(path)
	db, err = p.openClassifier(path, o)
	if isNew && errors.Is(err, store.ErrReadOnly) {
		return nil, false, fmt.Errorf("%s: cannot be made, as the folder %s cannot be written; name another file by --db or POLYA_DB", path, filepath.Dir(path))
	}
	if err != nil {
		return nil, false, openError(path, err)
	}
	return db, isNew, nil
}

// makeDefaultFolder makes the folder of path if that is the default database.
func makeDefaultFolder(path string) error {
	standard, err := defaultDatabase()
	if err != nil || path != standard {
		return nil
	}
	dir := filepath.Dir(path)
	made := !exists(dir)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if made {
		outfile.SyncFolder(filepath.Dir(dir))
	}
	return nil
}

// closeCreated closes a database. One that was made for nothing is removed, so that a
// command that failed leaves no empty database behind: on Windows, which does not remove
// open files, after that.
func closeCreated(db *classify.Classifier, isNew bool) {
	useless, path := isNew && removeEmpty(db.Store()), db.Store().Path()
	db.Close()
	if useless && runtime.GOOS == "windows" {
		os.Remove(path)
	}
}

// removeEmpty removes the file, unless this is Windows, if it surely holds no documents,
// and reports whether that is so. It does that in a View, which keeps the file from being
// released and others from learning into it meanwhile.
func removeEmpty(db *store.DB) bool {
	empty := false
	err := db.View(func(s *store.Snapshot) error {
		if empty = s.Documents() == 0; empty && runtime.GOOS != "windows" {
			os.Remove(db.Path())
		}
		return nil
	})
	return err == nil && empty
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// analyzerOf is the analyzer of the database as it is now, or of one yet to be made. It
// is nil if that cannot be told: whoever opens the database says why.
func (p *program) analyzerOf(o classify.Options) *tokenize.Analyzer {
	path, err := p.databasePath()
	if err != nil {
		return nil
	}
	spec := o.Analyzer
	db, err := p.openStore(path)
	switch {
	case err == nil:
		spec = db.Analyzer()
		db.Close()
	case !errors.Is(err, os.ErrNotExist) && !errors.Is(err, store.ErrNotExist) && !errors.Is(err, store.ErrEmpty):
		return nil
	}
	a, err := tokenize.New(spec)
	if err != nil {
		return nil
	}
	return a
}
