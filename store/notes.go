package store

import (
	"strings"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/layout"
	"github.com/polya-classifier/polya/store/internal/stored"
	"github.com/polya-classifier/polya/store/internal/wire"
)

// NoteMost is the number of notes that are kept: one about the documents that share a hash.
const NoteMost = stored.NoteMost

// Note is a note about a document as one of a class; see Delta.Note.
type Note = stored.Note

// setNote changes a note when the request has succeeded, where nil drops it.
func (r *rules) setNote(key string, value []byte) {
	if r.notes == nil {
		r.notes = make(map[string][]byte)
	}
	r.notes[key] = value
}

// keepNote keeps the note of a step whose document becomes one of this class.
func (r *rules) keepNote(s *step, class count.ClassID) {
	if s.note != nil {
		r.setNote(stored.NoteKey(r.key, s.id), (&Note{ID: s.id, Class: class, Text: s.note}).Encode())
	}
}

// dropNote drops the note about a document.
func (r *rules) dropNote(id count.DocID) {
	key := stored.NoteKey(r.key, id)
	now, changed := r.notes[key]
	if !changed {
		now = r.tx.State(key)
	}
	if n, ok := stored.DecodeNote(now); ok && n.ID == id {
		r.setNote(key, nil)
	}
}

// putNotes writes the changes of notes, after the last step of a request.
func (r *rules) putNotes() error {
	if len(r.notes) == 0 {
		return nil
	}
	return r.tx.PutState(r.key, r.notes)
}

// Notes calls f for each note, with its key in the state, by which PutState can drop it. It is
// valid only during the call. A class that was removed may still have notes.
func (s *Snapshot) Notes(f func(key string, n Note)) {
	c := s.tx.Bucket(stored.BucketState).Cursor()
	for k, v := c.Seek([]byte(stored.NotePrefix)); strings.HasPrefix(string(k), stored.NotePrefix); k, v = c.Next() {
		if n, ok := stored.DecodeNote(wire.CheckCRC(v, k)); ok { // or it is damaged, which Check reports
			f(string(k), n)
		}
	}
}

// StateDigest returns a number that differs, but for chance, from that of a snapshot with other
// values of PutState or other notes; 0 if there have never been any.
func (s *Snapshot) StateDigest() uint64 {
	sum, _, _ := layout.StateDigest(s.tx.Bucket(stored.BucketMeta).Get(stored.KeyState))
	return sum
}
