package file

import (
	"sync"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/polya-classifier/polya/store/internal/fault"
)

// readers counts the snapshots of one open file by their position.
type readers struct {
	mu     sync.Mutex
	active map[uint64]int
	none   func() // called when the last has ended, unless it is nil
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
	if len(r.active) == 0 && r.none != nil {
		r.none()
		r.none = nil
	}
}

// wait waits, no longer than patience, until nobody reads, and reports whether that is so. One
// goroutine at a time may wait.
func (r *readers) wait(patience time.Duration) bool {
	r.mu.Lock()
	if len(r.active) == 0 {
		r.mu.Unlock()
		return true
	}
	none := make(chan struct{})
	r.none = func() { close(none) }
	r.mu.Unlock()
	select {
	case <-none:
		return true
	case <-time.After(patience):
		return false
	}
}

// retire calls close, which closes the file, when nobody reads it any more: now, and
// returns its error, or when the last reader ends. Nobody may begin after that.
func (r *readers) retire(close func() error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.active) > 0 {
		r.none = func() { _ = close() }
		return errReaders
	}
	return close()
}

// Oldest returns the lowest position that a reader sees, at most position.
func (f *File) Oldest(position uint64) uint64 {
	f.readers.mu.Lock()
	defer f.readers.mu.Unlock()
	for p := range f.readers.active {
		position = min(position, p)
	}
	return position
}

// Idle returns whether nobody reads.
func (f *File) Idle() bool {
	f.readers.mu.Lock()
	defer f.readers.mu.Unlock()
	return len(f.readers.active) == 0
}

// Begin begins a read transaction, and counts a reader at the transaction's position in
// the log. Until that is known the reader is at position 0. End ends both.
func (f *File) Begin(at func(*bolt.Tx) uint64) (tx *bolt.Tx, position uint64, err error) {
	f.readers.begin(0)
	defer f.readers.end(0)
	if tx, err = f.begin(false); err != nil {
		return nil, 0, err
	}
	known := false
	defer func() {
		if !known {
			tx.Rollback() // after a panic on a damaged page
		}
	}()
	position = at(tx)
	known = true
	f.readers.begin(position)
	return tx, position, nil
}

// End ends what Begin began.
func (f *File) End(tx *bolt.Tx, position uint64) {
	tx.Rollback()
	f.readers.end(position)
}

// begin begins a transaction. If bbolt panics in it, because the meta pages are gone (the
// file was truncated while open), it keeps the locks that every transaction takes: later
// ones return an error instead of waiting for ever.
func (f *File) begin(writable bool) (tx *bolt.Tx, err error) {
	if f.lost.Load() {
		return nil, &fault.Error{What: "start of the file"}
	}
	returned := false
	defer func() {
		if !returned {
			f.lost.Store(true)
		}
	}()
	tx, err = f.bolt.Begin(writable)
	returned = true
	return tx, fault.Bolt(err)
}

// View runs read in a read transaction.
func (f *File) View(read func(*bolt.Tx) error) error {
	tx, err := f.begin(false)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	return read(tx)
}
