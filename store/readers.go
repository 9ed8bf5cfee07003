package store

import (
	"errors"
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

// wait waits, no longer than patience, until nobody reads, and says whether that is
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

// errReaders is returned by Close, and where a file can only be replaced when nobody
// reads it.
var errReaders = errors.New("somebody still reads the database; it is closed when they have ended")

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
