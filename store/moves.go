package store

import (
	"encoding/binary"
	"time"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/encoded"
	"github.com/polya-classifier/polya/store/internal/stored"
	"github.com/polya-classifier/polya/store/internal/wire"
)

// maxMoves is how many earlier classes of a document are kept.
const maxMoves = 8

// moves is the value of the state "moves/" and a document's id.
type moves struct {
	to     string // its class now, or the value is of a move that failed
	at     int64  // when it came there
	before []earlier
}

type earlier struct {
	class, source []byte
	at            int64
}

func moveKey(id count.DocID) string { return "moves/" + string(id[:]) }

func (m *moves) encode() []byte {
	b := binary.AppendVarint(wire.AppendPrefixed(nil, m.to), m.at)
	for _, e := range m.before {
		b = wire.AppendPrefixed(binary.AppendVarint(wire.AppendPrefixed(b, e.class), e.at), e.source)
	}
	return b
}

// parseMoves reads what encode wrote of a document that has this class, else nothing.
func parseMoves(data []byte, class string) (m moves) {
	r := wire.Reader{Data: data}
	m.to, m.at = string(r.Prefixed()), r.Varint()
	for !r.Bad && r.At < len(data) {
		e := earlier{class: r.Prefixed()}
		e.at, e.source = r.Varint(), r.Prefixed()
		m.before = append(m.before, e)
	}
	if r.Bad || m.to != class {
		return moves{}
	}
	return m
}

// Moves returns when a document of the ledger came to its class, if it was moved there, and
// its entries as other classes before, the latest first, up to eight, with Class, Time (when it
// came there, zero if unknown) and Source. They are not part of a dump.
func (s *Snapshot) Moves(e *Entry) (at time.Time, list []Entry) {
	m := parseMoves(s.tx.State(moveKey(e.ID)), e.Class)
	for i := len(m.before) - 1; i >= 0; i-- {
		b := m.before[i]
		list = append(list, Entry{ID: e.ID, Class: string(b.class), Time: encoded.Time(b.at), Source: string(b.source)})
	}
	return encoded.Time(m.at), list
}

// noteMove keeps that a document, learned as known says and with the counts old, moves to a class.
func (r *rules) noteMove(s *step, known *stored.Entry, old *encoded.Document) error {
	from := r.totals.Classes[r.totals.At(known.Class)].Name
	last := earlier{class: []byte(from), source: old.Source, at: old.Time}
	if known.Keep != count.LedgerFull {
		last.source, last.at = known.Source, known.Time
	}
	m := parseMoves(r.tx.State(moveKey(s.id)), from)
	last.at = max(last.at, m.at)
	m.to, m.at, m.before = s.class, time.Now().Unix(), append(m.before, last)
	if s.kind == stepAdd {
		m.at = s.doc.Time
	}
	m.before = m.before[max(0, len(m.before)-maxMoves):]
	return r.tx.PutState(r.key, map[string][]byte{moveKey(s.id): m.encode()})
}

// forgetMoves drops what noteMove has kept of a document.
func (r *rules) forgetMoves(id count.DocID) error {
	if r.tx.State(moveKey(id)) == nil {
		return nil
	}
	return r.tx.PutState(r.key, map[string][]byte{moveKey(id): nil})
}
