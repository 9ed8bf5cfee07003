package watching

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/polya-classifier/polya/cmd/polyad/internal/filing"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/tokenize/mail"
)

// letterIn puts a message into a folder.
func (w *world) letterIn(folder, text string, read bool) *letter {
	l := &letter{id: mail.ID([]byte(text)), text: text, read: read, delivered: w.now}
	w.place(l, place{}, folder)
	return l
}

// keyIn returns the key of a copy in a folder.
func (w *world) keyIn(folder string, l *letter) string {
	for p, other := range w.mail {
		if p.folder == folder && other.id == l.id {
			return p.key
		}
	}
	return ""
}

// where returns the folders in which copies of a message lie.
func (w *world) where(l *letter) (folders []string) {
	for p, other := range w.mail {
		if other.id == l.id {
			folders = append(folders, p.folder)
		}
	}
	slices.Sort(folders)
	return folders
}

func (w *world) want(what string, l *letter, class string, folders ...string) {
	w.t.Helper()
	if got := w.where(l); !slices.Equal(got, folders) {
		w.t.Errorf("%s: it lies in %q, want %q", what, got, folders)
	}
	if got := w.ledger[l.id]; got != class {
		w.t.Errorf("%s: it is learned as %q, want %q", what, got, class)
	}
	for _, fail := range w.fails {
		w.t.Error(what, fail)
	}
}

// Copies of a message that come together, or at different times, are all filed. One that comes
// after the others are filed and was delivered when they were may be a copy that the user has
// made: it is left, and teaches nothing, whatever folders are called by then.
func TestTwice(t *testing.T) {
	t.Parallel()
	const text = "Message-ID: <twice@x>\n\nbelongs work surely\n"
	for i, folders := range [][]string{{"Work", "Work"}, {"Work", "Work"}, {"INBOX", "Work"}} {
		w := newWorld(t, "inbox")
		w.look(0)
		first := w.letterIn("INBOX", text, false)
		if i > 0 {
			w.look(0)
			w.now = w.now.Add(time.Duration(2-i) * time.Millisecond)
		}
		w.letterIn("INBOX", text, false)
		w.look(0)
		w.want("delivered twice", first, "", folders...)
		w.now = w.now.Add(time.Hour)
		for range 2 { // the server gives new keys
			for p, l := range w.mail {
				w.place(l, p, p.folder)
			}
			w.look(0)
		}
		w.want("after a while", first, "", folders...)
		w.w.Close()
	}
}

// A message that its sender has delivered again teaches nothing, wherever the first one has gone,
// and is filed as any other that is new.
func TestAgain(t *testing.T) {
	t.Parallel()
	for _, inboxClass := range []string{"inbox", ""} {
		for _, surely := range []string{" surely", ""} {
			for _, gone := range []bool{true, false} {
				w := newWorld(t, inboxClass)
				w.look(0)
				text := "Message-ID: <again@x>\n\nbelongs work" + surely + "\n"
				l := w.letterIn("INBOX", text, false)
				w.look(0)
				class, here := "", []string{"Work"}
				if surely == "" { // the user puts it there
					for p := range w.mail {
						w.place(l, p, "Work")
					}
					class, here = "work", []string{"INBOX"}
					w.look(0)
				}
				w.want("first", l, class, "Work")
				if gone {
					clear(w.mail)
				} else {
					here = append(here, "Work")
				}
				for range 3 {
					w.now = w.now.Add(time.Hour)
					w.look(0)
				}
				w.letterIn("INBOX", text, false)
				for range 3 {
					w.look(0)
					w.want("again", l, class, here...)
					for p, l := range w.mail { // and is called otherwise
						w.place(l, p, p.folder)
					}
				}
				w.w.Close()
			}
		}
	}
}

// What comes again with the same Message-ID and the same body is asked about, whatever stands in its
// subject, where the user has read the first and where he has not, and when he deletes that at once.
func TestOtherSubject(t *testing.T) {
	t.Parallel()
	for i := range 4 {
		read, deleted := i&1 != 0, i&2 != 0
		w := newWorld(t, "inbox")
		w.look(0)
		first := w.letterIn("INBOX", "Message-ID: <again@x>\nSubject: good day\n\n", false)
		w.look(0)
		first.read = read
		w.look(0)
		class, folders := map[bool]string{true: "inbox"}[read], []string{"INBOX", "Work"}
		w.want("first", first, class, "INBOX")
		if deleted {
			clear(w.mail)
			folders = folders[1:]
		}
		w.now = w.now.Add(time.Millisecond)
		w.letterIn("INBOX", "Message-ID: <again@x>\nSubject: belongs work surely\n\n", false)
		w.look(0)
		w.want("again", first, class, folders...)
		w.w.Close()
	}
}

// A third copy in the same look as the first is filed, whose folder has been read by then.
func TestTwiceInRounds(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "inbox")
	defer func() { w.w.Close() }()
	w.look(0)
	first := w.letterIn("INBOX", "Message-ID: <0@x>\n\nbelongs work surely\n", false)
	for range someMessages + 1 {
		w.letterIn("INBOX", first.text, false)
	}
	w.look(0)
	if got := w.where(first); got[0] != "INBOX" || got[2] != "Work" || w.ledger[first.id] != "" {
		t.Errorf("it lies in %q and is learned as %q", got[:3], w.ledger[first.id])
	}
}

// A mail program that copies a message and then removes it has moved it.
func TestCopyThenRemove(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "inbox")
	defer func() { w.w.Close() }()
	l := w.letterIn("Work", "Message-ID: <1@x>\n\nbelongs spam\n", true)
	w.look(0)
	w.want("at first", l, "work", "Work")
	w.letterIn("INBOX", l.text, true)
	w.look(0)
	w.want("copied", l, "work", "INBOX", "Work")
	for p := range w.mail {
		if p.folder == "Work" {
			delete(w.mail, p)
		}
	}
	w.now = w.now.Add(time.Second)
	w.look(0)
	w.want("and removed", l, "inbox", "INBOX")
}

// A copy that stays is one: the message is of the class into which it came last, and other keys
// change nothing.
func TestCopy(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ from, to, class string }{{"Work", "Lists", "lists"}, {"Lists", "Work", "work"}} {
		w := newWorld(t, "inbox")
		l := w.letterIn(c.from, "Message-ID: <1@x>\n\nbelongs spam\n", true)
		w.look(0)
		w.letterIn(c.to, l.text, true)
		w.look(0)
		w.want("copied", l, c.class, "Lists", "Work")
		w.letterIn("INBOX", l.text, true)
		w.look(0)
		w.want("copied to the inbox", l, c.class, "INBOX", "Lists", "Work")
		for p, l := range w.mail {
			w.place(l, p, p.folder)
		}
		w.look(0)
		w.want("called otherwise", l, c.class, "INBOX", "Lists", "Work")
		w.w.Close()
	}
}

// Copies that come in one look are handled as if each came after the one before it.
func TestCopiesInOneLook(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "inbox")
	defer func() { w.w.Close() }()
	w.look(0)
	l := w.letterIn("Work", "Message-ID: <1@x>\n\nbelongs spam\n", true)
	w.ledger[l.id] = "lists" // by a command
	w.letterIn("Lists", l.text, true)
	w.look(0)
	w.want("in two folders", l, "lists", "Lists", "Work")

	l = w.letterIn("Work", "Message-ID: <2@x>\n\nbelongs spam\n", true)
	w.letterIn("INBOX", l.text, true)
	w.look(0)
	w.want("in the inbox too", l, "work", "INBOX", "Work")
	delete(w.mail, place{"Work", w.keyIn("Work", l)})
	w.look(0)
	w.want("and only there", l, "inbox", "INBOX")
}

// Mail for a folder that refuses it, or is not there, waits in the inbox, which is said once however long the server
// took to say it, and is filed when the folder takes it.
func TestRefusedFolder(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "inbox")
	defer func() { w.w.Close() }()
	said := 0
	w.w.Report = func(line string) { said += strings.Count(line, "Work: ") }
	w.look(0)
	for i, text := range []string{"Message-ID: <1@x>\n\nbelongs work surely\n", "Message-ID: <2@x>\n\nbelongs work surely\n"} {
		l := w.letterIn("INBOX", text, false)
		w.away = "Work"
		for j := range 3 {
			w.refused = fmt.Errorf("%w: NO (0.00%d + 0.1 secs)", ErrFolder, j)
			w.look(0)
			w.want("refused", l, "", "INBOX")
		}
		if w.away, w.refused = "", nil; said != 2*(i+1) {
			t.Errorf("%d reports of two faults for message %d", said, i+1)
		}
		w.look(0)
		w.want("taken", l, "", "Work")
	}
}

// What lies in folders without a class is not read at the first look, which may find very much, nor
// later if somebody has read it or it is old.
func TestNotRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	defer func() { w.w.Close() }()
	w.letterIn("INBOX", "Message-ID: <1@x>\n\n", false)
	w.letterIn("Trash", "Message-ID: <2@x>\n\n", false)
	w.look(0)
	w.letterIn("Trash", "Message-ID: <3@x>\n\n", true)
	w.letterIn("Trash", "Message-ID: <4@x>\n\n", false).delivered = w.now.Add(-day)
	w.look(0)
	if w.reads != 0 {
		t.Errorf("%d messages were read", w.reads)
	}
}

// A mailbox that is not there for a while, as a disk that is not mounted, has not changed.
func TestAway(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	defer func() { w.w.Close() }()
	w.look(0)
	filed := w.letterIn("INBOX", "Message-ID: <1@x>\n\nbelongs work surely\n", false)
	left := w.letterIn("INBOX", "Message-ID: <2@x>\n\nbelongs work\n", false)
	put := w.letterIn("Lists", "Message-ID: <3@x>\n\nbelongs work\n", false)
	w.look(0)
	away := w.mail
	w.mail = map[place]*letter{}
	w.look(0)
	w.mail = away
	w.look(0)
	w.want("filed", filed, "", "Work")
	w.want("left", left, "", "INBOX")
	w.want("put", put, "lists", "Lists")
}

// What cannot be used is left where it is, and a state of another mailbox is refused.
func TestRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "inbox")
	w.look(0)
	o := w.w.Options
	if _, err := Open(o); err == nil {
		t.Error("two processes watch one mailbox")
	}
	w.w.Close()
	o.Mailbox = "another"
	if _, err := Open(o); err == nil {
		t.Error("the state of another mailbox is taken")
	}
}

// Where the settings had named a mailbox that is not there, the one that they name now is watched.
func TestMistypedMailbox(t *testing.T) {
	t.Parallel()
	o := Options{State: t.TempDir() + "/state", Box: &failing{err: ErrLogin}, Book: &Database{}}
	for _, o.Mailbox = range []string{"Maildri", "Maildir", "Maildir"} {
		w, err := Open(o)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Once(t.Context()); err == nil {
			t.Error("it was found")
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// A clock that was ahead at the first look, and is put right while the mailbox is watched, makes no mail old.
func TestClockPutRight(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "inbox")
	defer func() { w.w.Close() }()
	w.look(0)
	w.now = w.now.Add(-3 * time.Hour)
	l := w.letterIn("INBOX", "Message-ID: <1@x>\n\nbelongs work surely\n", false)
	old := w.letterIn("INBOX", "Message-ID: <2@x>\n\nbelongs work surely, long ago\n", false)
	old.delivered = w.now.Add(-day)
	w.look(0)
	w.want("new", l, "", "Work")
	w.want("old", old, "", "INBOX")
}

// A folder that is renamed teaches nothing that was filed into it, whether its rule is renamed with it, later, or the
// folder gets its name back, and what a person moves into it then does.
func TestRenamedWithRule(t *testing.T) {
	t.Parallel()
	for _, what := range []string{"together", "while it is watched", "and back"} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "inbox")
			defer func() { w.w.Close() }()
			w.look(0)
			put := w.letterIn("Work", "Message-ID: <1@x>\n\nbelongs work\n", true)
			filed := w.letterIn("INBOX", "Message-ID: <2@x>\n\nbelongs work surely\n", false)
			read := w.letterIn("INBOX", "Message-ID: <4@x>\n\nbelongs work surely\n", false)
			other := w.letterIn("INBOX", "Message-ID: <3@x>\n\nbelongs lists surely\n", false)
			w.look(0)
			w.want("filed", filed, "", "Work")
			read.read = true
			w.moveAll("Work", "Projects")
			name := "Projects"
			if what != "together" {
				w.away = "Work"
				w.look(0)
				w.away = ""
			}
			if what == "and back" {
				name = "Work"
				w.moveAll("Projects", name)
			} else {
				w.rules.Named("Work").Name = name
				w.w.Close()
				w.start()
			}
			w.look(0)
			w.want("put", put, "work", name)
			w.want("filed before", filed, "", name)
			w.want("filed before, and read", read, "", name)
			w.moveAll("Lists", name)
			w.look(0)
			w.want("moved", other, "work", name)
		})
	}
}

// moveAll moves what lies in a folder into another.
func (w *world) moveAll(from, to string) {
	for p, l := range maps.Clone(w.mail) {
		if p.folder == from {
			w.place(l, p, to)
		}
	}
}

// A folder that has a class later teaches what lies there, all of it, but not what was filed into it
// when it had one before.
func TestClassLater(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	defer func() { w.w.Close() }()
	inbox, lists := w.rules.Named("INBOX"), w.rules.Named("Lists")
	lists.Class = ""
	old := w.letterIn("Lists", "Message-ID: <1@x>\n\nbelongs work\n", true)
	read := w.letterIn("INBOX", "Message-ID: <2@x>\n\nbelongs work\n", true)
	waits := w.letterIn("INBOX", "Message-ID: <3@x>\n\nbelongs spam\n", false)
	w.look(0)
	came := w.letterIn("Lists", "Message-ID: <4@x>\n\nbelongs work surely\n", false)
	w.look(0)
	moved := w.letterIn("Work", "Message-ID: <6@x>\n\nbelongs work\n", true)
	w.look(0)
	for p, l := range w.mail {
		if l == moved {
			w.place(l, p, "Lists")
		}
	}
	w.look(0)
	w.want("moved", moved, "work", "Lists")
	for _, l := range []*letter{old, read, waits, came} {
		w.want("without classes", l, "", w.where(l)...)
	}
	inbox.Class, lists.Class = "inbox", "lists"
	w.w.Close()
	w.start()
	w.look(0)
	w.want("old", old, "lists", "Lists")
	w.want("unread", came, "lists", "Lists")
	w.want("moved there", moved, "lists", "Lists")
	w.want("read", read, "inbox", "INBOX")
	w.want("waiting", waits, "", "INBOX")
	filed := w.letterIn("INBOX", "Message-ID: <5@x>\n\nbelongs work surely\n", false)
	w.look(0)
	w.want("filed", filed, "", "Work")
	for _, class := range []string{"", "work"} {
		w.rules.Named("Work").Class = class
		filed.read = true
		w.look(0)
		w.want("filed", filed, "", "Work")
	}
}

// Where the database is gone nothing is done until somebody has removed the state too.
func TestLost(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "inbox")
	w.lost = true
	w.look(0) // of nothing
	w.w.Close()
	w.start()
	w.letterIn("Work", "Message-ID: <1@x>\n\nbelongs work\n", true)
	w.look(0)
	w.w.Close()
	if _, err := Open(w.w.Options); err == nil || !strings.Contains(err.Error(), "the database is gone") {
		t.Error(err)
	}
	w.lost = false
	w.start()
	w.w.Close()
}

// What is in the inbox at the first look is not filed, however new it is. Of two copies of a new
// message one that the user puts back teaches nothing until somebody has read it.
func TestLeft(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "inbox")
	defer func() { w.w.Close() }()
	l := w.letterIn("INBOX", "Message-ID: <1@x>\n\nbelongs work surely\n", false)
	w.look(0)
	w.look(0)
	w.want("at the first look", l, "", "INBOX")

	l = w.letterIn("INBOX", "Message-ID: <2@x>\n\nbelongs work surely\n", false)
	other := w.letterIn("INBOX", l.text, false)
	w.look(0)
	w.want("twice", l, "", "Work", "Work")
	for p, one := range w.mail {
		if one == other {
			w.place(one, p, "INBOX")
		}
	}
	w.look(0)
	w.want("and one put back", l, "", "INBOX", "Work")
	for p := range w.mail {
		if p.folder == "Work" {
			delete(w.mail, p)
		}
	}
	w.look(0)
	w.want("and one deleted", l, "", "INBOX")
	l.read, other.read = true, true
	w.look(0)
	w.want("and read", l, "inbox", "INBOX")
}

// readOnly is a mailbox and a database that nobody may change.
type readOnly struct{ *world }

func (r readOnly) Move(_ context.Context, from, _, to string) error {
	r.t.Errorf("moves from %s to %s", from, to)
	return nil
}

func (r readOnly) Suggest(_ context.Context, _, _ string, to []string) error {
	r.t.Errorf("suggests %q", to)
	return nil
}

func (r readOnly) Unsuggest(_ context.Context, folder string) error {
	r.t.Errorf("takes the marks off in %s", folder)
	return nil
}

func (r readOnly) Teach(_ context.Context, lessons []Lesson) error {
	r.t.Errorf("learns %d messages", len(lessons))
	return nil
}

// Answer suggests the folder of the most probable class.
func (r readOnly) Answer(ctx context.Context, message []byte) (filing.Answer, error) {
	a, err := r.world.Answer(ctx, message)
	a.Likely = []string{a.Class}
	return a, err
}

// A dry look says what it would do with new mail, and with mail that was moved, and changes nothing.
func TestDry(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "inbox")
	moved := w.letterIn("INBOX", "Message-ID: <moved@x>\n\nbelongs work\n", false)
	w.look(0)
	w.letterIn("INBOX", "Message-ID: <filed@x>\n\nbelongs work surely\n", false)
	w.letterIn("INBOX", "Message-ID: <suggested@x>\n\nbelongs spam surely\n", false)
	w.place(moved, place{"INBOX", w.keyIn("INBOX", moved)}, "Lists")
	var said []string
	w.w.Dry, w.w.Box, w.w.Book = true, readOnly{w}, readOnly{w}
	w.w.Report = func(line string) { said = append(said, line[strings.Index(line, ": ")+2:]) }
	w.look(0)
	slices.Sort(said)
	if got := strings.Join(said, "; "); got != "filed for Work, 0.0000; learned as lists; suggested for Junk, 0.0000" {
		t.Errorf("it said: %s", got)
	}
}

// taken is a mailbox whose owner takes new mail out of the inbox before it can be moved or marked.
type taken struct{ *world }

func (b taken) Move(_ context.Context, from, key, _ string) error {
	l := b.mail[place{from, key}]
	b.place(l, place{from, key}, "Trash")
	return ErrGone
}

func (b taken) Suggest(ctx context.Context, folder, key string, _ []string) error {
	return b.Move(ctx, folder, key, "")
}

func (b taken) Unsuggest(_ context.Context, folder string) error {
	if folder == "INBOX" {
		b.t.Error("takes the marks off new mail")
	}
	return nil
}

// A message that somebody else moves while it is filed or marked is in nobody's way, and is left where it then is.
func TestTakenMeanwhile(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "inbox")
	w.look(0)
	filed := w.letterIn("INBOX", "Message-ID: <filed@x>\n\nbelongs work surely\n", false)
	marked := w.letterIn("INBOX", "Message-ID: <marked@x>\n\nbelongs spam surely\n", false)
	w.w.Box, w.w.Book = taken{w}, readOnly{w}
	if err := w.w.Once(t.Context()); err != nil {
		t.Error(err)
	}
	w.w.Box, w.w.Book = w, w
	w.look(0)
	w.want("filed", filed, "", "Trash")
	w.want("marked", marked, "", "Trash")
}

// unwritable is a database that learns nothing.
type unwritable struct{ readOnly }

func (unwritable) Teach(context.Context, []Lesson) error { return store.ErrInUse }

// A first look that fails is made again: what it has not seen was there before, too.
func TestFirstLookFails(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "inbox")
	old := w.letterIn("Work", "Message-ID: <old@x>\n\nbelongs lists surely\n", true)
	w.w.Book = unwritable{readOnly{w}}
	if err := w.w.Once(t.Context()); !errors.Is(err, store.ErrInUse) || w.w.memory.whole {
		t.Errorf("%v, looked through: %v", err, w.w.memory.whole)
	}
	w.w.Book = w
	w.look(0)
	w.want("at last", old, "work", "Work")
	if !w.w.memory.whole {
		t.Error("it is not looked through")
	}
}
