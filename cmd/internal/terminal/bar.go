package terminal

import (
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/term"
)

// redrawn is the interval of redrawing a bar, short enough to show movement.
const redrawn = 150 * time.Millisecond

const barWidth = 30

// worthABar is the least work, in bytes, that is long enough for a bar.
const worthABar = 2 << 20

// Bar shows progress in the last line of a terminal. A nil bar shows nothing.
type Bar struct {
	out   io.Writer
	width int // of the terminal, in columns
	name  string
	total int64 // 0 if nobody knows
	bytes bool  // total counts bytes

	count atomic.Int64
	doing atomic.Pointer[string] // current work that the count does not show

	began time.Time
	drawn int // columns that the last drawing took
	turns int
	stop  chan struct{}
	gone  chan struct{}
	once  sync.Once
}

func (b *Bar) start() *Bar {
	b.began, b.stop, b.gone = time.Now(), make(chan struct{}), make(chan struct{})
	b.draw(b.line())
	go func() {
		defer close(b.gone)
		ticker := time.NewTicker(redrawn)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				b.draw(b.line())
			case <-b.stop:
				b.draw("")
				io.WriteString(b.out, "\r")
				return
			}
		}
	}()
	return b
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
	if b.total == 0 {
		b.turns++
		return b.name + " " + string(`|/-\`[b.turns%4])
	}
	done := min(b.count.Load(), b.total)
	part := float64(done) / float64(b.total)
	full := int(part * barWidth)
	drawing := "[" + strings.Repeat("=", full) + strings.Repeat("-", barWidth-full) + "]"
	if !b.bytes {
		return fmt.Sprintf("%s %d / %d %s", b.name, done, b.total, drawing)
	}
	return fmt.Sprintf("%s / %s %s %.0f %% %s", mebibytes(done), mebibytes(b.total), drawing, 100*part, b.rest(part))
}

// rest returns the current work beside the count, or the estimated time left when part is
// done.
func (b *Bar) rest(part float64) string {
	doing := b.doing.Load()
	if doing == nil && part == 1 {
		doing = &finishing
	}
	if doing != nil {
		b.turns++
		return *doing + " " + string(`|/-\`[b.turns%4])
	}
	if part == 0 {
		return ""
	}
	passed := time.Since(b.began).Seconds()
	return (time.Duration(math.Ceil(passed*(1/part-1))) * time.Second).String()
}

// finishing is the default name of the work after everything was read.
var finishing = "finishing"

// While shows the name of current work until end is called: documents are learned in
// large steps, which can take longer than reading.
func (b *Bar) While(doing string) (end func()) {
	if b == nil {
		return func() {}
	}
	b.doing.Store(&doing)
	return func() { b.doing.Store(nil) }
}

func mebibytes(n int64) string { return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20)) }

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
	if b != nil {
		b.once.Do(func() { close(b.stop) })
		<-b.gone
	}
}

// NewByteBar returns a bar for so many bytes, nil without a terminal or for little work.
func (s *Streams) NewByteBar(total int64) *Bar {
	if !s.waits(total) {
		return nil
	}
	return s.StartBar("", total, true)
}

// NewWait returns a bar for work of unknown progress on a database of so many bytes.
func (s *Streams) NewWait(doing string, size int64) *Bar {
	if !s.waits(size) {
		return nil
	}
	return s.StartBar(doing, 0, false)
}

// NewFileWait returns a bar for work on the file at path, as NewWait does.
func (s *Streams) NewFileWait(doing, path string) *Bar {
	info, err := os.Stat(path)
	if err != nil {
		return nil
	}
	return s.NewWait(doing, info.Size())
}

// waits reports whether work on so many bytes is worth a bar, and there is a terminal.
func (s *Streams) waits(bytes int64) bool {
	return !s.Quiet && bytes >= worthABar && IsTerminal(s.Stderr)
}

// StartBar draws a bar on standard error, a terminal. A terminal of unknown width, such
// as one that another program records, gets the usual width.
func (s *Streams) StartBar(name string, total int64, bytes bool) *Bar {
	b := &Bar{out: s.Stderr, width: 80, name: name, total: total, bytes: bytes}
	if f, ok := s.Stderr.(*os.File); ok {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
			b.width = width
		}
	}
	return b.start()
}

// IsTerminal reports whether stream, one of the three standard ones, is a terminal.
func IsTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
