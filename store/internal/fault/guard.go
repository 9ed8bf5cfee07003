package fault

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
)

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
