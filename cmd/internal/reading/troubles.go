package reading

import (
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/polya-classifier/polya/cmd/internal/terminal"
)

// Troubles are errors that did not stop a command.
type Troubles []error

// Error implements error.
func (t Troubles) Error() string { return errors.Join(t...).Error() }

// Unwrap lets errors.Is and errors.As look at each.
func (t Troubles) Unwrap() []error { return t }

// OrNil returns the troubles as an error, nil if there are none.
func (t Troubles) OrNil() error {
	if len(t) == 0 {
		return nil
	}
	return t
}

// maxFew is the number of lines of a kind that are printed: each file of a folder, or each row of a
// table, may cause one.
const maxFew = 10

// few has the first lines of a kind.
type few struct {
	lines []string
	more  int
}

func (f *few) add(line string) {
	if len(f.lines) < maxFew {
		f.lines = append(f.lines, line)
	} else {
		f.more++
	}
}

func (f *few) count() int { return len(f.lines) + f.more }

// all returns the lines, and how many more there were.
func (f *few) all() []string {
	if f.more == 0 {
		return f.lines
	}
	return append(f.lines, fmt.Sprintf("and %s more like these", terminal.Grouped(f.more)))
}

// Crash is a panic and where it happened, on its way from its goroutine to main.
type Crash struct {
	Value any
	Stack []byte
}

// Catch calls work and returns the panic in it, nil if there was none. A panic with a
// *Crash, which another goroutine has caught, keeps the stack of that goroutine.
func Catch(work func()) (c *Crash) {
	defer func() {
		switch value := recover().(type) {
		case nil:
		case *Crash:
			c = value
		default:
			c = &Crash{value, debug.Stack()}
		}
	}()
	work()
	return nil
}
