package fault

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
)

// unmapped is what bbolt panics with after it could not map a file that had grown, which is no
// damage.
const unmapped = "database file isn't correctly mapped"

var errUnmapped = errors.New("too little memory or address space to map the file")

// Guard makes an error of what a damaged file does to a program until the function that
// it returns is called: of a fault while reading the mapping (a page that the disk cannot
// give, a file cut short under us), and of a panic of bbolt on a page that is not one. Any
// other panic goes on. path, which may be empty, goes before the error. Every call that
// touches the file begins with
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

// damaged returns the error for what a panic said.
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

// panickedIn returns whether the panic being recovered began in that module.
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
