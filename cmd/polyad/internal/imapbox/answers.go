package imapbox

import (
	"fmt"
	"sync"
)

// Limits on what a server sends during one call.
const (
	// maxAnswers is in bytes, without the message that was asked for: the dates of 900,000 new messages have as many.
	maxAnswers = 64 << 20
	// maxOpen is the number of parentheses left open, each a call of the decoder within another. It leaves some
	// for text, and for the first 4 KiB of a message, which are read before it is known to be one.
	maxOpen = 10_000
)

// answers fails when a server has sent too much. It is the client's DebugWriter, which sees the
// text below TLS, and commands too.
type answers struct {
	mu                     sync.Mutex
	bytes, open, unchecked int
	err                    error // what Write returned first
}

// Write counts what was read.
func (a *answers) Write(p []byte) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	unchecked := min(a.unchecked, len(p))
	a.unchecked -= unchecked
	a.bytes += len(p) - unchecked
	for _, c := range p[unchecked:] {
		switch {
		case c == ')' && a.open > 0:
			a.open--
		case c == '(' && a.open <= maxOpen:
			a.open++
		}
	}
	if a.err == nil && a.bytes > maxAnswers {
		a.err = fmt.Errorf("the server sends more than %d MiB for one question", maxAnswers>>20)
	}
	if a.err == nil && a.open > maxOpen {
		a.err = fmt.Errorf("the server sends more than %d parentheses within each other", maxOpen)
	}
	if a.err != nil {
		return 0, a.err // none of p, or the decoder would go on with it
	}
	return len(p), nil
}

// expect begins to count anew, after so many bytes of a message.
func (a *answers) expect(message int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.bytes, a.open, a.unchecked = 0, 0, message
}

// failed returns the error of what was too much.
func (a *answers) failed() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.err
}
