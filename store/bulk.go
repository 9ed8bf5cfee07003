package store

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"

	bolt "go.etcd.io/bbolt"

	"github.com/polya-classifier/polya/store/internal/table"
)

// bulk brings the whole log and one large Delta into all tables in a single
// transaction. Documents are summed in memory by term, so that each row is
// written once however many documents have the term.
type bulk struct {
	db      *DB
	tx      *bolt.Tx
	dir     directory
	overlay *overlay
	entries map[DocID]*entry // ledger entries to write; nil deletes
	applied Applied
	trusted bool // documents were taken away of which only the text or the sum is known
	fold    folder
	edit    editor // only to try
	sums    sumEpoch

	counted
}

// writeMany carries out a request of many documents.
func (db *DB) writeMany(r *request) error {
	db.growth.look = true
	err := db.rewrite(func(b *bulk) error {
		if skip, err := skips(b.tx, r.position); err != nil || skip {
			r.applied.Skipped = skip
			return cmp.Or(err, errNothing)
		}
		if err := b.addOrigin(r.delta); err != nil {
			return err
		}
		if err := b.steps(r.delta); err != nil {
			return err
		}
		r.applied = b.applied
		if r.position == 0 {
			return nil
		}
		return putPosition(b.tx, r.position)
	}, nil)
	if err == errNothing {
		return nil
	}
	return err
}

// rewrite folds the tail of the log, and what f adds to it, into all tables.
// change, which may be nil, is given the cells of every row, with levels, and
// returns those that the row has from now on; a row without any goes.
func (db *DB) rewrite(f func(*bulk) error, change func([]table.Cell) ([]table.Cell, error)) error {
	if err := db.rememberLocked(true); err != nil {
		return err
	}
	return db.update(func(tx *bolt.Tx) (*memory, error) {
		b, err := db.newBulk(tx)
		if err != nil {
			return nil, err
		}
		if err := f(b); err != nil {
			return nil, err
		}
		return b.finish(change)
	})
}

// newBulk begins a rewriting in tx: the documents of the log are in the ledger.
func (db *DB) newBulk(tx *bolt.Tx) (*bulk, error) {
	if err := db.checkHeads(); err != nil {
		return nil, err
	}
	b := &bulk{db: db, tx: tx, overlay: db.memory.overlay, entries: make(map[DocID]*entry)}
	if err := b.dir.load(tx); err != nil {
		return nil, err
	}
	tx.Bucket(bucketLog).FillPercent = logFill
	b.counted = counted{db.memory.newest().clone(), newTally(&db.header.key), newAttributeSums(tx, false)}
	b.fold.epoch, b.fold.together = b.totals.epoch, true
	for i := range b.totals.classes {
		b.totals.own(i)
	}
	return b, convertLog(tx, db.memory.merged, b.totals.seq)
}

func (b *bulk) steps(d *Delta) error {
	keep := d.Keep
	if keep == 0 {
		keep = b.db.header.ledger
	}
	b.sums = b.sumEpoch(d)
	for i := range d.sums {
		if err := b.addSum(&d.sums[i]); err != nil {
			return err
		}
	}
	for i := range d.steps {
		if err := b.step(&d.steps[i], keep); err != nil {
			return err
		}
	}
	return nil
}

// addSum counts documents that are not named.
func (b *bulk) addSum(s *sum) error {
	ids := make([]uint32, len(s.classes))
	for i := range s.classes {
		c, err := b.class(s.classes[i].name)
		if err != nil {
			return err
		}
		ids[i] = uint32(c.ID)
	}
	b.trusted = b.trusted || s.negative
	return b.counted.addSum(s, ids, b.sums.own)
}

// class returns the class of that name, which is added if it is new.
func (b *bulk) class(name string) (*Class, error) {
	if c := b.totals.named(name); c != nil {
		return c, nil
	}
	id, err := nextClass(b.tx, b.totals)
	if err != nil {
		return nil, err
	}
	c := &Class{ID: id, Name: name}
	b.totals.insert(c)
	return c, nil
}

// step carries out one step of a Delta.
func (b *bulk) step(s *step, keep Ledger) error {
	switch s.kind {
	case stepNote, stepDigest:
		return b.note(s)
	}
	id := DocID(s.doc[:len(DocID{})])
	var given *body
	if s.kind != stepForget && s.kind != stepRelabel {
		doc, _, err := parseBody(s.doc)
		if err != nil {
			return err
		}
		given = &doc
	}
	known, err := b.known(id, s, keep)
	if err != nil {
		return err
	}
	switch s.kind {
	case stepTake, stepForget:
		return b.take(s, known, id, given)
	case stepMove, stepRelabel:
		if known == nil {
			return notLearned(id)
		}
	}
	return b.learn(s, known, id, given, keep)
}

func (b *bulk) known(id DocID, s *step, keep Ledger) (*entry, error) {
	if s.kind == stepAdd && keep == LedgerNone {
		return nil, nil
	}
	if e, ok := b.entries[id]; ok {
		return e, nil
	}
	return ledgerEntry(b.tx, id)
}

func (b *bulk) learn(s *step, known *entry, id DocID, given *body, keep Ledger) error {
	raw := s.doc
	if known == nil {
		b.applied.Learned++
	} else {
		if c := b.totals.named(s.class); c != nil && c.ID == known.class {
			b.applied.Already++
			return nil
		}
		old, oldRaw, err := b.remove(known, id, given)
		if s.kind == stepAdd && errors.Is(err, ErrNoCounts) {
			b.applied.Conflicts = append(b.applied.Conflicts, id)
			return nil
		}
		if err != nil {
			return err
		}
		if given == nil || s.kind == stepMove {
			given, raw = old, oldRaw
		}
		b.applied.Moved++
	}
	to, err := b.class(s.class)
	if err != nil {
		return err
	}
	return b.add(to, given, raw, keep)
}

// add counts the document for class c and enters it in the ledger.
func (b *bulk) add(c *Class, doc *body, raw []byte, keep Ledger) error {
	if err := b.count(c, doc, 1); err != nil {
		return err
	}
	switch keep = keepFor(keep, doc); keep {
	case LedgerFull:
		b.totals.seq++
		rec := record{seq: b.totals.seq, op: opTrain, keep: keep, class: c.ID}
		if err := b.tx.Bucket(bucketLog).Put(seqKey(rec.seq), rec.append(nil, raw)); err != nil {
			return boltError(err)
		}
		b.entries[doc.id] = &entry{keep: keep, class: c.ID, seq: rec.seq}
	case LedgerDigest:
		b.entries[doc.id] = &entry{keep: keep, class: c.ID, time: doc.time, source: bytes.Clone(doc.source), digest: doc.digest(), epoch: b.totals.epoch}
	default:
		c.Loose++
	}
	return nil
}

func (b *bulk) take(s *step, known *entry, id DocID, given *body) error {
	b.applied.Forgotten++
	if known == nil {
		c := b.totals.named(s.class)
		if given == nil || c == nil || c.Loose == 0 {
			return notLearned(id)
		}
		given, err := b.apportionLoose(given, c)
		if err != nil {
			return err
		}
		if err := b.count(c, given, -1); err == ErrNotLearned {
			return notLearned(id)
		} else if err != nil {
			return err
		}
		c.Loose--
		b.trusted = true
		return nil
	}
	at := b.totals.at(known.class)
	if at >= 0 && s.class != "" && s.class != b.totals.classes[at].Name {
		return fmt.Errorf("document %s: %w as %q but as %q", id, ErrNotLearned, s.class, b.totals.classes[at].Name)
	}
	_, _, err := b.remove(known, id, given)
	return err
}

// remove takes away the document of entry e, and returns its counts.
func (b *bulk) remove(e *entry, id DocID, given *body) (*body, []byte, error) {
	doc, taken, raw := given, given, []byte(nil)
	if e.keep == LedgerFull {
		rec, err := logRecord(b.tx, e.seq)
		if err != nil {
			return nil, nil, err
		}
		d := rec.doc.document("")
		raw, _ = appendBody(nil, &d)
		copied, _, _ := parseBody(raw)
		doc, taken = &copied, &copied
		if err := b.tx.Bucket(bucketLog).Delete(seqKey(e.seq)); err != nil {
			return nil, nil, boltError(err)
		}
	} else {
		if given == nil || given.digest() != e.digest {
			return nil, nil, fmt.Errorf("document %s: %w", id, ErrNoCounts)
		}
		var err error
		if taken, err = apportion(&b.db.header.key, given, e, b.totals.epoch, b.row); err != nil {
			return nil, nil, err
		}
		d := given.document("")
		raw, _ = appendBody(nil, &d)
	}
	at := b.totals.at(e.class)
	if at >= 0 {
		err := b.count(b.totals.classes[at], taken, -1)
		if err == nil {
			b.entries[id] = nil
			return doc, raw, nil
		} else if err != ErrNotLearned {
			return nil, nil, err
		}
	}
	if b.trusted {
		return nil, nil, notLearned(id) // it was not this one, but one before it
	}
	return nil, nil, &CorruptError{What: "ledger entry of document " + id.String()}
}

// note enters a document in the ledger whose counts are among the sums.
func (b *bulk) note(s *step) error {
	c, err := b.class(s.class)
	if err != nil {
		return err
	}
	if c.Loose == 0 {
		return fmt.Errorf("class %q: %w: more documents in the ledger than counted", s.class, ErrInvalid)
	}
	c.Loose--
	id := DocID(s.doc[:len(DocID{})])
	if e, err := b.known(id, s, 0); err != nil || e != nil {
		if err == nil {
			err = fmt.Errorf("document %s: %w", id, ErrOverlap)
		}
		return err
	}
	if s.kind == stepDigest {
		_, e, err := s.digestEntry()
		e.class, e.epoch = c.ID, b.sums.here(e.epoch, b.totals.epoch)
		b.entries[id] = &e
		return err
	}
	b.totals.seq++
	rec := record{seq: b.totals.seq, op: opTrain, keep: LedgerFull, class: c.ID}
	b.entries[id] = &entry{keep: LedgerFull, class: c.ID, seq: rec.seq}
	return boltError(b.tx.Bucket(bucketLog).Put(seqKey(rec.seq), rec.append(nil, s.doc)))
}
