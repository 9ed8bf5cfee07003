package stored

import (
	"bytes"
	"encoding/binary"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/table"
	"github.com/polya-classifier/polya/store/internal/wire"
)

// maxMoves is how many earlier classes of a document are kept.
const maxMoves = 8

// Moves is the value of the state at MoveKey.
type Moves struct {
	To     string // its class now, or the value is of a move that failed
	At     int64  // when it came there, in Unix seconds
	Before []Earlier
}

// Earlier is a document's entry as another class.
type Earlier struct {
	Class, Source []byte
	At            int64
}

// MoveKey is the state key of a document's earlier classes.
func MoveKey(id count.DocID) string { return "moves/" + string(id[:]) }

// Add says that the document, last as e says, is of another class since then.
func (m *Moves) Add(e Earlier, to string, at int64) {
	m.To, m.At, m.Before = to, at, append(m.Before, e)
	m.Before = m.Before[max(0, len(m.Before)-maxMoves):]
}

// Encode returns the value.
func (m *Moves) Encode() []byte {
	b := binary.AppendVarint(wire.AppendPrefixed(nil, m.To), m.At)
	for _, e := range m.Before {
		b = wire.AppendPrefixed(binary.AppendVarint(wire.AppendPrefixed(b, e.Class), e.At), e.Source)
	}
	return b
}

// ParseMoves reads what Encode wrote of a document that has this class, else nothing. Its
// values are in data.
func ParseMoves(data []byte, class string) (m Moves) {
	r := wire.Reader{Data: data}
	m.To, m.At = string(r.Prefixed()), r.Varint()
	for !r.Bad && r.At < len(data) {
		e := Earlier{Class: r.Prefixed()}
		e.At, e.Source = r.Varint(), r.Prefixed()
		m.Before = append(m.Before, e)
	}
	if r.Bad || m.To != class {
		return Moves{}
	}
	return m
}

// NotePrefix begins the state keys of notes, of which there are at most NoteMost. The hash of a
// document says in which notePlaces its note may be.
const (
	NotePrefix = "notes/"
	NoteMost   = 512
	notePlaces = 8
)

// noteKey is the state key of place i of the note about a document. It is the same in all databases,
// so that those that have learned the same in the same order keep the same notes. Earlier programs
// had twice as many places, those from NoteMost on too, and of a document place 0 or NoteMost.
func noteKey(id count.DocID, i int) string {
	at := (new(table.Key).Hash(id[:])+uint64(i))%NoteMost + uint64(i/NoteMost*NoteMost)
	return NotePrefix + string(binary.BigEndian.AppendUint16(nil, uint16(at)))
}

// Note is a note about a document as one of a class.
type Note struct {
	ID    count.DocID
	Class count.ClassID
	Text  []byte
}

// Encode returns the value of the note.
func (n *Note) Encode() []byte {
	return append(binary.LittleEndian.AppendUint32(bytes.Clone(n.ID[:]), uint32(n.Class)), n.Text...)
}

// DecodeNote reads what Encode returns, in place; ok is false for other bytes.
func DecodeNote(v []byte) (n Note, ok bool) {
	if len(v) < len(n.ID)+4 {
		return n, false
	}
	rest := v[copy(n.ID[:], v):]
	n.Class, n.Text = count.ClassID(binary.LittleEndian.Uint32(rest)), rest[4:]
	return n, true
}

// NoteChanges are values of notes by their keys, nil of those that go.
type NoteChanges map[string][]byte

func (c *NoteChanges) set(key string, value []byte) {
	if *c == nil {
		*c = make(NoteChanges)
	}
	(*c)[key] = value
}

// Keep has the note take a free place, or that of another. state has the values before the changes.
func (c *NoteChanges) Keep(n *Note, state func(string) []byte) {
	c.Drop(n.ID, state)
	free := 0
	for i := notePlaces - 1; i >= 0; i-- {
		if _, taken := c.note(noteKey(n.ID, i), state); !taken {
			free = i
		}
	}
	c.set(noteKey(n.ID, free), n.Encode())
	if old := noteKey(n.ID, NoteMost+free); state(old) != nil {
		c.set(old, nil)
	}
}

// Drop drops the note about a document.
func (c *NoteChanges) Drop(id count.DocID, state func(string) []byte) {
	for i := range notePlaces + 1 {
		k := noteKey(id, i%notePlaces+i/notePlaces*NoteMost)
		if n, ok := c.note(k, state); ok && n.ID == id {
			c.set(k, nil)
		}
	}
}

func (c *NoteChanges) note(k string, state func(string) []byte) (Note, bool) {
	now, changed := (*c)[k]
	if !changed {
		now = state(k)
	}
	return DecodeNote(now)
}
