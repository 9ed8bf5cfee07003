package store

import (
	"bytes"
	"encoding/binary"
	"strings"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/layout"
	"github.com/polya-classifier/polya/store/internal/stored"
	"github.com/polya-classifier/polya/store/internal/wire"
)

// NoteMost is the number of notes that are kept: one about the documents whose ids have
// the same hash modulo it, which is keyed so that nobody can choose it.
const NoteMost = 512

// notePrefix begins the state keys of notes. The value is the id of the document, the id of its
// class, u32 little-endian, and the note.
const (
	notePrefix = "notes/"
	noteHead   = len(count.DocID{}) + 4
)

// notes are changes of notes by key, nil for none any more.
type notes map[string][]byte

func (r *rules) noteKey(id count.DocID) string {
	return notePrefix + string(binary.BigEndian.AppendUint16(nil, uint16(r.key.Hash(id[:])%NoteMost)))
}

// keepNote keeps the note of a step whose document becomes one of this class.
func (r *rules) keepNote(s *step, class count.ClassID) {
	if s.note == nil {
		return
	}
	r.setNote(r.noteKey(s.id), append(binary.LittleEndian.AppendUint32(bytes.Clone(s.id[:]), uint32(class)), s.note...))
}

func (r *rules) setNote(key string, value []byte) {
	if r.notes == nil {
		r.notes = make(notes)
	}
	r.notes[key] = value
}

// dropNote drops the note about a document.
func (r *rules) dropNote(id count.DocID) {
	key := r.noteKey(id)
	now, changed := r.notes[key]
	if !changed {
		now = r.tx.State(key)
	}
	if bytes.HasPrefix(now, id[:]) {
		r.setNote(key, nil)
	}
}

// putNotes writes the changes of notes; it is called after the last step, when nothing can fail
// any more.
func (r *rules) putNotes() error {
	if len(r.notes) == 0 {
		return nil
	}
	return r.tx.PutState(r.key, r.notes)
}

// Note is a note about a document; see Delta.Note.
type Note struct {
	Key   string // of the state, by which PutState can drop it
	ID    count.DocID
	Class count.ClassID
	Note  []byte
}

// Notes calls f for each note that is kept, in an order that is the same until it is replaced.
// It is valid only during the call. A class that was removed may still have notes.
func (s *Snapshot) Notes(f func(Note)) {
	c := s.tx.Bucket(stored.BucketState).Cursor()
	for k, v := c.Seek([]byte(notePrefix)); strings.HasPrefix(string(k), notePrefix); k, v = c.Next() {
		n := Note{Key: string(k)}
		if v = wire.CheckCRC(v, k); len(v) < noteHead {
			continue // damaged, which Check reports
		}
		copy(n.ID[:], v)
		n.Class, n.Note = count.ClassID(binary.LittleEndian.Uint32(v[len(n.ID):])), v[noteHead:]
		f(n)
	}
}

// StateDigest returns a number that differs, but for chance, from that of a snapshot with other
// values of PutState or other notes; 0 if there have never been any.
func (s *Snapshot) StateDigest() uint64 {
	sum, _, _ := layout.StateDigest(s.tx.Bucket(stored.BucketMeta).Get(stored.KeyState))
	return sum
}
