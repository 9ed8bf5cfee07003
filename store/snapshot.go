package store

import (
	"fmt"
	"slices"
	"sync"

	bolt "go.etcd.io/bbolt"

	"github.com/polya-classifier/polya/store/internal/table"
)

// Snapshot reads the counts as of one moment, whatever is learned meanwhile.
// It is valid only inside the function that View calls, and for one goroutine.
type Snapshot struct {
	db      *DB
	tx      *bolt.Tx
	seq     uint64
	totals  *totals
	overlay *overlay // nil in a process that has looked only once
	*scratch
}

// scratch is memory that snapshots use one after the other.
type scratch struct {
	dir    directory
	loaded bool // dir is that of the transaction
	hashes []uint64
	rows   [][]byte
	found  []bool
	probes []probe
	near   byte // keeps the compiler from leaving out Touch
	row    table.Row
	cells  []Cell
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// View calls f with a Snapshot of the database as it is now. Whatever f does
// not copy is lost when it returns. f must not train.
func (db *DB) View(f func(*Snapshot) error) (err error) {
	defer recoverFault(&err, db.path)
	defer faultsPanic()()
	// Who looks up terms a second time is a process that stays.
	s, err := db.begin(db.looked.Load())
	if err != nil {
		return err
	}
	defer s.end()
	return f(s)
}

func (db *DB) begin(overlay bool) (*Snapshot, error) {
	for {
		db.mu.RLock()
		m := db.memory
		if db.closed {
			db.mu.RUnlock()
			return nil, fmt.Errorf("%s: %w", db.path, ErrClosed)
		}
		if m == nil || (overlay && m.overlay == nil) {
			db.mu.RUnlock()
			if err := db.remember(overlay); err != nil {
				return nil, err
			}
			continue
		}
		defer db.mu.RUnlock()
		return db.beginWith(m)
	}
}

func (db *DB) beginWith(m *memory) (s *Snapshot, err error) {
	// Until it is known which position the transaction has, no version of
	// anything may be dropped: a training can end between the two.
	db.readers.begin(0)
	defer db.readers.end(0)
	tx, err := db.bolt.Begin(false)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", db.path, boltError(err))
	}
	defer func() {
		if s == nil {
			tx.Rollback() // after a panic on a damaged page too
		}
	}()
	seq := tx.Bucket(bucketLog).Sequence()
	totals := m.at(seq)
	if totals == nil {
		return nil, fmt.Errorf("%s: %w", db.path, &CorruptError{What: "list of totals"})
	}
	db.readers.begin(seq)
	s = &Snapshot{db: db, tx: tx, seq: seq, totals: totals, overlay: m.overlay, scratch: scratches.Get().(*scratch)}
	s.loaded = false
	return s, nil
}

func (s *Snapshot) end() {
	s.tx.Rollback()
	s.db.readers.end(s.seq)
	clear(s.rows) // they may be of an overlay that has gone
	scratches.Put(s.scratch)
	s.scratch = nil
}

// remember makes the memory of the database, or its overlay.
func (db *DB) remember(overlay bool) (err error) {
	defer recoverFault(&err, db.path)
	db.commit.Lock()
	defer db.commit.Unlock()
	return db.fail(db.rememberLocked(overlay))
}

// rememberLocked is remember for who holds db.commit.
func (db *DB) rememberLocked(overlay bool) error {
	db.mu.RLock()
	b, m := db.bolt, db.memory
	closed := db.closed
	db.mu.RUnlock()
	if closed {
		return ErrClosed
	}
	if m != nil && (!overlay || m.overlay != nil) {
		return nil
	}
	err := b.View(func(tx *bolt.Tx) (err error) {
		m, err = db.load(tx, overlay)
		return err
	})
	if err != nil {
		return boltError(err)
	}
	db.mu.Lock()
	db.memory = m
	db.mu.Unlock()
	return nil
}

// Classes returns all classes in order of name. They may be kept.
func (s *Snapshot) Classes() []*Class { return s.totals.classes }

// Class returns the class of that name, or nil.
func (s *Snapshot) Class(name string) *Class { return s.totals.named(name) }

// Documents is the number of documents of all classes.
func (s *Snapshot) Documents() uint64 {
	n := uint64(0)
	for _, c := range s.totals.classes {
		n += c.Docs
	}
	return n
}

// Vocabulary is the number of distinct terms of all classes together.
func (s *Snapshot) Vocabulary() uint64 { return s.totals.vocabulary }

// Position is the position of the last ApplyAt, 0 if there was none.
func (s *Snapshot) Position() (uint64, error) {
	position, err := readPosition(s.tx)
	return position, s.db.fail(err)
}

// State returns a copy of what PutState has kept under key, or nil.
func (s *Snapshot) State(key string) []byte {
	v := s.tx.Bucket(bucketState).Get([]byte(key))
	if v == nil {
		return nil
	}
	return append([]byte{}, v...)
}

// Rows looks up all terms of a document and calls f, in their order, for each
// that some class has, with its cells in order of class id. With levels, each
// cell has its U. The cells are valid only during the call. Terms that no class has
// are passed over.
func (s *Snapshot) Rows(terms []TermCount, levels bool, f func(i int, cells []Cell) error) error {
	if err := s.directory(); err != nil {
		return err
	}
	o, err := s.overlayFor(terms)
	if err != nil {
		return err
	}
	s.lookOver(o, terms)
	s.probe()
	for i := range terms {
		row := s.rows[i]
		if !s.found[i] {
			if row, err = s.dir.findFrom(int(s.probes[i].table), s.probes[i].slot, s.hashes[i], terms[i].Term); err != nil {
				return s.db.fail(err)
			}
		}
		if row == nil {
			continue
		}
		if err := s.decode(row, levels); err != nil {
			return s.db.fail(&CorruptError{What: fmt.Sprintf("row of term %.40q", terms[i].Term), Err: err})
		}
		if err := f(i, s.cells); err != nil {
			return err
		}
	}
	return nil
}

// directory reads the list of tables once.
func (s *Snapshot) directory() error {
	if s.loaded {
		return nil
	}
	if err := s.dir.load(s.tx); err != nil {
		return s.db.fail(err)
	}
	s.loaded = true
	return nil
}

// overlayFor returns an overlay that has the rows of terms, all rows if terms
// is nil.
func (s *Snapshot) overlayFor(terms []TermCount) (*overlay, error) {
	if s.overlay != nil {
		return s.overlay, nil
	}
	s.db.looked.Store(true)
	var want *wanted
	if terms != nil {
		want = newWanted()
		for i := range terms {
			want.add(&s.db.header.key, terms[i].Term)
		}
	}
	base, err := decodeCorpus(s.tx.Bucket(bucketMeta).Get(keyCorpus))
	if err != nil {
		return nil, s.db.fail(err)
	}
	o, err := s.db.loadOverlay(s.tx, &s.dir, base.merged, want, nil)
	return o, s.db.fail(err)
}

// lookOver fills s.hashes, and s.rows and s.found from the overlay.
func (s *Snapshot) lookOver(o *overlay, terms []TermCount) {
	s.hashes, s.rows, s.found = s.hashes[:0], s.rows[:0], s.found[:0]
	for i := range terms {
		s.hashes = append(s.hashes, s.db.header.key.Hash(terms[i].Term))
	}
	o.mu.RLock()
	defer o.mu.RUnlock()
	for i := range terms {
		row, found := o.get(s.hashes[i], terms[i].Term, s.seq)
		s.rows = append(s.rows, row)
		s.found = append(s.found, found)
	}
}

// probe is where the search for a term goes on.
type probe struct{ table, slot uint32 }

// probe fills s.probes for the terms that the overlay does not have.
func (s *Snapshot) probe() {
	s.probes = s.probes[:0]
	for i, hash := range s.hashes {
		p := probe{}
		if !s.found[i] {
			p.table = uint32(s.dir.at(hash))
			p.slot = s.dir.tables[p.table].Probe(hash)
		}
		s.probes = append(s.probes, p)
	}
	near := byte(0)
	for _, p := range s.probes {
		near |= s.dir.tables[p.table].Touch(p.slot)
	}
	s.near = near
}

// decode reads row into s.cells.
func (s *Snapshot) decode(row []byte, levels bool) error {
	if err := s.row.Decode(row, levels); err != nil {
		return err
	}
	s.cells = s.cells[:0]
	for i := range s.row.Cells {
		c := &s.row.Cells[i]
		at := s.totals.at(ClassID(c.Class))
		if at < 0 {
			return ErrNoClass
		}
		s.cells = append(s.cells, Cell{Class: at, DF: c.DF, TF: c.TF, W: c.W, U: c.U})
	}
	return nil
}

// Scan calls f for every term that some class has, in no particular order. The
// term and the cells are valid only during the call.
func (s *Snapshot) Scan(levels bool, f func(term []byte, cells []Cell) error) error {
	err := s.scanRows(func(term, row []byte) error {
		if err := s.decode(row, levels); err != nil {
			return s.db.fail(&CorruptError{What: fmt.Sprintf("row of term %.40q", term), Err: err})
		}
		return f(term, s.cells)
	})
	return err
}

// scanRows calls f for every term and its row.
func (s *Snapshot) scanRows(f func(term, row []byte) error) error {
	if err := s.directory(); err != nil {
		return err
	}
	o, err := s.overlayFor(nil)
	if err != nil {
		return err
	}
	hidden, err := s.overlaid(o, f)
	if err != nil {
		return err
	}
	for i, t := range s.dir.tables {
		var failed error
		err := t.All(func(place uint32, term, row []byte) bool {
			if !hidden[i].pass(place) {
				failed = f(term, row)
			}
			return failed == nil
		})
		if err != nil {
			return s.db.fail(&CorruptError{What: tableName(s.dir.bounds[i]), Err: err})
		}
		if failed != nil {
			return failed
		}
	}
	return nil
}

// overlaid calls f for each row of the overlay, and returns the places of the
// rows that these stand for in each table. The lock is not held while f runs.
func (s *Snapshot) overlaid(o *overlay, f func(term, row []byte) error) ([]places, error) {
	hidden := make([]places, len(s.dir.tables))
	rows := o.asOf(s.seq)
	for _, r := range rows {
		i := s.dir.at(r.hash)
		row, place, err := s.dir.tables[i].Locate(r.hash, r.term)
		if err != nil {
			return nil, s.db.fail(&CorruptError{What: tableName(s.dir.bounds[i]), Err: err})
		}
		if row != nil {
			hidden[i] = append(hidden[i], place)
		}
		if r.row == nil {
			continue
		}
		if err := f(r.term, r.row); err != nil {
			return nil, err
		}
	}
	for _, h := range hidden {
		slices.Sort(h)
	}
	return hidden, nil
}

// asOf returns all rows as of seq, those of terms that no class has too.
func (o *overlay) asOf(seq uint64) []hashedRow {
	o.mu.RLock()
	defer o.mu.RUnlock()
	rows := make([]hashedRow, 0, o.rows)
	for _, shard := range o.shards {
		for term, e := range shard {
			if row, found := e.at(seq); found {
				rows = append(rows, hashedRow{e.hash, []byte(term), row})
			}
		}
	}
	return rows
}

// fail puts the path of the database before err.
func (db *DB) fail(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", db.path, err)
}
