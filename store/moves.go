package store

import (
	"time"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/encoded"
	"github.com/polya-classifier/polya/store/internal/stored"
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
func (r *rules) noteMove(s *step, known *stored.Entry, old *encoded.Document) error {
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
	return r.tx.PutState(r.key, map[string][]byte{stored.MoveKey(s.id): m.Encode()})
}

// forgetMoves drops what noteMove has kept of a document.
func (r *rules) forgetMoves(id count.DocID) error {
	if r.tx.State(stored.MoveKey(id)) == nil {
		return nil
	}
	return r.tx.PutState(r.key, map[string][]byte{stored.MoveKey(id): nil})
}
