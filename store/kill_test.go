package store

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/polya-classifier/polya/internal/raced"
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/file"
	"github.com/polya-classifier/polya/store/internal/layout"
	"github.com/polya-classifier/polya/store/internal/stored"
)

// trainUntilKilled learns document after document and prints the number of each
// when it is on the disk.
func trainUntilKilled(path string) {
	u := small
	u.minTail, u.minMerge, u.minTable, u.manySteps, u.spare = 16, 1, 2<<10, 40, 0
	db, err := Open(path, Options{tuning: &u})
	if err != nil {
		fmt.Println("error", err)
		os.Exit(1)
	}
	first := 0
	db.View(func(s *Snapshot) error {
		first = int(s.Documents())
		return nil
	})
	for i := first; ; {
		n := 1
		if i%97 == 50 {
			n = 45 // many at once
		}
		var d Delta
		for k := range n {
			d.Add(attributed(i+k, []string{"ham", "spam"}[(i+k)%2]))
			d.Note(k, []byte(strconv.Itoa(i+k)))
		}
		if _, err := db.Apply(&d); err != nil {
			fmt.Println("error", err)
			os.Exit(1)
		}
		i += n
		fmt.Println(i)
	}
}

// A process that is killed at any moment loses no document that it was told is
// learned, and leaves a database that checks clean.
func TestKill(t *testing.T) {
	raced.Skip(t)
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := tempDB(t)
	learned, lives := 0, 50
	if testing.Short() {
		lives = 10
	}
	for life := range lives {
		cmd := exec.Command(self)
		cmd.Env = append(os.Environ(), "POLYA_STORE_TRAIN="+path)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		kill := func() {
			time.AfterFunc(time.Duration(10+rand.IntN(60))*time.Millisecond, func() { cmd.Process.Kill() })
		}
		// Every second one is killed while it begins, as far as it has come by then, the
		// others when they have learned some: in little time a slow machine learns nothing.
		if life%2 == 0 {
			kill()
		}
		lines := bufio.NewScanner(out)
		for left := 2 + rand.IntN(8); lines.Scan(); left-- {
			if left == 0 && life%2 == 1 {
				kill()
			}
			n, err := strconv.Atoi(strings.TrimSpace(lines.Text()))
			if err != nil {
				t.Fatal(lines.Text())
			}
			learned = n
		}
		cmd.Wait()
		learned = mustHold(t, path, learned)
	}
	if learned < lives {
		t.Errorf("only %d documents were learned in %d lives: nothing was tried", learned, lives)
	}
}

// mustHold checks that the database holds the first n documents of the series,
// and perhaps some more that nobody was told of, and returns how many.
func mustHold(t *testing.T, path string, n int) int {
	t.Helper()
	db, err := Open(path, tuned(t, Options{}))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if r := mustCheck(t, db); int(r.Documents) < n {
		t.Fatalf("%d documents of %d that were acknowledged", r.Documents, n)
	} else {
		n = int(r.Documents)
	}
	m := &model{docs: map[count.DocID]count.Document{}}
	for i := range n {
		d := attributed(i, []string{"ham", "spam"}[i%2])
		m.docs[d.ID] = d
	}
	mustEqualModel(t, db, m)
	var notes stored.NoteChanges
	for i := range n {
		none := func(string) []byte { return nil }
		notes.Keep(&stored.Note{ID: attributed(i, "").ID, Text: []byte(strconv.Itoa(i))}, none)
	}
	err = db.View(func(s *Snapshot) error {
		s.Notes(func(key string, _ count.DocID, _ count.ClassID, got []byte) {
			if want, _ := stored.DecodeNote(notes[key]); string(want.Text) != string(got) {
				t.Errorf("a note about document %s in place of %s", got, want.Text)
			}
			delete(notes, key)
		})
		return nil
	})
	if err != nil || len(notes) > 0 {
		t.Errorf("notes lost: %v, %v", notes, err)
	}
	return n
}

// A bulk training that moves a document which it has learned itself enters all documents in the
// ledger at once: a process killed before that would leave a log with a gap.
func TestBulkKilledAfterItMovedItsOwn(t *testing.T) {
	t.Parallel()
	fast(t)
	path := tempDB(t)
	db := open(t, path, Options{})
	var d Delta
	const n, moved = 100, 50 // several parts of the ledger
	for i := range n + 1 {
		doc, class := i, "ham"
		if i == n {
			doc, class = moved, "spam"
		}
		if err := d.Add(document(doc, class, map[string]int{"word": 1, fmt.Sprint("word", doc%7): 2})); err != nil {
			t.Fatal(err)
		}
	}
	err := db.locked(func(*file.File) error {
		if err := db.rememberLocked(true); err != nil {
			return err
		}
		return db.update(func(tx layout.Tx) (*memory, error) {
			b, err := db.newBulk(t.Context(), tx)
			if err != nil {
				return nil, err
			}
			b.begin(&d, new(Applied))
			if err := b.steps(&d); err != nil {
				return nil, err
			}
			return b.finish()
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil { // without enterLedger, as if killed
		t.Fatal(err)
	}
	db = open(t, path, Options{})
	if r := mustCheck(t, db); r.Documents != n || r.Entries != n {
		t.Errorf("%d documents and %d entries, want %d", r.Documents, r.Entries, n)
	}
	err = db.View(func(s *Snapshot) error {
		e, err := s.Entry(document(moved, "", nil).ID)
		if err == nil && (e == nil || e.Class != "spam") {
			t.Errorf("the ledger has %+v of the document that moved", e)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
