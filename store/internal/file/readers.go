package file

import (
	"sync"
	"time"
)

// readers counts the snapshots of one open file by their position.
type readers struct {
	mu     sync.Mutex
	active map[uint64]int
	none   []chan struct{} // closed when the last has ended
	last   func()          // called then, may be nil
}

func (r *readers) begin(seq uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.active == nil {
		r.active = make(map[uint64]int)
	}
	r.active[seq]++
}

func (r *readers) end(seq uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.active[seq]--; r.active[seq] == 0 {
		delete(r.active, seq)
	}
	if len(r.active) > 0 {
		return
	}
	for _, c := range r.none {
		close(c)
	}
	r.none = nil
	if r.last != nil {
		r.last()
		r.last = nil
	}
}

// oldest is the lowest position in use, at most seq.
func (r *readers) oldest(seq uint64) uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	for s := range r.active {
		seq = min(seq, s)
	}
	return seq
}

// wait waits, no longer than patience, until nobody reads, and returns whether that is
// so.
func (r *readers) wait(patience time.Duration) bool {
	r.mu.Lock()
	if len(r.active) == 0 {
		r.mu.Unlock()
		return true
	}
	none := make(chan struct{})
	r.none = append(r.none, none)
	r.mu.Unlock()
	select {
	case <-none:
		return true
	case <-time.After(patience):
		return false
	}
}

// retire calls close, which closes the file that was read, when nobody reads it any
// more: now, and returns what that does, or when the last reader ends. Nobody may
// begin after that.
func (r *readers) retire(close func() error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.active) > 0 {
		r.last = func() { _ = close() }
		return errReaders
	}
	return close()
}

// idle returns whether nobody reads.
func (r *readers) idle() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.active) == 0
}

// Oldest is the lowest position that a reader sees, at most position.
func (f *File) Oldest(position uint64) uint64 { return f.readers.oldest(position) }

// Idle returns whether nobody reads.
func (f *File) Idle() bool { return f.readers.idle() }
