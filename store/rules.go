package store

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/attributes"
	"github.com/polya-classifier/polya/store/internal/encoded"
	"github.com/polya-classifier/polya/store/internal/layout"
	"github.com/polya-classifier/polya/store/internal/rows"
	"github.com/polya-classifier/polya/store/internal/stored"
	"github.com/polya-classifier/polya/store/internal/table"
)

// learner carries out the steps of Deltas in one transaction, according to the ledger's entry of
// each document. A writer logs each document, a bulk sums many.
type learner struct {
	way interface {
		// Row returns the row of a term as of now, or nil.
		Row(hash uint64, term []byte) ([]byte, error)

		// put counts the document of a record, whose position is not set, for its class, or takes
		// it away with its entry of, and enters it in the ledger as the record says. What is taken
		// away is the part that rows still have. With count.LedgerNone there is no entry.
		put(rec *stored.Record, of *stored.Entry) error
	}
	db      *DB
	tx      layout.Tx
	mem     *memory
	base    uint64          // the position before the transaction
	recent  *layout.Recents // documents of the tail; a bulk's own
	channel bool            // some term is of a channel
	row     *table.Row      // to decode
	counted                 // totals and attributes as of the last record
	*layout.Lookup

	// Of the Delta:
	keep    count.Ledger
	applied *Applied
	notes   stored.NoteChanges
}

// learner returns what a transaction begins with.
func (db *DB) learner(tx layout.Tx, lookup *layout.Lookup) (learner, error) {
	l := learner{db: db, tx: tx, mem: db.memory, recent: layout.NewRecents(), Lookup: lookup}
	l.totals, l.attributes = l.mem.newest(), attributes.NewChanges(tx)
	l.base, l.Fold.Epoch, l.Overlay = l.totals.Seq, l.totals.Epoch, l.mem.overlay
	return l, l.Dir.Load(tx)
}

func (r *learner) begin(d *Delta, applied *Applied) {
	r.keep, r.applied, r.notes = cmp.Or(d.Keep, r.db.header.Ledger), applied, nil
}

// entry returns the ledger's entry of the document as of now, or nil.
func (r *learner) entry(id count.DocID) (*stored.Entry, error) {
	if now, ok := r.recent.Of[id]; ok {
		if now.Gone {
			return nil, nil
		}
		return &now.Entry, nil
	}
	if r.mem.overlay == nil { // or recent had it
		last, err := r.tx.LastOf(id)
		if err != nil {
			return nil, err
		}
		if last != nil {
			r.recent.Set(id, layout.RecentOf(last))
			return r.entry(id)
		}
	}
	if err := r.db.file.CheckKeys(r.tx.Tx, stored.BucketLedger, id[:], id[:]); err != nil {
		return nil, err
	}
	return r.tx.Entry(id)
}

// train counts the document for class c, and enters it in the ledger as keep says.
func (r *learner) train(c *count.Class, doc *encoded.Document, keep count.Ledger) error {
	// A token weighs at most WeightUnit.
	if err := cmp.Or(checkLimits(c, 1, doc.Tokens, doc.Tokens*count.WeightUnit), r.attributes.Admit(doc)); err != nil {
		return fmt.Errorf("document %s: %w", doc.ID, err)
	}
	return r.way.put(&stored.Record{Op: stored.OpTrain, Keep: keep, Class: c.ID, Doc: *doc}, nil)
}

// untrain takes away doc, the part of the document of entry e that rows still have, and the entry.
func (r *learner) untrain(e *stored.Entry, doc *encoded.Document) error {
	return r.way.put(&stored.Record{Op: stored.OpUntrain, Keep: e.Keep, Class: e.Class, Doc: *doc}, e)
}

func (r *learner) step(s *step) error {
	var known *stored.Entry
	if s.kind != stepAdd || r.keep != count.LedgerNone {
		var err error
		if known, err = r.entry(s.id); err != nil {
			return err
		}
	}
	switch {
	case s.kind == stepTake || s.kind == stepForget:
		return r.forget(s, known)
	case known == nil && s.kind != stepAdd && s.kind != stepNew:
		return notLearned(s.id)
	case known == nil:
		return r.learn(s)
	}
	return r.learnAgain(s, known)
}

func notLearned(id count.DocID) error { return fmt.Errorf("document %s: %w", id, count.ErrNotLearned) }

// learn learns a document that the ledger does not know.
func (r *learner) learn(s *step) error {
	r.applied.Learned++
	c, err := r.totals.Class(r.tx, s.class)
	if err != nil {
		return err
	}
	if s.note != nil {
		r.notes.Keep(&stored.Note{ID: s.id, Class: c.ID, Text: s.note}, r.tx.State)
	}
	return r.enter(c, s.doc)
}

// learnAgain moves a known document to s.class, or has the ledger keep the copy of it that Kept chooses.
func (r *learner) learnAgain(s *step, known *stored.Entry) error {
	c := r.totals.Named(s.class)
	moves := c == nil || c.ID != known.Class
	if s.kind == stepNew || !moves && (s.kind != stepAdd || known.Keep != count.LedgerFull) {
		r.applied.Already++
		return nil
	}
	old, left, err := r.learned(s, known)
	if s.kind == stepAdd && errors.Is(err, ErrNoCounts) {
		r.applied.Conflicts = append(r.applied.Conflicts, s.id)
		return nil
	}
	if err != nil {
		return err
	}
	doc := old
	if s.kind == stepAdd {
		doc = encoded.Kept(old, s.doc, moves)
	}
	if !moves {
		return r.replace(known, old, doc)
	}
	if err := r.untrain(known, left); err != nil {
		return err
	}
	if err := r.noteMove(s, known, old); err != nil {
		return err
	}
	r.notes.Drop(s.id, r.tx.State)
	r.applied.Moved++
	if c, err = r.totals.Class(r.tx, s.class); err != nil {
		return err
	}
	return r.enter(c, doc)
}

// enter counts a document for class c as the Delta says.
func (r *learner) enter(c *count.Class, doc *encoded.Document) error {
	keep := r.keep
	if keep == count.LedgerDigest && len(doc.Dropped) > 0 {
		keep = count.LedgerFull // a digest could not be compared with the text
	}
	return r.train(c, doc, keep)
}

// replace has the ledger keep doc instead of old, the same document with other counts.
func (r *learner) replace(known *stored.Entry, old, doc *encoded.Document) error {
	r.applied.Already++
	if doc == old {
		return nil
	}
	class := known.Class
	if err := r.untrain(known, old); err != nil {
		return err
	}
	return r.train(r.totals.ByID(class), doc, count.LedgerFull)
}

// forget takes away the document, which must be of s.class if that is not empty.
func (r *learner) forget(s *step, known *stored.Entry) error {
	r.notes.Drop(s.id, r.tx.State)
	if known == nil {
		return r.forgetUntracked(s)
	}
	at := r.totals.At(known.Class)
	if at >= 0 && s.class != "" && s.class != r.totals.Classes[at].Name {
		return fmt.Errorf("document %s: %w as %q but as %q", s.id, count.ErrNotLearned, s.class, r.totals.Classes[at].Name)
	}
	_, left, err := r.learned(s, known)
	if err != nil {
		return err
	}
	r.applied.Forgotten++
	if err := r.untrain(known, left); err != nil {
		return err
	}
	if key := stored.MoveKey(s.id); r.tx.State(key) != nil {
		return r.tx.PutState(&r.db.header.Key, map[string][]byte{key: nil})
	}
	return nil
}

// forgetUntracked takes away a document that the ledger does not know, if the class has
// such documents and its counts allow it.
func (r *learner) forgetUntracked(s *step) error {
	c := r.totals.Named(s.class)
	if s.doc == nil || c == nil || c.Untracked == 0 {
		return notLearned(s.id)
	}
	left, err := r.apportionUntracked(s.doc, c)
	if err != nil {
		return err
	}
	r.applied.Forgotten++
	return r.untrain(&stored.Entry{Keep: count.LedgerNone, Class: c.ID}, left)
}

// learned returns the document of a step as learned, with entry e, and the part of it that
// rows still have.
func (r *learner) learned(s *step, e *stored.Entry) (whole, left *encoded.Document, err error) {
	if r.totals.At(e.Class) < 0 {
		return nil, nil, &CorruptError{What: "ledger entry of document " + s.id.String(), Err: ErrNoClass}
	}
	if e.Keep == count.LedgerFull {
		whole, err = r.db.logged(r.tx, e)
		return whole, whole, err
	}
	if s.doc == nil || s.doc.Digest() != e.Digest {
		return nil, nil, fmt.Errorf("document %s: %w", s.id, ErrNoCounts)
	}
	left, err = r.apportion(s.doc, e)
	return s.doc, left, err
}

// apportion splits doc, the whole text of a document whose digest is e, into terms that
// are still in rows and dropped terms. While the document is learned, the row of one of
// its terms disappears only by being dropped: it was dropped if there is no row, or one
// made in a later epoch.
func (r *learner) apportion(doc *encoded.Document, e *stored.Entry) (*encoded.Document, error) {
	switch {
	case e.Epoch == r.totals.Epoch:
		return doc, nil
	case e.Epoch > r.totals.Epoch:
		return nil, fmt.Errorf("terms were dropped since it was learned, in the database that it came from: %w", ErrNoCounts)
	}
	return doc.Split(func(term []byte, _ uint8) (bool, error) {
		row, err := r.way.Row(r.db.header.Key.Hash(term), term)
		if err != nil || row == nil {
			return false, err
		}
		epoch, _ := table.Epoch(row)
		return epoch <= e.Epoch, nil
	})
}

// apportionUntracked is apportion for a document of class c that the ledger does not know, so
// that the epoch in which it was learned is unknown too. Whether a row made after the
// first epoch has counts of this document is unknown. If the class has only such
// documents, a row that holds the counts is trusted; otherwise a mistake would harm the
// other documents, and the document is refused.
func (r *learner) apportionUntracked(doc *encoded.Document, c *count.Class) (*encoded.Document, error) {
	epoch := r.totals.Epoch
	if c.Dropped == 0 && (epoch == 0 || !doc.InChannel()) {
		return doc, nil
	}
	counted := doc.Decode("")
	weights, _ := counted.Weights()
	return doc.Split(func(term []byte, n uint8) (bool, error) {
		row, err := r.way.Row(r.db.header.Key.Hash(term), term)
		if err != nil || row == nil {
			return false, err
		}
		if made, _ := table.Epoch(row); c.Untracked < c.Docs && (made > 0 || epoch == 0) {
			return false, fmt.Errorf("document %s: terms were dropped, perhaps since it was learned: %w", doc.ID, ErrNoCounts)
		}
		if err := r.row.Decode(row, true); err != nil {
			return false, err
		}
		return rows.Holds(r.row.Cells, uint32(c.ID), int(n), count.WeightOf(&weights, term, n)) == nil, nil
	})
}
