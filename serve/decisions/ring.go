package decisions

import (
	"bytes"
	"cmp"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/internal/newfile"
	"github.com/polya-classifier/polya/serve/backend"
)

// Options say how much is kept. The zero value suits a server with a hundred users.
type Options struct {
	// Size is the number of bytes that both files together take at most; 0 is 64 MiB,
	// some 30,000 messages.
	Size int64

	// Retention is how long a decision can be found; 0 is 14 days. While the daemon runs, it
	// is gone from the disk after one and a half times as long.
	Retention time.Duration

	// Message is the number of bytes kept of each message as received, beside its counts; 0
	// keeps none.
	Message int

	// Log receives reports of damage and failed writes; nil logs nothing.
	Log *slog.Logger
}

// waiting is the number of decisions that may wait to be written, and waitingTerms the number
// of their distinct terms, some 50 bytes each; decisions beyond either limit are not kept.
const (
	waiting      = 256
	waitingTerms = 1 << 20
)

// Ring keeps decisions. Its methods may be called from many goroutines.
type Ring struct {
	path    string
	options Options

	queue   chan entry
	stop    chan struct{} // closed by Close
	ended   chan struct{} // closed when all waiting entries are written
	dropped atomic.Int64
	terms   atomic.Int64 // distinct terms of waiting entries

	mu     sync.Mutex // never held while something is read or written
	closed bool

	naming sync.RWMutex // held to give files other names, and to read them while they have theirs
	turns  int          // how often that was done; guarded by naming
	index  index

	// The goroutine that writes has these.
	file   *os.File // nil if it cannot be written
	size   int64
	first  time.Time // of its oldest record
	failed time.Time // when it could not be written
}

// entry waits in the queue: a decision to write, or a channel to close when all before are written.
type entry struct {
	decision backend.Decision
	doc      classify.Document
	message  []byte // nil if it is not kept
	written  chan struct{}
}

// Open returns the ring whose file has that path. Damaged records are dropped and logged.
// While the file cannot be written nothing is kept, and opening it is tried again.
func Open(path string, o Options) *Ring {
	o.Size, o.Retention = cmp.Or(max(o.Size, 0), 64<<20), cmp.Or(max(o.Retention, 0), 14*24*time.Hour)
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	r := &Ring{path: path, options: o, queue: make(chan entry, waiting), stop: make(chan struct{}), ended: make(chan struct{})}
	r.open()
	r.expire()
	go r.work()
	return r
}

func (r *Ring) old() string { return r.path + ".old" }

// Add keeps a decision, the counts of its message, and as much of the message as the Options
// say. It never waits: it drops decisions that come faster than they can be written. The
// document must not be changed afterwards.
func (r *Ring) Add(d backend.Decision, doc classify.Document, message []byte) {
	e := entry{decision: d, doc: doc}
	if n := min(len(message), r.options.Message); n > 0 {
		e.message = bytes.Clone(message[:n])
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return
	}
	n := int64(doc.Bag.Len())
	if all := r.terms.Add(n); all == n || all <= waitingTerms {
		select {
		case r.queue <- e:
			return
		default:
		}
	}
	r.terms.Add(-n)
	r.dropped.Add(1)
}

// Dropped is the number of decisions that were not kept because too many came at once.
func (r *Ring) Dropped() int64 { return r.dropped.Load() }

// Close writes the waiting entries and closes the file.
func (r *Ring) Close() {
	r.mu.Lock()
	if !r.closed {
		r.closed = true
		close(r.stop)
	}
	r.mu.Unlock()
	<-r.ended
}

func (r *Ring) work() {
	defer close(r.ended)
	hourly := time.NewTicker(time.Hour)
	defer hourly.Stop()
	for {
		select {
		case e := <-r.queue:
			r.write(&e)
		case <-hourly.C:
			r.expire()
		case <-r.stop:
			for {
				select {
				case e := <-r.queue:
					r.write(&e)
				default:
					if r.file != nil {
						r.file.Close()
					}
					return
				}
			}
		}
	}
}

func (r *Ring) write(e *entry) {
	if e.written != nil {
		close(e.written)
		return
	}
	defer r.terms.Add(-int64(e.doc.Bag.Len()))
	record, err := encode(e)
	if err != nil {
		r.options.Log.Warn("decision is not kept", "error", err)
		return
	}
	if r.file == nil {
		if time.Since(r.failed) < time.Minute {
			return
		}
		r.naming.Lock()
		r.turns++
		r.open()
		r.naming.Unlock()
		if r.file == nil {
			return
		}
	}
	if r.size > int64(len(magic)) && (r.size+int64(len(record)) > r.options.Size/2 || time.Since(r.first) > r.options.Retention/2) {
		r.turn()
		if r.file == nil {
			return
		}
	}
	if r.size == int64(len(magic)) {
		r.first = e.decision.Time
	}
	if _, err := r.file.Write(record); err != nil {
		r.fail(err)
		return
	}
	r.size += int64(len(record))
}

// fail gives the file up for a minute.
func (r *Ring) fail(err error) {
	r.options.Log.Warn("decisions are not kept", "path", r.path, "error", err)
	r.failed = time.Now()
	if r.file != nil {
		r.file.Close()
		r.file = nil
	}
}

// turn renames the file to the old one, and begins a new file.
func (r *Ring) turn() {
	r.naming.Lock()
	defer r.naming.Unlock()
	r.turns++
	r.file.Close()
	r.file = nil
	if err := os.Rename(r.path, r.old()); err != nil {
		r.fail(err)
		return
	}
	r.open()
}

// open opens the file for writing behind its last sound record.
func (r *Ring) open() {
	end, err := scan(r.path, 0, func(_ int64, body []byte) error {
		if r.first.IsZero() {
			if d, err := decode(body); err == nil {
				r.first = d.Time
			}
		}
		return nil
	})
	switch {
	case errors.Is(err, errDamaged) && end == 0:
		r.options.Log.Warn("decisions are damaged; starting a new file", "path", r.path)
	case errors.Is(err, errDamaged):
		r.options.Log.Warn("the last decisions are damaged and dropped", "path", r.path)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		r.fail(err)
		return
	}
	file, err := newfile.OpenOwn(r.path, true)
	if err != nil {
		r.fail(err)
		return
	}
	if err = errors.Join(file.Chmod(0o600), file.Truncate(end)); err == nil {
		_, err = file.Seek(end, 0)
	}
	if err == nil && end == 0 {
		_, err = file.WriteString(magic)
		end = int64(len(magic))
	}
	r.file, r.size = file, end
	if err != nil {
		r.fail(err)
	}
}

func (r *Ring) expire() {
	if info, err := os.Stat(r.old()); err == nil && time.Since(info.ModTime()) > r.options.Retention {
		r.naming.Lock()
		r.turns++
		os.Remove(r.old())
		r.naming.Unlock()
	}
	if r.file != nil && r.size > int64(len(magic)) && time.Since(r.first) > r.options.Retention/2 {
		r.turn()
	}
}
