package command

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"time"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/cmd/internal/outfile"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/internal/newfile"
	"github.com/polya-classifier/polya/serve/api/client"
	"github.com/polya-classifier/polya/store"
)

// Path returns the path of the database named by --db, or else by the environment, or else
// DefaultPath.
func (p *Program) Path() string {
	if path := cmp.Or(p.Database, os.Getenv("POLYA_DB")); path != "" {
		return path
	}
	return DefaultPath()
}

// OpenError says what to do about a database that cannot be opened.
func OpenError(path string, err error) error {
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

// OpenCreate opens the database for changes and makes it if it does not exist. It also
// makes the folder of the default database, but not of another, since a missing folder is
// more often mistyped than meant. The caller removes it again if it stays empty.
func (p *Program) OpenCreate(o classify.Options) (*classify.Classifier, error) {
	path := p.Path()
	if err := MakeDefaultFolder(path); err != nil {
		return nil, err
	}
	isNew := !Exists(path)
	db, err := p.OpenClassifier(path, o)
	if isNew && errors.Is(err, store.ErrReadOnly) {
		return nil, fmt.Errorf("%s: cannot be made, as the folder %s cannot be written; name another file by --db or POLYA_DB", path, filepath.Dir(path))
	}
	return db, OpenError(path, err)
}

// Open opens the database for a command, with advice in its error; see OpenClassifier.
func (p *Program) Open(o classify.Options) (*classify.Classifier, error) {
	path := p.Path()
	c, err := p.OpenClassifier(path, o)
	return c, OpenError(path, err)
}

// With opens the database as Open does, and calls do with it.
func (p *Program) With(o classify.Options, do func(*classify.Classifier) error) error {
	c, err := p.Open(o)
	if err != nil {
		return err
	}
	defer c.Close()
	return do(c)
}

// MakeDefaultFolder makes the folder of path if that is the default database.
func MakeDefaultFolder(path string) error {
	dir := filepath.Dir(path)
	if path == "" || path != DefaultPath() || Exists(dir) {
		return nil
	}
	defer newfile.SyncFolder(filepath.Dir(dir))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("the database needs a folder, unless --db or POLYA_DB names another: %w", err)
	}
	return nil
}

// Exists reports whether something has a path, a link to nothing too.
func Exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// waitVariable is the environment variable that stands for --wait.
const waitVariable = "POLYA_WAIT"

// noteAfter is how long a command waits before it says so on a terminal.
const noteAfter = 2 * time.Second

// Timeout returns how long to wait for a database that others use, 0 for the store's default
// without --wait and POLYA_WAIT.
func (p *Program) Timeout() (time.Duration, error) {
	name, text := "--wait", p.Wait
	if text == "" {
		name, text = waitVariable, os.Getenv(waitVariable)
	}
	if text == "" {
		return 0, nil
	}
	d, err := time.ParseDuration(text)
	if n, failed := strconv.ParseUint(text, 10, 24); failed == nil {
		d, err = time.Duration(n)*time.Second, nil
	}
	if err != nil || d < 0 {
		return 0, fmt.Errorf("%s %q is no time to wait: want one as 10s, 2m or 0", name, text)
	}
	return max(d, 1), nil // 0 would be the default
}

// Copy opens a copy of an open database, which is gone after Close.
func Copy(c *classify.Classifier, o classify.Options) (*classify.Classifier, error) {
	var copied bytes.Buffer
	if _, err := c.Store().Backup(context.Background(), &copied); err != nil {
		return nil, err
	}
	return classify.OpenMemory(copied.Bytes(), o)
}

// OpenClassifier opens a database, and waits for it if it is in use.
func (p *Program) OpenClassifier(path string, o classify.Options) (*classify.Classifier, error) {
	o.Store.Share = p.ctx != nil // one that a signal ends is over before others would wait for it
	open := func(timeout time.Duration) (*classify.Classifier, error) {
		o.Store.Timeout = timeout
		return classify.Open(path, o)
	}
	if o.Store.ReadOnly {
		return Opened(p, path, open)
	}
	return Alone(p, path, open)
}

// HandoverTimeout is how long a daemon may take to finish writing.
const HandoverTimeout = 30 * time.Second

// Alone calls open as Opened does, once a daemon that serves the database has handed its lock over.
func Alone[T any](p *Program, path string, open func(timeout time.Duration) (T, error)) (db T, err error) {
	p.Killable(func() { err = p.borrow(path) })
	if err != nil {
		return db, err
	}
	return Opened(p, path, open)
}

// borrow asks the daemon that serves the database, if there is one, to hand its lock over.
func (p *Program) borrow(path string) error {
	timeout, err := p.Timeout()
	daemon := client.Of(path, cmp.Or(timeout, HandoverTimeout))
	if err != nil || daemon == nil {
		return err
	}
	if p.giveBack, err = daemon.Borrow(); err == nil || errors.Is(err, client.ErrAbsent) {
		return nil // without a daemon, opening the file shows who holds it
	}
	return fmt.Errorf("%s: the daemon: %w", path, err)
}

// Borrowed reports whether a daemon has handed the lock over.
func (p *Program) Borrowed() bool { return p.giveBack != nil }

// ReturnDatabase gives the lock back, if the daemon has handed it over.
func (p *Program) ReturnDatabase() {
	if p.giveBack != nil {
		p.giveBack()
		p.giveBack = nil
	}
}

// ErrNoPath says that Path knows none.
var ErrNoPath = errors.New("there is no home directory to keep a database in; name one by --db FILE or POLYA_DB")

// Opened calls open with the time to wait for a database that others use, and again if it is in use
// for long.
func Opened[T any](p *Program, path string, open func(timeout time.Duration) (T, error)) (db T, err error) {
	timeout, err := p.Timeout()
	if path == "" {
		err = ErrNoPath
	}
	if err != nil {
		return db, err
	}
	first := timeout
	if (p.ctx != nil || terminal.IsTerminal(p.Stderr)) && (timeout == 0 || timeout > noteAfter) {
		first = noteAfter
	}
	db, err = open(first)
	if errors.Is(err, store.ErrInUse) && first != timeout && (p.ctx == nil || p.ctx.Err() == nil) {
		if terminal.IsTerminal(p.Stderr) {
			p.Note(fmt.Errorf("%s is in use by another process: waiting; Ctrl-C gives up", path))
		}
		p.Killable(func() { db, err = open(max(timeout-first, 0)) })
	}
	if errors.Is(err, store.ErrInUse) {
		err = fmt.Errorf("%w, or wait longer by --wait or %s", err, waitVariable)
	}
	return db, err
}

// DefaultPath returns the path of the database of a user who names none, "" without a home directory.
func DefaultPath() string {
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
		return ""
	}
	return filepath.Join(dir, "polya", "polya.db")
}

// WriteNew makes a file that is not there yet, and its folders, and says so.
func (p *Program) WriteNew(path string, text []byte, mode os.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if _, err := os.Lstat(path); err == nil {
		return fmt.Errorf("%s: exists already; change it, or remove it first", path)
	}
	err := outfile.Write(path, "", false, func(w io.Writer) error { // half of it would be taken for all
		_, err := w.Write(text)
		return errors.Join(err, w.(*newfile.File).Chmod(mode))
	})
	if err != nil {
		return err
	}
	p.Printf("%s: written\n", terminal.Printable(path))
	return nil
}
