package main

import (
	"fmt"
	"runtime/debug"
)

// crash is a fault of ours in a goroutine that worked on a document.
type crash struct {
	value any
	stack []byte
}

// caught calls work and returns the panic in it, nil if there was none.
func caught(work func()) (c *crash) {
	defer func() {
		switch value := recover().(type) {
		case nil:
		case *crash: // from a goroutine, with the stack of that
			c = value
		default:
			c = &crash{value, debug.Stack()}
		}
	}()
	work()
	return nil
}

// crashed reports a fault of ours. Left to the runtime it would end the process
// with exit code 2 and a trace of every goroutine.
func (p *program) crashed(c *crash) int {
	fmt.Fprintf(p.Stderr, "polya: fault of the program, please report it: %v\n%s", c.value, c.stack)
	return exitTrouble
}
