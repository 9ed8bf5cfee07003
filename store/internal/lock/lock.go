// Package lock lets processes share the file of a database: many may read it, one may
// change it, and readers wait for the writer only while it commits.
//
// A file has four locks.
//
//	writer held by one process, from before it reads what it will change
//	turnstile passed by a new reader; shut by a writer that is about to commit
//	queue shared by processes that wait for the writer lock, so that its holder sees them
//	flock shared by all processes that have the file open, exclusive for a commit
//
// The flock on the whole file is bbolt's own, so that programs that do not know the other
// locks are safe: they have the file alone, or wait. The others are locks of an open file
// description on one byte each, far behind the end of the file. The system ends all of
// them with the process, puts waiting processes in a queue and wakes the next. Where it
// has no such locks, or not on that file system, the process that changes a file has it
// exclusively, and others poll; see Fair.
//
// A writer that wants to commit shuts the turnstile and then waits for the readers
// inside. So it does not starve however many readers arrive, and new readers wait no
// longer than the readers inside and a commit take. Long readers would keep all others
// out: therefore the turnstile is opened again from time to time.
package lock

import (
	"errors"
	"os"
	"time"
)

// ErrTimeout is returned when a lock could not be taken in time.
var ErrTimeout = errors.New("lock: timed out")

var errBusy = errors.New("lock: another has it")

const (
	// shutFor is how long the turnstile stays shut while readers are inside. Most
	// answer about one document, in milliseconds.
	shutFor = 250 * time.Millisecond

	// openFor is how long it is then open for waiting readers.
	openFor = 20 * time.Millisecond

	// pollLeast and pollMost bound the time between two attempts at a lock that is soon
	// free: the least for readers that are about to end, the most for programs that have the
	// file for long.
	pollLeast, pollMost = 200 * time.Microsecond, 10 * time.Millisecond
)

// Lock holds the locks that a process has on an open file. Closing the file frees them.
// It is not safe for concurrent use.
type Lock struct {
	File *os.File // whose lock it is
	Fair bool     // the system has locks on bytes, on this file system: others can read while this process has the right to write
	sole bool     // the flock is exclusive, and the turnstile shut
}

// Read waits, until deadline, for a moment in which nobody commits, and prevents commits
// until f is closed. f can be read and has no locks; it must be closed after an error.
func Read(f *os.File, deadline time.Time) (*Lock, error) {
	l := &Lock{File: f, Fair: supported(f)}
	if l.Fair {
		if err := waitByte(f, turnstile, false, deadline); err != nil {
			return nil, err
		}
		defer unlockByte(f, turnstile)
	}
	return l, l.flock(false, deadline)
}

// Write waits, until deadline, for the writer lock, and has the file alone when it
// returns: Share lets others read. f can be written and has no locks; it must be closed
// after an error.
func Write(f *os.File, deadline time.Time) (*Lock, error) {
	l := &Lock{File: f, Fair: supported(f)}
	if l.Fair {
		if err := waitInQueue(f, deadline); err != nil {
			return nil, err
		}
		return l, l.Exclude(deadline)
	}
	return l, l.flock(true, deadline)
}

func waitInQueue(f *os.File, deadline time.Time) error {
	if err := tryByte(f, writer, true); err != errBusy {
		return err
	}
	if tryByte(f, queue, false) == nil {
		defer unlockByte(f, queue)
	}
	return waitByte(f, writer, true, deadline)
}

// Leave frees all locks of a file that is no longer the database's: waiting processes notice that.
func (l *Lock) Leave() {
	if l.Fair {
		l.Share()
		unflock(l.File)
		unlockByte(l.File, writer)
	}
}

// Share lets others read until Exclude. It does nothing where they cannot.
func (l *Lock) Share() {
	if l.Fair && l.sole {
		l.share()
		unlockByte(l.File, turnstile)
	}
}

// share makes the flock shared. No program that knows the writer lock can take it
// meanwhile; one that does not is detected by what it writes.
func (l *Lock) share() {
	l.sole = false
	_ = flock(l.File, false)
}

// Exclude waits, until deadline, until all readers have ended, and keeps others out
// until Share. If that takes too long, they can read as before.
func (l *Lock) Exclude(deadline time.Time) error {
	if l.sole {
		return nil
	}
	for {
		// Readers hold the turnstile for microseconds, and nobody else wants it.
		err := poll(func() error { return tryByte(l.File, turnstile, true) }, deadline)
		if err != nil {
			return err
		}
		if err = l.flock(true, time.Now().Add(min(shutFor, time.Until(deadline)))); err == nil {
			return nil
		}
		l.share()
		unlockByte(l.File, turnstile)
		if err != ErrTimeout || time.Until(deadline) <= 0 {
			return err
		}
		time.Sleep(min(openFor, time.Until(deadline)))
	}
}

// Wanted reports whether somebody waits to commit.
func (l *Lock) Wanted() bool { return l.Fair && heldByte(l.File, turnstile, true) }

// Awaited reports whether somebody waits to be the writer.
func (l *Lock) Awaited() bool { return l.Fair && heldByte(l.File, queue, false) }

// flock takes bbolt's lock.
func (l *Lock) flock(alone bool, deadline time.Time) error {
	err := poll(func() error { return flock(l.File, alone) }, deadline)
	if err == nil && alone {
		l.sole = true
	}
	return err
}

// poll calls take until it does not return errBusy.
func poll(take func() error, deadline time.Time) error {
	for pause := pollLeast; ; pause = min(2*pause, pollMost) {
		if err := take(); err != errBusy {
			return err
		}
		left := time.Until(deadline)
		if left <= 0 {
			return ErrTimeout
		}
		time.Sleep(min(pause, left))
	}
}

// Claim takes a separate lock on the file at path, until release or the end of the
// process. It does not wait: ErrTimeout says that another process has it. Where there are
// no such locks every process gets it.
func Claim(path string) (release func(), err error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	if supported(f) && tryByte(f, claim, true) == errBusy {
		f.Close()
		return nil, ErrTimeout
	}
	return func() {
		unlockByte(f, claim) // a process that is being started may have the file too
		f.Close()
	}, nil
}
