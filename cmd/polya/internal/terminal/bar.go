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

	"github.com/mattn/go-runewidth"
	"golang.org/x/term"
)

// redrawn is how often a bar is drawn anew: often enough to be seen moving.
const redrawn = 150 * time.Millisecond

const barWidth = 30

// worthABar is the least work, in bytes, that is long enough for a bar.
const worthABar = 2 << 20

// Bar shows in the last line of a terminal how much has been done. A nil bar shows
// nothing.
type Bar struct {
	out   io.Writer
	width int // of the terminal, in columns
	name  string
	total int64 // 0 if nobody knows
	bytes bool  // whether that is bytes

	count atomic.Int64
	doing atomic.Pointer[string] // what is done meanwhile that the count does not show

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

// draw replaces what stands in the line. Not every terminal knows how to erase, but
// all know blanks.
func (b *Bar) draw(line string) {
	line = runewidth.Truncate(line, b.width-1, "")
	width := runewidth.StringWidth(line)
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

// rest says what is done beside what the bar counts, of which part is done, or how
// long that will still take.
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

// finishing is what is done when everything is read, unless something else is said.
var finishing = "finishing"

// While shows what is done until the function that it returns is called: what was read
// is learned in large steps, which can take longer than reading.
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

// Add says that n more of the total are done.
func (b *Bar) Add(n int) {
	if b != nil {
		b.count.Add(int64(n))
	}
}

// Size is how much there is to do, 0 if nobody knows or looks.
func (b *Bar) Size() int64 {
	if b == nil {
		return 0
	}
	return b.total
}

// Done takes the bar away. A second call does nothing.
func (b *Bar) Done() {
	if b != nil {
		b.once.Do(func() { close(b.stop) })
		<-b.gone
	}
}

// NewByteBar returns a bar for so many bytes, nil where nobody looks or there is
// nothing to wait for.
func (s *Streams) NewByteBar(total int64) *Bar {
	if !s.waits(total) {
		return nil
	}
	return s.StartBar("", total, true)
}

// NewWait returns a bar for work on a database of so many bytes of which nobody
// knows how far it is.
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

// waits reports whether work on so many bytes is to be waited for by somebody who looks.
func (s *Streams) waits(bytes int64) bool {
	return !s.Quiet && bytes >= worthABar && IsTerminal(s.Stderr)
}

// StartBar draws a bar on standard error, a terminal. One that does not know its
// width, such as one that another program records, is taken to have the usual one.
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
