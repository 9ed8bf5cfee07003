package store

import (
	"strings"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/layout"
	"github.com/polya-classifier/polya/store/internal/stored"
	"github.com/polya-classifier/polya/store/internal/wire"
)

// putNotes writes the changes of notes, after the last step of a request.
func (r *rules) putNotes() error {
	if len(r.notes) == 0 {
		return nil
	}
	return r.tx.PutState(r.key, r.notes)
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
