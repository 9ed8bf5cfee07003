package terminal

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/term"
)

// redrawn is the interval of redrawing a bar.
const redrawn = 250 * time.Millisecond

// worthABar is the least work, in bytes, that is long enough for a bar.
const worthABar = 2 << 20

// Bar shows progress in the last line of a terminal: what is done, how much of it, and for how
// long. A nil bar shows nothing.
type Bar struct {
	out   io.Writer
	width int // of the terminal, in columns
	name  string
	total int64 // 0 if nobody knows
	bytes bool  // total counts bytes

	count atomic.Int64

	began time.Time
	drawn int // columns that the last drawing took
	stop  chan struct{}
	gone  chan struct{} // nil once it is removed
}

func (b *Bar) run() {
	defer close(b.gone)
	ticker := time.NewTicker(redrawn)
	defer ticker.Stop()
	for b.draw(b.line()); ; {
		select {
		case <-ticker.C:
			b.draw(b.line())
		case <-b.stop:
			b.draw("")
			io.WriteString(b.out, "\r")
			return
		}
	}
}

// draw replaces the text of the line. It overwrites with blanks, since not every terminal
// can erase.
func (b *Bar) draw(line string) {
	line = Truncate(line, b.width-1, "")
	width := Width(line)
	io.WriteString(b.out, "\r"+line+strings.Repeat(" ", max(b.drawn-width, 0)))
	b.drawn = width
}

func (b *Bar) line() string {
	parts := []string{}
	if b.name != "" {
		parts = append(parts, b.name)
	}
	if done := min(b.count.Load(), b.total); b.bytes {
		parts = append(parts, fmt.Sprintf("%d %% of %.1f MiB", 100*done/b.total, float64(b.total)/(1<<20)))
	} else if b.total > 0 {
		parts = append(parts, fmt.Sprintf("%d / %d", done, b.total))
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

// Size returns the total, 0 if it is unknown or the bar is nil.
func (b *Bar) Size() int64 {
	if b == nil {
		return 0
	}
	return b.total
}

// Done removes the bar. A second call does nothing.
func (b *Bar) Done() {
	if b != nil && b.gone != nil {
		close(b.stop)
		<-b.gone
		b.gone = nil
	}
}

// NewByteBar returns a bar for so many bytes, nil without a terminal or for little work.
func (s *Streams) NewByteBar(total int64) *Bar { return s.worthwhile(total, "", total) }

// NewWait returns a bar for work of unknown progress on a database of so many bytes.
func (s *Streams) NewWait(doing string, size int64) *Bar { return s.worthwhile(size, doing, 0) }

// NewFileWait returns a bar for work on the file at path, as NewWait does.
func (s *Streams) NewFileWait(doing, path string) *Bar {
	info, err := os.Stat(path)
	if err != nil {
		return nil
	}
	return s.NewWait(doing, info.Size())
}

// worthwhile starts a bar if work on so many bytes is worth one, and there is a terminal.
func (s *Streams) worthwhile(bytes int64, name string, total int64) *Bar {
	if s.Quiet || bytes < worthABar || !IsTerminal(s.Stderr) {
		return nil
	}
	return s.StartBar(name, total, total > 0)
}

// StartBar draws a bar on standard error, a terminal. A terminal of unknown width, such
// as one that another program records, gets the usual width.
func (s *Streams) StartBar(name string, total int64, bytes bool) *Bar {
	b := &Bar{out: s.Stderr, width: 80, name: name, total: total, bytes: bytes, began: time.Now(), stop: make(chan struct{}), gone: make(chan struct{})}
	if f, ok := s.Stderr.(*os.File); ok {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
			b.width = width
		}
	}
	go b.run()
	return b
}

// IsTerminal reports whether stream, one of the three standard ones, is a terminal.
func IsTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
