package store

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	bolt "go.etcd.io/bbolt"
)

// recoverFault turns what a damaged file does to a program into an error: a
// fault while reading the mapping (a page that the disk cannot give, a file cut
// short under us), or a panic of bbolt on a page that is not one. Any other
// panic goes on. path, which may be empty, goes before the error. It is deferred
// by every call that touches the file, beside faultsPanic.
func recoverFault(err *error, path string) {
	r := recover()
	if r == nil {
		return
	}
	if _, fault := r.(interface{ Addr() uintptr }); fault || panickedIn("go.etcd.io/bbolt") {
		damage := &CorruptError{What: "page of the file"}
		if _, ok := r.(runtime.Error); !ok { // Go's words for it say nothing of the file
			damage.Err = fmt.Errorf("%.150s", fmt.Sprint(r))
		}
		*err = damage
		if path != "" {
			*err = fmt.Errorf("%s: %w", path, *err)
		}
		return
	}
	panic(r)
}

// panickedIn says whether the panic being recovered began in that module.
func panickedIn(module string) bool {
	var pcs [32]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	for panicking := false; ; {
		frame, more := frames.Next()
		switch {
		case frame.Function == "runtime.gopanic":
			panicking = true
		case panicking && !strings.HasPrefix(frame.Function, "runtime."):
			return strings.HasPrefix(frame.Function, module)
		}
		if !more {
			return false
		}
	}
}

// faultsPanic makes a fault in this goroutine a panic until the function that
// it returns is called.
//
//	defer faultsPanic()()
func faultsPanic() func() {
	old := debug.SetPanicOnFault(true)
	return func() { debug.SetPanicOnFault(old) }
}

// beginBolt begins a transaction of b. Where bbolt panics in that, because the pages
// of meta data are gone (the file was cut short under us), it keeps the locks with
// which all others begin: these are an error from then on, not to wait for ever.
func (db *DB) beginBolt(b *bolt.DB, writable bool) (tx *bolt.Tx, err error) {
	if db.lost.Load() {
		return nil, &CorruptError{What: "start of the file"}
	}
	returned := false
	defer func() {
		if !returned {
			db.lost.Store(true)
		}
	}()
	tx, err = b.Begin(writable)
	returned = true
	return tx, err
}

// viewBolt runs f in a read-only transaction of b.
func (db *DB) viewBolt(b *bolt.DB, f func(*bolt.Tx) error) error {
	tx, err := db.beginBolt(b, false)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	return f(tx)
}
