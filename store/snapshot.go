package store

import (
	"bytes"
	"fmt"
	"sync"

	bolt "go.etcd.io/bbolt"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/attributes"
	"github.com/polya-classifier/polya/store/internal/fault"
	"github.com/polya-classifier/polya/store/internal/file"
	"github.com/polya-classifier/polya/store/internal/layout"
	"github.com/polya-classifier/polya/store/internal/rows"
	"github.com/polya-classifier/polya/store/internal/table"
	"github.com/polya-classifier/polya/store/internal/totals"
)

// Snapshot reads the counts as of one moment, whatever is learned meanwhile, inside the
// function that View calls, and in one goroutine.
type Snapshot struct {
	db      *DB
	tx      layout.Tx
	seq     uint64
	totals  *totals.Totals
	overlay *rows.Overlay   // nil in a process that has looked only once
	recent  *layout.Recents // with the overlay
	looked  bool            // this snapshot has, and had none
	file    *file.File
	*scratch
}

// scratch is memory that snapshots reuse.
type scratch struct {
	look  layout.Lookup
	row   table.Row
	cells []count.Cell
	value attributes.Row
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// View calls f with a Snapshot of the database as it is now. Its data is invalid when f
// returns, unless f copies it. f may train, and does not see what was learned. However long f
// runs, no trainer waits for it, and it costs no more disk space than twice the size that the
// file had, or 256 MB.
func (db *DB) View(f func(*Snapshot) error) (err error) {
	defer fault.Guard(&err, db.path)()
	// Two look-ups suggest that the process is long-lived: a training asks once, before it learns.
	s, err := db.begin(db.looks.Load() > 1)
	if err != nil {
		return err
	}
	defer s.end()
	return f(s)
}

func (db *DB) begin(overlay bool) (*Snapshot, error) {
	for yielded := false; ; {
		db.mu.RLock()
		if db.file != nil && db.file.Hidden() {
			db.mu.RUnlock()
			// A failed transaction is undone before readers see it.
			if err := db.locked(func(f *file.File) error { _, err := f.Settle(); return err }); err != nil {
				return nil, err
			}
			continue
		}
		if !yielded && db.awaited() {
			db.mu.RUnlock()
			if err := db.releaseNow(false); err != nil {
				return nil, err
			}
			yielded = true
			continue
		}
		m := db.memory
		if db.closed {
			db.mu.RUnlock()
			return nil, fmt.Errorf("%s: %w", db.path, ErrClosed)
		}
		if m == nil || db.file == nil || (overlay && m.overlay == nil) {
			db.mu.RUnlock()
			if err := db.locked(func(*file.File) error { return db.rememberLocked(overlay) }); err != nil {
				return nil, err
			}
			continue
		}
		defer db.mu.RUnlock()
		return db.beginWith(m)
	}
}

func (db *DB) beginWith(m *memory) (*Snapshot, error) {
	f := db.file
	tx, seq, err := f.Begin(lastSeq)
	if err != nil {
		return nil, db.fail(err)
	}
	t := m.at(seq)
	if t == nil {
		f.End(tx, seq)
		return nil, db.fail(&CorruptError{What: "list of totals"})
	}
	return &Snapshot{db: db, tx: layout.Tx{Tx: tx}, seq: seq, totals: t, overlay: m.overlay, recent: m.recent, file: f, scratch: scratches.Get().(*scratch)}, nil
}

func lastSeq(tx *bolt.Tx) uint64 { return layout.Tx{Tx: tx}.LastSeq() }

func (s *Snapshot) end() {
	s.file.End(s.tx.Tx, s.seq)
	s.db.releaseLater()
	s.look.Forget()
	scratches.Put(s.scratch)
	s.scratch = nil
}

// rememberLocked makes the memory of the database, or its overlay. The caller holds db.commit.
func (db *DB) rememberLocked(overlay bool) error {
	f, err := db.opened()
	if err != nil {
		return err
	}
	db.mu.RLock()
	m := db.memory
	db.mu.RUnlock()
	if m != nil && (!overlay || m.overlay != nil) {
		return nil
	}
	err = f.View(func(tx *bolt.Tx) (err error) {
		m, err = db.load(f, layout.Tx{Tx: tx}, overlay)
		return err
	})
	if err != nil {
		return fault.Bolt(err)
	}
	db.mu.Lock()
	db.memory = m
	db.mu.Unlock()
	return nil
}

// Classes returns all classes in order of name; see count.ClassNamed. They may be kept.
func (s *Snapshot) Classes() []*count.Class { return s.totals.Classes }

// Documents returns the number of documents of all classes.
func (s *Snapshot) Documents() uint64 { return s.totals.Documents() }

// Vocabulary returns the number of distinct terms of all classes together.
func (s *Snapshot) Vocabulary() uint64 { return s.totals.Vocabulary }

// Position returns the position in the followed log of the last Delta applied, or 0.
func (s *Snapshot) Position() (uint64, error) {
	position, err := s.tx.Position()
	return position, s.db.fail(err)
}

// State returns a copy of the value that PutState stored under key, nil if there is none or it
// is damaged, which Check reports.
func (s *Snapshot) State(key string) []byte { return bytes.Clone(s.tx.State(key)) }

// StateInPlace is State without a copy, valid only inside the function that View calls.
func (s *Snapshot) StateInPlace(key string) []byte { return s.tx.State(key) }
