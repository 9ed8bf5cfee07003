package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/cmd/internal/crash"
	"github.com/polya-classifier/polya/cmd/internal/location"
	"github.com/polya-classifier/polya/cmd/internal/outfile"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/serve/control/client"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/tokenize"
)

// databasePath returns the path of the database that the user means.
func (p *program) databasePath() (string, error) { return location.Of(p.database) }

// openRead opens the database for questions.
func (p *program) openRead(o classify.Options) (*classify.Classifier, error) {
	o.Store.ReadOnly = true
	return p.open(o)
}

// openWrite opens an existing database for changes.
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
	case errors.Is(err, classify.ErrHasTags):
		return fmt.Errorf("%w; 'polya help tags' says which commands take them, --db or POLYA_DB names another database", err)
	case errors.Is(err, classify.ErrHasClasses):
		return fmt.Errorf("%w; --db or POLYA_DB names another database, or a new one for tags", err)
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%w; make the folder first, or name another file by --db", err)
	}
	return err
}

// openCreate opens the database for changes and makes it if it does not exist. It also
// makes the folder of the default database, but not of another, since a missing folder is
// more often mistyped than meant. closeCreated closes it.
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
	standard, err := location.Default()
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

// closeCreated closes a database. It removes a new one that is still empty, so that a
// failed command leaves no empty database behind: on Windows, which cannot remove open
// files, after closing.
func closeCreated(db *classify.Classifier, isNew bool) {
	useless, path := isNew && removeEmpty(db.Store()), db.Store().Path()
	db.Close()
	if useless && runtime.GOOS == "windows" {
		os.Remove(path)
	}
}

// removeEmpty removes the file, unless this is Windows, if it certainly holds no
// documents, and reports whether that is so. It works in a View, which keeps the file from
// being released and others from learning meanwhile.
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

// analyzerOf returns the analyzer of the database, or of one yet to be made; nil if that
// is unknown: opening the database reports why.
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

// waitVariable is the environment variable that stands for --wait.
const waitVariable = "POLYA_WAIT"

// noteAfter is how long a command waits before it says so on a terminal.
const noteAfter = 2 * time.Second

// openGrace is how long an interrupted opening may still take: one that does not wait for
// others ends within it, and the caller removes a file made for nothing.
const openGrace = 500 * time.Millisecond

// waiting is how long to wait for a database that others use.
type waiting struct {
	text string // of --wait
	ctx  context.Context
}

func (w *waiting) flag(cmd *cobra.Command) {
	cmd.PersistentFlags().StringVar(&w.text, "wait", "", "wait up to `TIME` for a database in use: 10s, 2m, 0 (default 10s to\nread, 30s to write)")
}

// timeout returns how long to wait, 0 for the store's default without --wait and POLYA_WAIT.
func (w *waiting) timeout() (time.Duration, error) {
	name, text := "--wait", w.text
	if text == "" {
		name, text = waitVariable, os.Getenv(waitVariable)
	}
	if text == "" {
		return 0, nil
	}
	d, err := parseWait(text)
	if err != nil {
		return 0, fmt.Errorf("%s %q is no time to wait: want one as 10s, 2m or 0", name, text)
	}
	return max(d, 1), nil // 0 would be the default
}

func parseWait(s string) (time.Duration, error) {
	if n, err := strconv.ParseUint(s, 10, 24); err == nil {
		return time.Duration(n) * time.Second, nil
	}
	d, err := time.ParseDuration(s)
	if err == nil && d < 0 {
		err = strconv.ErrRange
	}
	return d, err
}

// openClassifier opens a database, and waits for it if it is in use.
func (p *program) openClassifier(path string, o classify.Options) (*classify.Classifier, error) {
	timeout, err := p.waiting.timeout()
	if err != nil {
		return nil, err
	}
	o.Store.Share, o.Store.Timeout = true, timeout
	return opened(p, path, func() (*classify.Classifier, error) {
		if !o.Store.ReadOnly {
			if err := p.borrow(path, timeout); err != nil {
				return nil, err
			}
		}
		return classify.Open(path, o)
	})
}

// lendTimeout is how long a daemon may take to finish writing.
const lendTimeout = 30 * time.Second

// borrow asks the daemon that holds the database, if there is one, to lend it to this process.
func (p *program) borrow(path string, timeout time.Duration) (err error) {
	daemon := client.Of(path, cmp.Or(timeout, lendTimeout))
	if daemon == nil {
		return nil
	}
	p.giveBack, err = daemon.Borrow()
	if errors.Is(err, client.ErrAbsent) {
		return nil // opening the file shows who holds it
	}
	if err != nil {
		return fmt.Errorf("%s: the daemon: %w", path, err)
	}
	return nil
}

// returnDatabase gives it back, if it was borrowed.
func (p *program) returnDatabase() {
	if p.giveBack != nil {
		p.giveBack()
		p.giveBack = nil
	}
}

// openToRead opens the user's database to read it, without a Classifier.
func (p *program) openToRead() (*store.DB, error) {
	path, err := p.databasePath()
	if err != nil {
		return nil, err
	}
	db, err := p.openStore(path)
	return db, openError(path, err)
}

// openStore opens a database to read it, and waits for it if it is in use.
func (p *program) openStore(path string) (*store.DB, error) {
	timeout, err := p.waiting.timeout()
	if err != nil {
		return nil, err
	}
	o := store.Options{ReadOnly: true, Share: true, Timeout: timeout}
	return opened(p, path, func() (*store.DB, error) { return store.Open(path, o) })
}

// opened calls open, until Ctrl-C.
func opened[T any](p *program, path string, open func() (T, error)) (T, error) {
	ctx := p.waiting.ctx
	if ctx == nil {
		return waited(open()) // a signal ends the process
	}
	var db T
	var err error
	var fault *crash.Crash
	done := make(chan struct{})
	go func() {
		defer close(done)
		fault = crash.Catch(func() { db, err = open() })
	}()
	note := time.NewTimer(noteAfter)
	defer note.Stop()
	interrupted := ctx.Done()
	var give <-chan time.Time
	for {
		select {
		case <-done:
			if fault != nil {
				panic(fault)
			}
			return waited(db, err)
		case <-interrupted:
			interrupted, give = nil, time.After(openGrace)
		case <-give:
			var none T
			return none, fmt.Errorf("%s: %w while it was in use", path, ctx.Err())
		case <-note.C:
			if terminal.IsTerminal(p.Stderr) {
				p.Note(fmt.Errorf("%s is in use by another process: waiting; Ctrl-C gives up", path))
			}
		}
	}
}

// waited adds advice to the error about a database that is still in use.
func waited[T any](db T, err error) (T, error) {
	if errors.Is(err, store.ErrInUse) {
		err = fmt.Errorf("%w, or wait longer by --wait or %s", err, waitVariable)
	}
	return db, err
}

// program is the state that all commands share.
type program struct {
	*terminal.Streams

	stopListening func() // for signals

	database string // of --db
	giveBack func() // gives the database back to the daemon that has lent it; nil if none has
	waiting  waiting
}
