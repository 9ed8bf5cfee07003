package stored

import (
	"bytes"
	"encoding/binary"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/table"
)

// NotePrefix begins the state keys of notes, and NoteMost is the number of them.
const (
	NotePrefix = "notes/"
	NoteMost   = 512
)

// NoteKey is the state key of the note about a document. The hash is keyed, so that nobody can
// choose which documents share one.
func NoteKey(key *table.Key, id count.DocID) string {
	return NotePrefix + string(binary.BigEndian.AppendUint16(nil, uint16(key.Hash(id[:])%NoteMost)))
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
