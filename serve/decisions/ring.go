package decisions

import (
	"bytes"
	"cmp"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/polya-classifier/polya/serve/backend"
)

// Options say how much is kept. The zero value suits a server with a hundred users.
type Options struct {
	// Size is the number of bytes that both files together take at most; 0 is 64 MiB,
	// some 20,000 messages, which also take some 8 MB of memory to be found.
	Size int64

	// Retention is how long a decision can be found; 0 is 14 days. While the daemon runs, it
	// is gone from the disk after one and a half times as long.
	Retention time.Duration

	// Message is the number of bytes kept of each message as received; 0 keeps none.
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

// Ring keeps decisions. Its methods may be called from many goroutines. A nil Ring finds none.
type Ring struct {
	path    string
	options Options

	queue chan func() // what waits to be done with the files, nil for the end
	close sync.Once
	ended chan struct{} // closed when all that waited is done
	terms atomic.Int64  // distinct terms of waiting decisions

	mu    sync.RWMutex
	files [2]*file // the old one and the new one, each nil if it cannot be opened

	failed time.Time // when a decision could not be written; the goroutine that writes has it
}

// Open returns the ring whose file has that path. Damaged records are dropped and logged.
// While the file cannot be written nothing is kept, and opening it is tried again.
func Open(path string, o Options) *Ring {
	o.Size, o.Retention = cmp.Or(max(o.Size, 0), 64<<20), cmp.Or(max(o.Retention, 0), 14*24*time.Hour)
	o.Message, o.Log = max(o.Message, 0), cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	r := &Ring{path: path, options: o, queue: make(chan func(), waiting), ended: make(chan struct{})}
	go func() {
		r.mu.Lock()
		r.open()
		r.mu.Unlock()
		r.work()
	}()
	return r
}

// Add keeps a decision, its document, which must not be changed afterwards, and as much of the message as the
// Options say. It never waits: it drops decisions that come faster than they can be written.
func (r *Ring) Add(d Record) {
	d.Message = bytes.Clone(d.Message[:min(len(d.Message), r.options.Message)])
	n := int64(d.Doc.Bag.Len())
	if all := r.terms.Add(n); all == n || all <= waitingTerms {
		select {
		case r.queue <- func() { r.write(&d) }:
			return
		default:
		}
	}
	r.terms.Add(-n)
}

// Close writes the waiting decisions and closes the file. Add keeps nothing afterwards.
func (r *Ring) Close() {
	r.close.Do(func() { r.queue <- nil })
	<-r.ended
}

func (r *Ring) work() {
	defer close(r.ended)
	r.expire()
	again := time.Tick(max(time.Second, min(time.Hour, r.options.Retention/100)))
	for {
		select {
		case do := <-r.queue:
			if do == nil {
				r.shut()
				return
			}
			do()
		case <-again:
			r.expire()
		}
	}
}

func (r *Ring) write(d *Record) {
	defer r.terms.Add(-int64(d.Doc.Bag.Len()))
	record, err := encode(d)
	if err != nil {
		r.options.Log.Warn("decision is not kept", "error", err)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if time.Since(r.failed) < time.Minute {
		return
	}
	if r.files[1] == nil {
		r.open()
	}
	if f := r.files[1]; f != nil && f.list != nil && (f.size+int64(len(record)) > r.options.Size/2 || r.due(f)) {
		r.turn()
	}
	if f := r.files[1]; f != nil && time.Since(r.failed) > time.Minute && !f.repeats(d.Decision) {
		r.fail(f.add(d.Decision, record))
	}
}

// fail stops writing for a minute, unless err is nil.
func (r *Ring) fail(err error) {
	if err != nil {
		r.options.Log.Warn("decisions are not kept", "path", r.path, "error", err)
		r.failed = time.Now()
	}
}

// due reports whether a file has taken decisions for half of the retention. Times to come do not count: at the
// start of a machine that keeps no time its clock is behind, and nothing may be dropped for that.
func (r *Ring) due(f *file) bool { return time.Since(f.list[0].Time) > r.options.Retention/2 }

// turn renames the new file to the old one, and begins another. The caller holds mu.
func (r *Ring) turn() {
	r.shut()
	err := os.Rename(r.path, r.path+".old")
	r.open()
	r.fail(err)
}

// open opens the files. The caller holds mu.
func (r *Ring) open() {
	r.shut()
	for i, path := range []string{r.path + ".old", r.path} {
		f, dropped, err := openFile(path, i == 1)
		if dropped > 0 {
			r.options.Log.Warn("damaged decisions are dropped", "path", path, "bytes", dropped)
		}
		if r.files[i] = f; i == 1 {
			r.fail(err)
		}
	}
}

// drop forgets what was in a file that somebody has removed, which the open file still has.
func (r *Ring) drop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, path := range []string{r.path + ".old", r.path} {
		if _, err := os.Lstat(path); r.files[i] != nil && errors.Is(err, fs.ErrNotExist) {
			r.open()
			return
		}
	}
}

func (r *Ring) shut() {
	for _, f := range r.files {
		if f != nil {
			f.Close()
		}
	}
}

// expire removes the old file once its last decision can be found no more.
func (r *Ring) expire() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if f := r.files[0]; f != nil && (f.list == nil || time.Since(f.list[len(f.list)-1].Time) > r.options.Retention) {
		f.Close()
		os.Remove(r.path + ".old")
		r.files[0] = nil
	}
	if f := r.files[1]; f != nil && f.list != nil && r.due(f) {
		r.turn()
	}
}

// each calls f with the places of the decisions for a user, or for all if user is "", oldest first.
func (r *Ring) each(user string, f func(*place) error) error {
	if r == nil {
		return nil
	}
	r.settle()
	r.mu.RLock()
	defer r.mu.RUnlock()
	oldest := time.Now().Add(-r.options.Retention)
	for _, file := range r.files {
		if file == nil {
			continue
		}
		for i := range file.list {
			if p := &file.list[i]; p.Time.After(oldest) && (user == "" || p.User == user) {
				if err := f(p); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// settle waits until all decisions added before are written.
func (r *Ring) settle() {
	written := make(chan struct{})
	select {
	case r.queue <- func() { r.drop(); close(written) }:
	case <-r.ended:
	}
	select {
	case <-written:
	case <-r.ended:
	}
}

// Each calls f with the decisions for a user, or for all if user is "", that are wanted, oldest
// first. One that cannot be read any more is left out.
func (r *Ring) Each(user string, wanted func(*backend.Decision) bool, f func(*Record) error) error {
	return r.each(user, func(p *place) error {
		if !wanted(&p.Decision) {
			return nil
		}
		if body, err := p.in.record(p.at); err == nil {
			if d, err := decode(body); err == nil {
				return f(&d)
			}
		}
		return nil
	})
}

// List returns the last decisions for a user, or for all if that is "", the newest first; at most limit, if not 0.
func (r *Ring) List(user string, limit int) (list []backend.Decision) {
	_ = r.each(user, func(p *place) error {
		list = append(list, p.Decision)
		return nil
	})
	slices.Reverse(list)
	if limit > 0 {
		list = list[:min(limit, len(list))]
	}
	return list
}

// Find returns the id of the message that begins with id, in hexadecimal digits, of those answered for a
// user, or for anybody if user is "". The error is backend.ErrDecision or backend.ErrAmbiguous.
func (r *Ring) Find(user, id string) (found string, err error) {
	id = strings.ToLower(id)
	err = r.each(user, func(p *place) error {
		switch {
		case id == "" || !strings.HasPrefix(p.ID, id):
		case found != "" && found != p.ID:
			return backend.ErrAmbiguous
		default:
			found = p.ID
		}
		return nil
	})
	if err == nil && found == "" {
		err = backend.ErrDecision
	}
	return found, err
}
