package store

import (
	"errors"
	"fmt"
	"math"
	"slices"

	bolt "go.etcd.io/bbolt"
)

// writer carries out the requests of one transaction, each document as one log
// record. Everything else that it changes is in memory until the end.
type writer struct {
	db      *DB
	tx      *bolt.Tx
	mem     *memory
	dir     directory
	overlay *overlay
	whole   bool // overlay has all rows of the tail, not only those wanted
	recent  map[DocID]recent
	oldest  uint64 // no reader is before this position
	edit    editor

	request *request
	totals  *totals // as of the last record; its classes are shared unless owned
	owned   []bool
	changed bool // the transaction has something to commit
	records []staged
	rows    []stagedRow
	noted   []notedRecent

	committed func() // called after the commit, may be nil
}

// staged is a record that waits for the end of the transaction.
type staged struct {
	record
	raw []byte // the document, encoded
}

// stagedRow is a row that has been put into the overlay.
type stagedRow struct {
	hash uint64
	term string
	seq  uint64
}

type notedRecent struct {
	id  DocID
	old recent
	had bool
}

// writeFew carries out requests of few documents.
func (db *DB) writeFew(batch []*request) error {
	db.writes++
	if err := db.rememberLocked(db.writes > 1); err != nil {
		return err
	}
	w := &writer{db: db, mem: db.memory}
	err := db.update(func(tx *bolt.Tx) (*memory, error) {
		w.tx = tx
		if err := w.begin(batch); err != nil {
			return nil, err
		}
		for _, r := range batch {
			w.run(r)
		}
		if len(w.records) == 0 && !w.changed {
			return nil, errNothing
		}
		return nil, w.finish()
	})
	if err == errNothing {
		return nil
	}
	if err == nil && w.committed != nil {
		w.committed()
	}
	if err == nil {
		w.mem.purge(db.readers.oldest(w.totals.seq))
	}
	return err
}

// errNothing ends a transaction that has nothing to commit.
var errNothing = errors.New("nothing to do")

// begin reads what the requests need: the tables' directory, and an overlay,
// which in a process that has trained but once is made for their terms alone.
func (w *writer) begin(batch []*request) error {
	w.totals = w.mem.newest()
	w.oldest = w.db.readers.oldest(w.totals.seq)
	if err := w.dir.load(w.tx); err != nil {
		return err
	}
	w.overlay, w.recent = w.mem.overlay, w.mem.recent
	if w.whole = w.overlay != nil; w.whole {
		return nil
	}
	want, err := w.wanted(batch)
	if err != nil {
		return err
	}
	w.whole = want == nil
	w.recent = make(map[DocID]recent)
	w.overlay, err = w.db.loadOverlay(w.tx, &w.dir, w.mem.merged, want, w.recent)
	return err
}

// fewWanted is up to how many steps it costs less to look for their terms in
// the tail of the log than to sum all of it.
const fewWanted = 4

// wanted says which terms the overlay must have; nil means all.
func (w *writer) wanted(batch []*request) (*wanted, error) {
	steps := 0
	for _, r := range batch {
		if r.delta != nil {
			steps += len(r.delta.steps)
		}
	}
	if steps > fewWanted || w.turnToMerge(uint64(steps)) {
		return nil, nil
	}
	want := newWanted()
	for _, r := range batch {
		if r.delta == nil {
			continue
		}
		if err := w.want(r.delta, want); err != nil {
			return nil, err
		}
	}
	return want, nil
}

// want adds the terms that d names to want. A bare id names terms that only
// the ledger knows, and those are added too.
func (w *writer) want(d *Delta, want *wanted) error {
	for i := range d.steps {
		s := &d.steps[i]
		id := DocID(s.doc[:len(DocID{})])
		if len(s.doc) > len(id) {
			b, _, err := parseBody(s.doc)
			if err != nil {
				return err
			}
			b.each(func(term []byte, _ uint8) { want.add(&w.db.header.key, term) })
		}
		old, err := w.learnedBody(id)
		if err != nil {
			return err
		}
		if old != nil {
			old.each(func(term []byte, _ uint8) { want.add(&w.db.header.key, term) })
		}
	}
	return nil
}

// learnedBody returns the counts of a document as the file has them, or nil.
func (w *writer) learnedBody(id DocID) (*body, error) {
	var found *body
	err := eachRecord(w.tx, w.mem.merged, func(rec *record) error {
		if rec.doc.id == id && rec.keep != LedgerNone {
			found = &rec.doc
		}
		return nil
	})
	if err != nil || found != nil {
		return found, err
	}
	e, err := ledgerEntry(w.tx, id)
	if err != nil || e == nil || e.keep != LedgerFull {
		return nil, err
	}
	rec, err := logRecord(w.tx, e.seq)
	return &rec.doc, err
}

// run carries out r or, if that fails, leaves everything as it was.
func (w *writer) run(r *request) {
	w.request = r
	before, records, rows, noted := w.totals, len(w.records), len(w.rows), len(w.noted)
	w.totals = before.clone()
	w.owned = make([]bool, len(w.totals.classes))
	if r.err = w.steps(r); r.err == nil {
		return
	}
	r.applied = Applied{}
	w.totals, w.records = before, w.records[:records]
	w.overlay.mu.Lock()
	for i := len(w.rows) - 1; i >= rows; i-- {
		w.overlay.undo(w.rows[i].hash, []byte(w.rows[i].term), w.rows[i].seq)
	}
	w.overlay.mu.Unlock()
	for i := len(w.noted) - 1; i >= noted; i-- {
		if n := w.noted[i]; n.had {
			w.recent[n.id] = n.old
		} else {
			delete(w.recent, n.id)
		}
	}
	w.rows, w.noted = w.rows[:rows], w.noted[:noted]
}

func (w *writer) steps(r *request) error {
	skip, err := skips(w.tx, r.position)
	if err != nil || skip {
		r.applied.Skipped = skip
		return err
	}
	if r.delta != nil {
		for i := range r.delta.steps {
			if err := w.step(&r.delta.steps[i], r.delta.Keep); err != nil {
				return err
			}
		}
	}
	return w.settings(r)
}

// settings writes what a request changes beside the counts. It comes last, when
// the request cannot fail any more.
func (w *writer) settings(r *request) error {
	if r.position > 0 {
		w.changed = true
		if err := putPosition(w.tx, r.position); err != nil {
			return err
		}
	}
	if r.state == nil {
		return nil
	}
	w.changed = true
	return boltError(putState(w.tx, r.state))
}

// step carries out one step of a Delta.
func (w *writer) step(s *step, keep Ledger) error {
	if keep == 0 {
		keep = w.db.header.ledger
	}
	id := DocID(s.doc[:len(DocID{})])
	var given *body
	if s.kind != stepForget && s.kind != stepRelabel {
		b, _, err := parseBody(s.doc)
		if err != nil {
			return err
		}
		given = &b
	}
	known, err := w.known(id, s, keep)
	if err != nil {
		return err
	}
	switch s.kind {
	case stepTake, stepForget:
		return w.take(s, known, given)
	case stepMove, stepRelabel:
		if known == nil {
			return notLearned(id)
		}
	}
	return w.learn(s, known, given, keep)
}

// known returns the ledger's entry of the document, or nil.
func (w *writer) known(id DocID, s *step, keep Ledger) (*entry, error) {
	if s.kind == stepAdd && keep == LedgerNone {
		return nil, nil
	}
	if r, ok := w.recent[id]; ok {
		if r.gone {
			return nil, nil
		}
		return &r.entry, nil
	}
	return ledgerEntry(w.tx, id)
}

func ledgerEntry(tx *bolt.Tx, id DocID) (*entry, error) {
	v := tx.Bucket(bucketLedger).Get(id[:])
	if v == nil {
		return nil, nil
	}
	e, err := decodeEntry(id[:], v)
	if err != nil {
		return nil, err
	}
	return &e, nil
}

func logRecord(tx *bolt.Tx, seq uint64) (record, error) {
	key := seqKey(seq)
	v := tx.Bucket(bucketLog).Get(key)
	if v == nil {
		return record{}, &CorruptError{What: fmt.Sprintf("log record %d", seq), Err: fmt.Errorf("it is missing")}
	}
	return decodeRecord(key, v)
}

func notLearned(id DocID) error { return fmt.Errorf("document %s: %w", id, ErrNotLearned) }

// learn makes the document one of s.class.
func (w *writer) learn(s *step, known *entry, given *body, keep Ledger) error {
	to, err := w.class(s.class)
	if err != nil {
		return err
	}
	raw := s.doc
	if known != nil {
		if known.class == w.totals.classes[to].ID {
			w.request.applied.Already++
			return nil
		}
		old, kept, err := w.counts(known, given)
		if s.kind == stepAdd && errors.Is(err, ErrNoCounts) {
			w.request.applied.Conflicts = append(w.request.applied.Conflicts, given.id)
			return nil
		}
		if err != nil {
			return err
		}
		from := w.totals.at(known.class)
		if from < 0 {
			return &CorruptError{What: "ledger entry of document " + old.id.String(), Err: ErrNoClass}
		}
		if err := w.put(opUntrain, kept, from, old, nil); err != nil {
			return err
		}
		if given == nil || s.kind == stepMove {
			given, raw = old, nil
		}
		w.request.applied.Moved++
	} else {
		w.request.applied.Learned++
	}
	return w.put(opTrain, keep, to, given, raw)
}

// take forgets the document.
func (w *writer) take(s *step, known *entry, given *body) error {
	id := DocID(s.doc[:len(DocID{})])
	if known == nil {
		return w.takeLoose(s, id, given)
	}
	at := w.totals.at(known.class)
	if at < 0 {
		return &CorruptError{What: "ledger entry of document " + id.String(), Err: ErrNoClass}
	}
	if c := w.totals.classes[at]; s.class != "" && s.class != c.Name {
		return fmt.Errorf("document %s: %w as %q but as %q", id, ErrNotLearned, s.class, c.Name)
	}
	old, kept, err := w.counts(known, given)
	if err != nil {
		return err
	}
	w.request.applied.Forgotten++
	return w.put(opUntrain, kept, at, old, nil)
}

// takeLoose forgets a document that the ledger does not know, if the class has
// such documents and its counts allow it.
func (w *writer) takeLoose(s *step, id DocID, given *body) error {
	c := w.totals.named(s.class)
	if given == nil || c == nil || c.Loose == 0 {
		return notLearned(id)
	}
	w.request.applied.Forgotten++
	return w.put(opUntrain, LedgerNone, w.totals.at(c.ID), given, s.doc)
}

// counts returns what was learned of the document of entry e.
func (w *writer) counts(e *entry, given *body) (*body, Ledger, error) {
	if e.keep == LedgerDigest {
		if given == nil || given.digest() != e.digest {
			return nil, 0, ErrNoCounts
		}
		return given, LedgerDigest, nil
	}
	for i := len(w.records) - 1; i >= 0; i-- {
		if r := &w.records[i]; r.seq == e.seq {
			return &r.doc, r.keep, nil
		}
	}
	rec, err := logRecord(w.tx, e.seq)
	if err != nil {
		return nil, 0, err
	}
	return &rec.doc, rec.keep, nil
}

// class returns the index of a class, which is added if it is new.
func (w *writer) class(name string) (int, error) {
	if c := w.totals.named(name); c != nil {
		return w.totals.at(c.ID), nil
	}
	id, err := nextClass(w.tx, w.totals)
	if err != nil {
		return 0, err
	}
	w.totals.classes = append(w.totals.classes, &Class{ID: id, Name: name})
	w.totals.order()
	w.owned = make([]bool, len(w.totals.classes))
	return w.totals.at(id), nil
}

// maxClasses bounds the index by class id, and keeps ids far from the end of
// their range.
const maxClasses = 1 << 24

// nextClass returns an id that no class has had.
func nextClass(tx *bolt.Tx, t *totals) (ClassID, error) {
	id := ClassID(tx.Bucket(bucketClass).Sequence())
	for _, c := range t.classes {
		id = max(id, c.ID)
	}
	if id >= maxClasses {
		return 0, fmt.Errorf("%w: the database has given away all %d class ids", ErrInvalid, maxClasses)
	}
	return id + 1, nil
}

// put stages a record and changes rows and totals by it. raw is the document
// encoded, nil to encode it from doc.
func (w *writer) put(op op, keep Ledger, class int, doc *body, raw []byte) error {
	rec := record{seq: w.totals.seq + 1, op: op, keep: keep, class: w.totals.classes[class].ID}
	if raw == nil {
		d := doc.document("")
		raw, _ = appendBody(nil, &d)
	}
	rec.doc, _, _ = parseBody(raw)
	rows, err := w.change(&rec)
	if err != nil {
		return err
	}
	if !w.owned[class] {
		w.totals.own(class)
		w.owned[class] = true
	}
	if err := w.totals.add(&rec); err != nil {
		if op == opUntrain && keep == LedgerNone {
			return notLearned(rec.doc.id)
		}
		return err
	}
	w.totals.tailBytes += len(raw)
	w.records = append(w.records, staged{rec, raw})
	w.overlay.mu.Lock()
	for _, r := range rows {
		w.overlay.put(r.hash, r.term, rec.seq, r.row, w.oldest)
		w.rows = append(w.rows, stagedRow{r.hash, string(r.term), rec.seq})
	}
	w.overlay.mu.Unlock()
	if keep != LedgerNone {
		old, had := w.recent[rec.doc.id]
		w.noted = append(w.noted, notedRecent{rec.doc.id, old, had})
		w.recent[rec.doc.id] = rec.recent()
	}
	return nil
}

// hashedRow is a term with its new row, nil to remove it.
type hashedRow struct {
	hash uint64
	term []byte
	row  []byte
}

// change returns the new rows of the record's terms, and fills in what the
// record says of them.
func (w *writer) change(rec *record) ([]hashedRow, error) {
	weights, sum := rec.doc.weights()
	rec.weight = sum
	rows := make([]hashedRow, 0, rec.doc.distinct)
	arena := make([]byte, 0, 2*len(rec.doc.terms))
	before := make([]uint64, 0, rec.doc.distinct)
	var failed error
	rec.doc.each(func(t []byte, n uint8) {
		if failed != nil {
			return
		}
		arena = append(arena, t...)
		term := arena[len(arena)-len(t) : len(arena) : len(arena)]
		hash := w.db.header.key.Hash(term)
		row, found := w.overlay.get(hash, term, math.MaxUint64)
		if !found {
			if row, failed = w.dir.find(hash, term); failed != nil {
				return
			}
		}
		edit := w.edit.train
		if rec.op == opUntrain {
			edit = w.edit.untrain
		}
		row, ch, err := edit(row, uint32(rec.class), int(n), weights[n])
		if err != nil {
			failed = w.rowError(rec, term, err)
			return
		}
		if ch.fresh {
			rec.fresh++
		}
		before = append(before, ch.df)
		rows = append(rows, hashedRow{hash, term, row})
	})
	rec.moves = runs(before)
	return rows, failed
}

// rowError says which document a row does not hold, or that it is damaged:
// what the ledger has learned, a sound row must hold.
func (w *writer) rowError(rec *record, term []byte, err error) error {
	if err == ErrNotLearned && rec.keep == LedgerNone {
		return notLearned(rec.doc.id)
	}
	return &CorruptError{What: fmt.Sprintf("row of term %.40q", term), Err: err}
}

// runs counts equal values, in ascending order.
func runs(values []uint64) []Pair {
	slices.Sort(values)
	var pairs []Pair
	for _, v := range values {
		if n := len(pairs); n > 0 && pairs[n-1].N == v {
			pairs[n-1].Count++
		} else {
			pairs = append(pairs, Pair{v, 1})
		}
	}
	return pairs
}

// finish writes what was staged, brings some tables up to date if that is due,
// and publishes the new totals.
func (w *writer) finish() error {
	if err := w.writeStaged(); err != nil {
		return err
	}
	if err := w.mergeSome(); err != nil {
		return err
	}
	// Readers do not see the new totals before the commit: they begin at the
	// position of the log that their transaction has.
	w.mem.publish(w.totals, w.oldest)
	return nil
}

// logFill fills the pages of the log, whose records are only ever added at the
// end; bbolt would leave half of each free for others in between.
const logFill = 0.95

func (w *writer) writeStaged() error {
	log := w.tx.Bucket(bucketLog)
	log.FillPercent = logFill
	for i := range w.records {
		r := &w.records[i]
		if err := log.Put(seqKey(r.seq), r.append(nil, r.raw)); err != nil {
			return boltError(err)
		}
	}
	if err := log.SetSequence(w.totals.seq); err != nil {
		return boltError(err)
	}
	return putClasses(w.tx, w.totals)
}

func putClassName(tx *bolt.Tx, id ClassID, name string) error {
	key := classKey(id)
	return boltError(tx.Bucket(bucketClass).Put(key, appendCRC([]byte(name), key)))
}

// putClasses names the classes that the file does not have yet.
func putClasses(tx *bolt.Tx, t *totals) error {
	b := tx.Bucket(bucketClass)
	known := ClassID(b.Sequence())
	last := known
	for _, c := range t.classes {
		if c.ID <= known {
			continue
		}
		if err := putClassName(tx, c.ID, c.Name); err != nil {
			return err
		}
		last = max(last, c.ID)
	}
	if last == known {
		return nil
	}
	return boltError(b.SetSequence(uint64(last)))
}
