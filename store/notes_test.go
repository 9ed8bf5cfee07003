package store

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/polya-classifier/polya/internal/raced"
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/stored"
	"github.com/polya-classifier/polya/store/internal/table"
)

// noted returns the notes of db by document.
func noted(t *testing.T, db *DB) map[count.DocID]string {
	t.Helper()
	list := make(map[count.DocID]string)
	err := db.View(func(s *Snapshot) error {
		s.Notes(func(_ string, id count.DocID, of count.ClassID, text []byte) {
			class := ""
			for _, c := range s.Classes() {
				if c.ID == of {
					class = c.Name
				}
			}
			list[id] = class + " " + string(text)
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func stateDigest(t *testing.T, db *DB) (sum uint64) {
	t.Helper()
	if err := db.View(func(s *Snapshot) error { sum = s.StateDigest(); return nil }); err != nil {
		t.Fatal(err)
	}
	return sum
}

// A note lives as long as its document is of its class, however the document is changed, in a
// transaction of few documents and of many; a Delta that fails leaves all notes as they were.
func TestNotes(t *testing.T) {
	t.Parallel()
	for _, many := range []int{0, 2} {
		t.Run(fmt.Sprint(many), func(t *testing.T) { testNotes(t, many) })
	}
}

func testNotes(t *testing.T, many int) {
	if many > 0 {
		tune(t).manySteps = many
	}
	db := open(t, tempDB(t), Options{})
	one, two := document(1, "spam", map[string]int{"a": 1}), document(2, "spam", map[string]int{"b": 1})
	apply := func(f func(*Delta)) error {
		var d Delta
		f(&d)
		for d.Len() < many { // so that it is many
			if err := d.Add(document(3+d.Len(), "ham", map[string]int{"c": 1})); err != nil {
				t.Fatal(err)
			}
		}
		_, err := db.Apply(&d)
		return err
	}
	must := func(f func(*Delta) error) {
		t.Helper()
		err := apply(func(d *Delta) {
			if err := f(d); err != nil {
				t.Fatal(err)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	add := func(doc count.Document, note string) func(*Delta) error {
		return func(d *Delta) error {
			err := d.Add(doc)
			d.Note(d.Len()-1, []byte(note))
			return err
		}
	}
	want := func(list string) {
		t.Helper()
		if got := fmt.Sprint(noted(t, db)); got != list {
			t.Errorf("many %d: notes %s, want %s", many, got, list)
		}
	}
	must(add(one, "a"))
	first := stateDigest(t, db)
	want(fmt.Sprint(map[count.DocID]string{one.ID: "spam a"}))
	must(add(one, "b")) // it is learned already
	want(fmt.Sprint(map[count.DocID]string{one.ID: "spam a"}))
	must(func(d *Delta) error { return d.Add(two) })
	want(fmt.Sprint(map[count.DocID]string{one.ID: "spam a"}))

	if err := apply(func(d *Delta) { d.Forget(one.ID); d.Forget(count.DocID{9}) }); err == nil {
		t.Error("forgot what was never learned")
	}
	want(fmt.Sprint(map[count.DocID]string{one.ID: "spam a"}))
	if stateDigest(t, db) != first {
		t.Error("the digest has changed, and no note has")
	}

	moved := one
	moved.Class = "ham"
	must(add(moved, "c"))
	want("map[]")
	must(func(d *Delta) error { d.Forget(one.ID); return nil })
	must(add(one, "d"))
	must(func(d *Delta) error { d.Forget(one.ID); return nil })
	want("map[]")
}

// Nearly all notes are kept as long as there are not more than there is room for.
func TestNotesFindRoom(t *testing.T) {
	t.Parallel()
	db := open(t, tempDB(t), Options{})
	const n = stored.NoteMost * 3 / 4
	for i := range n {
		var d Delta
		if err := d.Add(document(i, "spam", map[string]int{"a": 1})); err != nil {
			t.Fatal(err)
		}
		d.Note(0, []byte("a"))
		if _, err := db.Apply(&d); err != nil {
			t.Fatal(err)
		}
	}
	if list := noted(t, db); len(list) < n*95/100 {
		t.Errorf("%d of %d notes", len(list), n)
	}
	for i := range n {
		var d Delta
		d.Forget(document(i, "", nil).ID)
		if _, err := db.Apply(&d); err != nil {
			t.Fatal(err)
		}
	}
	if list := noted(t, db); len(list) > 0 {
		t.Errorf("%d notes about documents that were forgotten", len(list))
	}
}

// A database keeps a bounded number of notes, each whole.
func TestNotesAreBounded(t *testing.T) {
	t.Parallel()
	db := open(t, tempDB(t), Options{})
	for i := range 4 {
		var d Delta
		for k := range stored.NoteMost {
			name := fmt.Sprint(i, " ", k)
			if err := d.Add(document(i*stored.NoteMost+k, "spam", map[string]int{"a": 1})); err != nil {
				t.Fatal(err)
			}
			d.Note(d.Len()-1, []byte(name))
		}
		if _, err := db.Apply(&d); err != nil {
			t.Fatal(err)
		}
	}
	list := noted(t, db)
	if len(list) > stored.NoteMost || len(list) < stored.NoteMost*9/10 {
		t.Errorf("%d notes", len(list))
	}
	mustCheck(t, db)
}

// Notes where earlier programs kept them, in twice as many places, are dropped with their documents
// and give way to new ones.
func TestNotesOfEarlierPrograms(t *testing.T) {
	raced.Skip(t)
	t.Parallel()
	db := open(t, tempDB(t), Options{})
	const n = 100
	state := make(map[string][]byte)
	note := func(i int) {
		var d Delta
		if err := d.Add(document(i, "spam", map[string]int{"a": 1})); err != nil {
			t.Fatal(err)
		}
		if i >= n {
			d.Note(0, []byte("a"))
		}
		if _, err := db.Apply(&d); err != nil {
			t.Fatal(err)
		}
	}
	for i := range n {
		note(i)
		id := document(i, "", nil).ID
		key := string(binary.BigEndian.AppendUint16([]byte(stored.NotePrefix), uint16(new(table.Key).Hash(id[:])%1024)))
		state[key] = (&stored.Note{ID: id, Text: []byte("old")}).Encode()
	}
	if err := db.PutState(state); err != nil {
		t.Fatal(err)
	}
	for i := range n / 2 {
		var d Delta
		d.Forget(document(i, "", nil).ID)
		if _, err := db.Apply(&d); err != nil {
			t.Fatal(err)
		}
	}
	for id := range noted(t, db) {
		for i := range n / 2 {
			if id == document(i, "", nil).ID {
				t.Fatal("a note about a document that was forgotten")
			}
		}
	}
	for i := range 3 * stored.NoteMost {
		note(n + i)
	}
	if list := noted(t, db); len(list) > stored.NoteMost {
		t.Errorf("%d notes", len(list))
	}
}
