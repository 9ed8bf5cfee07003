package store

import (
	"errors"
	"strings"
	"time"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/encoded"
	"github.com/polya-classifier/polya/store/internal/layout"
	"github.com/polya-classifier/polya/store/internal/rows"
	"github.com/polya-classifier/polya/store/internal/stored"
	"github.com/polya-classifier/polya/store/internal/wire"
)

// put writes a record, sets its position and epoch, and changes rows and totals by it.
func (w *writer) put(rec *stored.Record, _ *stored.Entry) error {
	rec.Seq, rec.Epoch = w.totals.Seq+1, w.totals.Epoch
	steps, err := w.change(rec)
	if err != nil {
		return err
	}
	w.totals.Own(w.totals.At(rec.Class))
	if err := w.totals.Count(rec); err != nil {
		if rec.Op == stored.OpUntrain && rec.Keep == count.LedgerNone {
			return notLearned(rec.Doc.ID)
		}
		return err
	}
	w.touched = true
	if err := w.countAttributes(rec); err != nil {
		return err
	}
	w.totals.TailBytes += len(rec.Doc.Raw)
	if err := w.tx.PutRecord(rec); err != nil {
		return err
	}
	at := rows.At{Seq: rec.Seq, Committed: w.base, Oldest: w.oldest}
	w.Overlay.Lock()
	for i := range steps {
		s := &steps[i]
		at.From = w.Dir.Position(s.Hash)
		w.Overlay.Add(s, at)
	}
	w.Overlay.Unlock()
	if rec.Keep != count.LedgerNone {
		w.recent.Set(rec.Doc.ID, layout.RecentOf(rec))
	}
	return nil
}

// countAttributes changes the counts of the record's attributes. A document that no ledger knows is
// refused if it leaves its class fewer documents than one of its terms or attributes has: it
// was not learned.
func (w *writer) countAttributes(rec *stored.Record) error {
	untracked := rec.Op == stored.OpUntrain && rec.Keep == count.LedgerNone
	err := w.attributes.Add(&rec.Doc, uint32(rec.Class), rec.Sign())
	if err == nil && untracked {
		err = w.within()
	}
	switch {
	case errors.Is(err, count.ErrNotLearned) && untracked:
		return notLearned(rec.Doc.ID)
	case err == count.ErrNotLearned:
		return &CorruptError{What: "ledger entry of document " + rec.Doc.ID.String(), Err: errors.New("its attributes were not counted")}
	}
	return err
}

// change makes the steps of the record's terms, and sets its Fresh, Moves and Weight.
func (w *writer) change(rec *stored.Record) ([]rows.Step, error) {
	t := &w.terms
	t.Set(&w.db.header.Key, &rec.Doc, nil)
	if err := w.Ahead(t, uint32(rec.Class)); err != nil {
		return nil, err
	}
	rec.Weight, w.before = t.Weight, w.before[:0]
	sign := rec.Sign()
	for i := range t.Steps {
		s := &t.Steps[i]
		if s.Sign = sign; sign < 0 {
			if err := w.holds(s); err != nil {
				return nil, w.rowError(rec, s.Term, err)
			}
		}
		if count.OfChannel(s.Term) {
			w.channel = true
		} else {
			w.before = append(w.before, uint64(s.Docs))
			if sign > 0 && s.All == 0 || s.All+sign == 0 {
				rec.Fresh++
			}
		}
		s.Docs += sign
		s.All += sign
	}
	rec.Moves = wire.AppendPairs(nil, rows.Runs(w.before))
	return t.Steps, nil
}

// holds returns count.ErrNotLearned if the row has less than the step takes away.
func (w *writer) holds(s *rows.Step) error {
	row, changes, err := w.Find(s.Hash, s.Term)
	if err != nil {
		return err
	}
	cells, err := w.Fold.Sum(row, changes)
	if err != nil {
		return err
	}
	return rows.Holds(cells, s.Class, int(s.N), s.W)
}

// rowError says which document a row does not hold; a sound row holds every one of the ledger.
func (w *writer) rowError(rec *stored.Record, term []byte, err error) error {
	if err == count.ErrNotLearned && rec.Keep == count.LedgerNone {
		return notLearned(rec.Doc.ID)
	}
	return layout.DamagedRow(term, err)
}

// Moves returns when a document of the ledger came to its class, if it was moved there, and
// its entries as other classes before, the latest first, up to eight, with Class, Time (when it
// came there, zero if unknown) and Source. They are not part of a dump.
func (s *Snapshot) Moves(e *Entry) (at time.Time, list []Entry) {
	m := stored.ParseMoves(s.tx.State(stored.MoveKey(e.ID)), e.Class)
	for i := len(m.Before) - 1; i >= 0; i-- {
		b := m.Before[i]
		list = append(list, Entry{ID: e.ID, Class: string(b.Class), Time: encoded.Time(b.At), Source: string(b.Source)})
	}
	return encoded.Time(m.At), list
}

// Notes calls f for each note of Delta.Note with its key in the state, by which PutState can
// drop it, and with the document and its class. text is valid as long as s. A class that was
// removed may still have notes.
func (s *Snapshot) Notes(f func(key string, id count.DocID, class count.ClassID, text []byte)) {
	c := s.tx.Bucket(stored.BucketState).Cursor()
	for k, v := c.Seek([]byte(stored.NotePrefix)); strings.HasPrefix(string(k), stored.NotePrefix); k, v = c.Next() {
		if n, ok := stored.DecodeNote(wire.CheckCRC(v, k)); ok { // or it is damaged, which Check reports
			f(string(k), n.ID, n.Class, n.Text)
		}
	}
}

// StateDigest returns a number that differs, but for chance, from that of a snapshot with other
// values of PutState or other notes; 0 if there have never been any.
func (s *Snapshot) StateDigest() uint64 {
	sum, _, _ := layout.StateDigest(s.tx.Bucket(stored.BucketMeta).Get(stored.KeyState))
	return sum
}
