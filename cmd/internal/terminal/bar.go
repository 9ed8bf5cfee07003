package terminal

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/term"
)

// redrawn is the interval of redrawing a bar.
const redrawn = 250 * time.Millisecond

// Bar shows progress in the last line of a terminal: what is done, how much of it, and for how
// long. A nil bar shows nothing.
type Bar struct {
	doing string
	total int64 // 0 if nobody knows
	began time.Time
	count atomic.Int64
	stop  func() // removes it
}

// StartBar draws a bar for so many steps, 0 if nobody knows, on standard error; nil without a terminal,
// and if s is quiet. A terminal of unknown width, such as one that another program records, gets the usual width.
func (s *Streams) StartBar(doing string, total int64) *Bar {
	if s.Quiet || !IsTerminal(s.Stderr) {
		return nil
	}
	columns, _, err := term.GetSize(int(s.Stderr.(*os.File).Fd()))
	if err != nil || columns <= 0 {
		columns = 80
	}
	b := &Bar{doing: doing, total: total, began: time.Now()}
	stop, gone, drawn := make(chan struct{}), make(chan struct{}), 0
	draw := func(line string) { // over blanks: not every terminal can erase
		line = Truncate(line, columns-1, "")
		width := Width(line)
		io.WriteString(s.Stderr, "\r"+line+strings.Repeat(" ", max(drawn-width, 0)))
		drawn = width
	}
	go func() {
		defer close(gone)
		tick := time.Tick(redrawn)
		for {
			draw(b.line())
			select {
			case <-tick:
			case <-stop:
				draw("")
				io.WriteString(s.Stderr, "\r")
				return
			}
		}
	}()
	b.stop = sync.OnceFunc(func() { close(stop); <-gone })
	return b
}

func (b *Bar) line() string {
	var parts []string
	if b.doing != "" {
		parts = append(parts, b.doing)
	}
	if b.total > 0 {
		parts = append(parts, fmt.Sprintf("%d %%", 100*min(b.count.Load(), b.total)/b.total))
	}
	return strings.Join(append(parts, time.Since(b.began).Truncate(time.Second).String()), ", ")
}

// Write implements io.Writer: it counts the bytes of a copy.
func (b *Bar) Write(data []byte) (int, error) {
	b.Add(len(data))
	return len(data), nil
}

// Add counts n more of the total as done.
func (b *Bar) Add(n int) {
	if b != nil {
		b.count.Add(int64(n))
	}
}

// Done removes the bar. A second call does nothing.
func (b *Bar) Done() {
	if b != nil {
		b.stop()
	}
}

// IsTerminal reports whether stream, one of the three standard ones, is a terminal.
func IsTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
