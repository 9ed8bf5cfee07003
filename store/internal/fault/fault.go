// Package fault has the errors of a database file. Guard turns faults and panics caused by
// a damaged page into an Error. Other functions reword the errors of bbolt, of the system
// and of the locks.
package fault

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"

	berrors "go.etcd.io/bbolt/errors"

	"github.com/polya-classifier/polya/store/internal/lock"
)

// The package store has the same errors, and says when they are returned.
var (
	ErrNotPolya = errors.New("not a polya database")
	ErrEmpty    = errors.New("the file is empty, nothing was learned yet")
	ErrNoLock   = errors.New("the file system cannot lock the file against other processes; put the database on a local disk")
	ErrInUse    = errors.New("database is in use (by a training, a dump or backup that is under way, or a program with polya inside, perhaps this one); stop that or try again")
	ErrReadOnly = errors.New("database is read-only")
	ErrClosed   = errors.New("database is closed")
	ErrReplaced = errors.New("another file has taken the place of the database while it was open, or it was removed; nothing more is learned: open it again")
)

// ErrNotExist is fs.ErrNotExist for a database.
var ErrNotExist error = notExist{}

type notExist struct{}

func (notExist) Error() string { return "no such database" }

func (notExist) Unwrap() error { return fs.ErrNotExist }

// Bolt puts bbolt's errors into our words.
func Bolt(err error) error {
	switch {
	case errors.Is(err, berrors.ErrTimeout), errors.Is(err, lock.ErrTimeout):
		return ErrInUse
	case errors.Is(err, berrors.ErrDatabaseReadOnly), errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return fmt.Errorf("%w: %w", ErrReadOnly, Plain(err))
	case errors.Is(err, berrors.ErrInvalid), errors.Is(err, berrors.ErrVersionMismatch), errors.Is(err, berrors.ErrChecksum), errors.Is(err, berrors.ErrInvalidMapping):
		return &Error{What: "start of the file", Err: err}
	case errors.Is(err, berrors.ErrDatabaseNotOpen):
		return ErrClosed
	}
	return Plain(err)
}

// Plain removes the paths from an error of the system: the caller names them.
func Plain(err error) error {
	if p, is := errors.AsType[*fs.PathError](err); is {
		err = p.Err
	}
	if l, is := errors.AsType[*os.LinkError](err); is {
		return l.Err
	}
	return err
}

// WithoutPath removes path, which the caller names, from an error text of bbolt.
func WithoutPath(err error, path string) error {
	text := err.Error()
	if short := strings.ReplaceAll(text, " "+path+":", ":"); errors.Unwrap(err) == nil && short != text {
		return errors.New(short)
	}
	return err
}

// Lock says what to do where bbolt's flock is refused.
func Lock(err error) error {
	for _, e := range []error{syscall.ENOLCK, syscall.EOPNOTSUPP, syscall.ENOSYS} {
		if errors.Is(err, e) {
			return fmt.Errorf("%w: %w", ErrNoLock, err)
		}
	}
	return err
}

// Advise says what to do about a disk that is full or fails.
func Advise(err error) error {
	switch {
	case err == nil:
		return nil
	case is(err, syscall.EFBIG):
		return fmt.Errorf("%w; the process or the disk allows no larger file: raise the limit, or use another disk", err)
	case Full(err):
		return fmt.Errorf("%w; free some space on the disk and try again", err)
	case is(err, syscall.ENOMEM):
		return fmt.Errorf("%w; the process may have too little address space for the file: raise its limit", err)
	case is(err, syscall.EIO):
		return fmt.Errorf("%w; the disk fails: look into the system's log, and copy the database to another", err)
	}
	return err
}

// Full returns whether err says that there is no space for what was written.
func Full(err error) bool {
	return is(err, syscall.ENOSPC) || is(err, syscall.EDQUOT) || is(err, syscall.EFBIG)
}

// is returns whether err is or wraps e. bbolt gives some of the system's errors as text alone.
func is(err error, e syscall.Errno) bool {
	return errors.Is(err, e) || strings.HasSuffix(err.Error(), e.Error())
}

// Error is returned when part of a database is damaged.
type Error struct {
	What string // the record or table, "log record 17" or "count table 3fff…"
	Err  error  // what is wrong with it, may be nil
}

// Error says what is damaged.
func (e *Error) Error() string {
	if e.Err == nil {
		return e.What + " is damaged"
	}
	return fmt.Sprintf("%s is damaged: %v", e.What, e.Err)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Page returns the error of a damaged page, nil if err is nil.
func Page(err error) error {
	if err == nil {
		return nil
	}
	return &Error{What: "page of the file", Err: err}
}

// unmapped is the text of bbolt's panic after it could not map a file that had grown,
// which is not damage.
const unmapped = "database file isn't correctly mapped"

var errUnmapped = errors.New("too little memory or address space to map the file")

// Guard turns the effects of a damaged file into an error until the function that it
// returns is called: a fault while reading the mapping (an unreadable page, a file
// truncated while mapped), and a panic of bbolt on an invalid page. Any other panic
// continues. path, which may be empty, is put before the error. Every call that touches
// the file begins with
//
//	defer fault.Guard(&err, path)()
func Guard(err *error, path string) (end func()) {
	old := debug.SetPanicOnFault(true)
	return func() {
		debug.SetPanicOnFault(old)
		r := recover()
		if r == nil {
			return
		}
		if _, fault := r.(interface{ Addr() uintptr }); !fault && !panickedIn("go.etcd.io/bbolt") {
			panic(r)
		}
		*err = damaged(r)
		if path != "" {
			*err = fmt.Errorf("%s: %w", path, *err)
		}
	}
}

// damaged returns the error for the value of a panic.
func damaged(r any) error {
	if strings.Contains(fmt.Sprint(r), unmapped) {
		return errUnmapped
	}
	found := &Error{What: "page of the file"}
	if _, ok := r.(runtime.Error); !ok { // Go's words for it say nothing of the file
		found.Err = fmt.Errorf("%.150s", fmt.Sprint(r))
	}
	return found
}

// panickedIn returns whether the panic being recovered, or one that somebody recovered and
// repeated, began in that module.
func panickedIn(module string) bool {
	var pcs [32]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	for panicking := false; ; {
		frame, more := frames.Next()
		switch {
		case frame.Function == "runtime.gopanic":
			panicking = true
		case panicking && !strings.HasPrefix(frame.Function, "runtime."):
			if strings.HasPrefix(frame.Function, module) {
				return true
			}
			panicking = false // it may have recovered a panic that began further down
		}
		if !more {
			return false
		}
	}
}
