package stored

import (
	"bytes"
	"encoding/binary"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/table"
)

// NotePrefix begins the state keys of notes, of which there are at most NoteMost: one about the
// documents that share a hash.
const (
	NotePrefix = "notes/"
	NoteMost   = 1024
)

// NoteKey is the state key of the note about a document. It is the same in all databases, so that
// those that have learned the same in the same order keep the same notes.
func NoteKey(id count.DocID) string {
	return NotePrefix + string(binary.BigEndian.AppendUint16(nil, uint16(new(table.Key).Hash(id[:])%NoteMost)))
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

// Keep has the note take the place of another.
func (c *NoteChanges) Keep(n *Note) { c.set(NoteKey(n.ID), n.Encode()) }

// Drop drops the note about a document, where state has the values before the changes.
func (c *NoteChanges) Drop(id count.DocID, state func(string) []byte) {
	k := NoteKey(id)
	now, changed := (*c)[k]
	if !changed {
		now = state(k)
	}
	if n, ok := DecodeNote(now); ok && n.ID == id {
		c.set(k, nil)
	}
}
