package store

import (
	"errors"
	"fmt"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/encoded"
	"github.com/polya-classifier/polya/store/internal/layout"
	"github.com/polya-classifier/polya/store/internal/stored"
	"github.com/polya-classifier/polya/store/internal/table"
	"github.com/polya-classifier/polya/store/internal/totals"
)

// learner changes the counts by one document at a time: a writer logs each one, a bulk
// sums many. The type rules decides what a step of a Delta changes.
type learner interface {
	// entry returns the ledger's entry of a document as of now, or nil.
	Entry(id count.DocID) (*stored.Entry, error)

	// logged returns the document of an entry of count.LedgerFull. It may be kept.
	Logged(e *stored.Entry) (*encoded.Document, error)

	// row returns the row of a term as of now, or nil.
	Row(hash uint64, term []byte) ([]byte, error)

	// train counts doc for class c, and enters it in the ledger as keep says.
	Train(c *count.Class, doc *encoded.Document, keep count.Ledger) error

	// untrain takes away doc, the part of the document of entry e that rows still have, and
	// the entry. With count.LedgerNone there is no entry.
	Untrain(e *stored.Entry, doc *encoded.Document) error
}

// rules carries out the steps of a Delta, according to the ledger's entry of each document.
type rules struct {
	learner
	tx      layout.Tx
	key     *table.Key
	totals  *totals.Totals // of the learner, which changes them
	keep    count.Ledger
	applied *Applied
	row     *table.Row // to decode
	notes   stored.NoteChanges
}

// step carries out a step.
func (r *rules) step(s *step) error {
	var known *stored.Entry
	if s.kind != stepAdd || r.keep != count.LedgerNone {
		var err error
		if known, err = r.Entry(s.id); err != nil {
			return err
		}
	}
	switch {
	case s.kind == stepTake || s.kind == stepForget:
		return r.forget(s, known)
	case known == nil && s.kind != stepAdd && s.kind != stepNew:
		return notLearned(s.id)
	}
	return r.learn(s, known)
}

func notLearned(id count.DocID) error { return fmt.Errorf("document %s: %w", id, count.ErrNotLearned) }

// learn learns the document as s.class, or moves it there.
func (r *rules) learn(s *step, known *stored.Entry) error {
	doc := s.doc
	if known == nil {
		r.applied.Learned++
	} else {
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
		if doc = old; s.kind == stepAdd {
			doc = encoded.Meet(old, s.doc, moves)
		}
		if !moves {
			return r.replace(known, old, doc)
		}
		if err := r.Untrain(known, left); err != nil {
			return err
		}
		if err := r.noteMove(s, known, old); err != nil {
			return err
		}
		r.notes.Drop(s.id, r.tx.State)
		r.applied.Moved++
	}
	c, err := r.totals.Class(r.tx, s.class)
	if err != nil {
		return err
	}
	if known == nil && s.note != nil {
		r.notes.Keep(&stored.Note{ID: s.id, Class: c.ID, Text: s.note})
	}
	return r.Train(c, doc, keepFor(r.keep, doc))
}

// replace has the ledger keep doc instead of old, the same document with other counts.
func (r *rules) replace(known *stored.Entry, old, doc *encoded.Document) error {
	r.applied.Already++
	if doc == old {
		return nil
	}
	class := known.Class
	if err := r.Untrain(known, old); err != nil {
		return err
	}
	return r.Train(r.totals.ByID(class), doc, count.LedgerFull)
}

// forget takes away the document, which must be of s.class if that is not empty.
func (r *rules) forget(s *step, known *stored.Entry) error {
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
	if err := r.Untrain(known, left); err != nil {
		return err
	}
	return r.forgetMoves(s.id)
}

// forgetUntracked takes away a document that the ledger does not know, if the class has
// such documents and its counts allow it.
func (r *rules) forgetUntracked(s *step) error {
	c := r.totals.Named(s.class)
	if s.doc == nil || c == nil || c.Untracked == 0 {
		return notLearned(s.id)
	}
	left, err := apportionUntracked(r.key, s.doc, c, r.totals.Epoch, r.row, r.Row)
	if err != nil {
		return err
	}
	r.applied.Forgotten++
	return r.Untrain(&stored.Entry{Keep: count.LedgerNone, Class: c.ID}, left)
}

// learned returns the document of a step as learned, with entry e, and the part of it that
// rows still have.
func (r *rules) learned(s *step, e *stored.Entry) (whole, left *encoded.Document, err error) {
	if r.totals.At(e.Class) < 0 {
		return nil, nil, &CorruptError{What: "ledger entry of document " + s.id.String(), Err: ErrNoClass}
	}
	if e.Keep == count.LedgerFull {
		whole, err = r.Logged(e)
		return whole, whole, err
	}
	if s.doc == nil || s.doc.Digest() != e.Digest {
		return nil, nil, fmt.Errorf("document %s: %w", s.id, ErrNoCounts)
	}
	left, err = apportion(r.key, s.doc, e, r.totals.Epoch, r.Row)
	return s.doc, left, err
}
