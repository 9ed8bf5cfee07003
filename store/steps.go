package store

import (
	"errors"
	"fmt"
	"math"
	"slices"

	bolt "go.etcd.io/bbolt"
)

// This file is what a writer does with one document: what the ledger says of
// it, and which records follow.

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
	raw := s.doc
	if known != nil {
		if c := w.totals.named(s.class); c != nil && c.ID == known.class {
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
		// The text of a digest is the whole document, old what is left of it.
		if given == nil || s.kind == stepMove && kept == LedgerFull {
			given, raw = old, nil
		}
		w.request.applied.Moved++
	} else {
		w.request.applied.Learned++
	}
	to, err := w.class(s.class)
	if err != nil {
		return err
	}
	return w.put(opTrain, keepFor(keep, given), to, given, raw)
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
	taken, err := w.apportionLoose(given, c)
	if err != nil {
		return err
	}
	raw := s.doc
	if taken != given {
		raw = nil
	}
	w.request.applied.Forgotten++
	return w.put(opUntrain, LedgerNone, w.totals.at(c.ID), taken, raw)
}

// counts returns what was learned of the document of entry e.
func (w *writer) counts(e *entry, given *body) (*body, Ledger, error) {
	if e.keep == LedgerDigest {
		if given == nil || given.digest() != e.digest {
			return nil, 0, ErrNoCounts
		}
		taken, err := apportion(&w.db.header.key, given, e, w.totals.epoch, w.row)
		return taken, LedgerDigest, err
	}
	for i := len(w.records) - 1; i >= 0; i-- {
		if r := &w.records[i]; r.seq == e.seq {
			return &r.doc, r.keep, nil
		}
	}
	if err := w.db.checkLeaf(w.tx, bucketLog, seqKey(e.seq)); err != nil {
		return nil, 0, err
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
	at := w.totals.insert(&Class{ID: id, Name: name})
	w.owned = make([]bool, len(w.totals.classes))
	return at, nil
}

// maxClasses bounds the index by class id, and keeps ids far from the end of
// their range.
const maxClasses = 1 << 24

// nextClass returns an id that no class has had.
func nextClass(tx *bolt.Tx, t *totals) (ClassID, error) {
	id := max(ClassID(tx.Bucket(bucketClass).Sequence()), ClassID(max(len(t.index), 1)-1))
	if id >= maxClasses {
		return 0, fmt.Errorf("%w: the database has given away all %d class ids", ErrInvalid, maxClasses)
	}
	return id + 1, nil
}

// put stages a record and changes rows and totals by it. raw is the document
// encoded, nil to encode it from doc.
func (w *writer) put(op op, keep Ledger, class int, doc *body, raw []byte) error {
	rec := record{seq: w.totals.seq + 1, op: op, keep: keep, class: w.totals.classes[class].ID, epoch: w.totals.epoch}
	if raw == nil {
		d := doc.document("")
		raw, _ = appendBody(nil, &d)
	}
	rec.doc, _, _ = parseBody(raw)
	if op == opTrain {
		if err := w.totals.classes[class].roomFor(&rec.doc); err != nil {
			return fmt.Errorf("document %s: %w", rec.doc.id, err)
		}
	}
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
	if err := w.count(&rec); err != nil {
		return err
	}
	w.totals.tailBytes += len(raw)
	w.records = append(w.records, staged{rec, raw})
	w.overlay.mu.Lock()
	for _, r := range rows {
		w.overlay.put(r.hash, r.term, rec.seq, r.row, w.oldest)
		w.rows = append(w.rows, stagedRow{r.hash, r.term, rec.seq})
	}
	w.overlay.mu.Unlock()
	if keep != LedgerNone {
		old, had := w.recent[rec.doc.id]
		w.noted = append(w.noted, notedRecent{rec.doc.id, old, had})
		w.recent[rec.doc.id] = rec.recent()
	}
	return nil
}

// count changes what is counted of the record's attributes. A document that no
// ledger knows is refused if it leaves its class fewer documents than one of its
// terms or attributes has: it was another that was learned.
func (w *writer) count(rec *record) error {
	loose := rec.op == opUntrain && rec.keep == LedgerNone
	err := w.attributes.add(&rec.doc, uint32(rec.class), rec.sign())
	if err == nil && loose {
		c := w.totals.classes[w.totals.at(rec.class)]
		if err = w.attributes.within(c); err == nil && !c.holdsTerms() {
			err = ErrNotLearned
		}
	}
	switch {
	case err == ErrNotLearned && loose:
		return notLearned(rec.doc.id)
	case err == ErrNotLearned:
		return &CorruptError{What: "ledger entry of document " + rec.doc.id.String(), Err: errors.New("its attributes were not counted")}
	}
	return attributeError(&rec.doc, err)
}

// attributeError says which document has an attribute of another kind.
func attributeError(doc *body, err error) error {
	var kind *AttributeError
	if errors.As(err, &kind) {
		return fmt.Errorf("document %s: %w", doc.id, err)
	}
	return err
}

// hashedRow is a term with its new row, nil to remove it.
type hashedRow struct {
	hash uint64
	term []byte
	row  []byte
}

// change returns the new rows of the record's terms, and fills in what the
// record says of them. The slice is valid until the next call, its terms and rows
// for good.
func (w *writer) change(rec *record) ([]hashedRow, error) {
	weights, sum := rec.doc.weights()
	rec.weight = sum
	rows, before := w.altered[:0], w.before[:0]
	arena := make([]byte, 0, 2*len(rec.doc.terms))
	var failed error
	rec.doc.each(func(t []byte, n uint8) {
		if failed != nil {
			return
		}
		arena = append(arena, t...)
		term := arena[len(arena)-len(t) : len(arena) : len(arena)]
		hash := w.db.header.key.Hash(term)
		var row []byte
		if row, failed = w.row(hash, term); failed != nil {
			return
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
	w.altered, w.before = rows, before
	return rows, failed
}

// row returns the row of term as it is now.
func (w *writer) row(hash uint64, term []byte) ([]byte, error) {
	if row, found := w.overlay.get(hash, term, math.MaxUint64); found {
		return row, nil
	}
	return w.dir.find(hash, term)
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
