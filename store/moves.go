package store

import (
	"strings"
	"time"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/encoded"
	"github.com/polya-classifier/polya/store/internal/layout"
	"github.com/polya-classifier/polya/store/internal/stored"
	"github.com/polya-classifier/polya/store/internal/wire"
)

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

// noteMove keeps that a document, learned as known says and with the counts old, moves to a class.
func (r *learner) noteMove(s *step, known *stored.Entry, old *encoded.Document) error {
	from := r.totals.Classes[r.totals.At(known.Class)].Name
	last := stored.Earlier{Class: []byte(from), Source: old.Source, At: old.Time}
	if known.Keep != count.LedgerFull {
		last.Source, last.At = known.Source, known.Time
	}
	m := stored.ParseMoves(r.tx.State(stored.MoveKey(s.id)), from)
	last.At = max(last.At, m.At)
	at := time.Now().Unix()
	if s.kind == stepAdd {
		at = s.doc.Time
	}
	m.Add(last, s.class, at)
	return r.tx.PutState(&r.db.header.Key, map[string][]byte{stored.MoveKey(s.id): m.Encode()})
}

// putNotes writes the changes of notes, after the last step of a request.
func (r *learner) putNotes() error {
	if len(r.notes) == 0 {
		return nil
	}
	return r.tx.PutState(&r.db.header.Key, r.notes)
}

// Notes calls f for each note of Delta.Note with its key in the state, by which PutState can
// drop it, and with the document and its class. text is valid only during the call. A class
// that was removed may still have notes.
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
