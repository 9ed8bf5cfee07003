package main

import (
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/testdata"
	"github.com/polya-classifier/polya/tokenize/mail"
)

// A mailbox is where a user of a test has mail, with the inbox "" and folders Work, Travel, Junk, Invoices and
// Trash, as the settings in docs say.
type mailbox interface {
	deliver(folder string, message []byte, read bool)
	lying() []lying               // all messages there are
	move(l lying, to string) bool // false if it is not there any more
	read(l lying)                 // or nothing, if it is not there any more
	remove(l lying) bool          // false if it is not there any more
	rename(from, to string) bool  // a folder, whose messages are not lying there until it has its name again; false if it cannot be
	class(folder string) string   // that is learned of what lies there; "" is nothing
}

// lying is a message in a folder.
type lying struct {
	folder, key string
	id          count.DocID
	isRead      bool
}

var folderClasses = folders{"": "inbox", "Work": "work", "Travel": "travel", "Junk": "spam", "Invoices": "invoices"}

// folders are the classes of folders.
type folders map[string]string

func (f folders) class(folder string) string { return f[folder] }

// owner is the user of a mailbox, and what he has done with each message.
type owner struct {
	t                       *testing.T
	box                     mailbox
	r                       *rand.Rand
	paths                   map[count.DocID]*history
	held                    [][]byte
	moved, removed, renamed int

	away  string // the folder that has another name
	other func() // what else happens; nil is nothing
}

// history is where a message was put.
type history struct {
	at    string   // last, by the user or as delivered
	been  []string // all places
	user  bool     // the user has moved it
	gone  bool     // or removed it
	filed string   // where the user has found it, without having put it there
}

func newOwner(t *testing.T, box mailbox, seed uint64) *owner {
	o := &owner{t: t, box: box, r: rand.New(rand.NewPCG(seed, 0)), paths: map[count.DocID]*history{}}
	for _, folder := range slices.Sorted(maps.Keys(folderClasses)) {
		for i, m := range sampleMail(t, "train", strings.Replace(folderClasses[folder], "inbox", "family", 1)) {
			if i < 30 {
				box.deliver(folder, m, true)
			}
		}
	}
	for _, class := range []string{"work", "travel", "spam", "invoices", "newsletter"} {
		o.held = append(o.held, sampleMail(t, "held", class)...)
	}
	o.r.Shuffle(len(o.held), func(i, j int) { o.held[i], o.held[j] = o.held[j], o.held[i] })
	for _, l := range box.lying() {
		o.paths[l.id] = &history{at: l.folder, been: []string{l.folder}}
	}
	return o
}

// sampleMail returns the sample messages of a class.
func sampleMail(t *testing.T, kind, class string) (list [][]byte) {
	t.Helper()
	names, err := fs.Glob(testdata.Mail, path.Join("mail", kind, class, "*.eml"))
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		b, err := fs.ReadFile(testdata.Mail, name)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, b)
	}
	return list
}

// deliver delivers new mail to the inbox.
func (o *owner) deliver() {
	o.paths[mail.ID(o.held[0])] = &history{been: []string{""}}
	o.box.deliver("", o.held[0], false)
	o.held = o.held[1:]
}

// filed is the number of messages that lie where the owner has not put them.
func (o *owner) filed() (n int) {
	for _, l := range o.box.lying() {
		if l.folder != o.paths[l.id].at {
			n++
		}
	}
	return n
}

// rename gives a folder another name for a while.
func (o *owner) rename() {
	o.away = []string{"Work", "Travel", "Junk"}[o.r.IntN(3)]
	if o.box.rename(o.away, "Elsewhere") {
		o.renamed++
		for range 5 {
			o.act()
		}
		o.box.rename("Elsewhere", o.away)
	}
	o.away = ""
}

// act is one thing that the owner does, or that happens to him.
func (o *owner) act() {
	if o.away == "" && o.r.IntN(50) == 0 {
		o.rename()
		return
	}
	n := o.r.IntN(8)
	if n == 0 && len(o.held) > 0 {
		o.deliver()
		return
	}
	all := o.box.lying()
	l := all[o.r.IntN(len(all))]
	h := o.paths[l.id]
	if n == 1 {
		o.box.read(l)
		return
	}
	if o.r.IntN(12) == 0 {
		if o.box.remove(l) {
			h.gone = true
			o.removed++
		}
		return
	}
	to := []string{"", "Work", "Travel", "Junk", "Invoices", "Trash"}[o.r.IntN(6)]
	if to == o.away && to != "" || to == l.folder || !o.box.move(l, to) {
		return
	}
	if l.folder != h.at {
		h.filed = l.folder
		if h.user {
			o.t.Errorf("message %s was put into %q and found in %q", l.id, h.at, l.folder)
		}
	}
	h.at, h.user, h.been = to, true, append(h.been, to)
	o.moved++
}

// wrong compares what was learned with what the owner did, and returns what is wrong.
func (o *owner) wrong(database string) (wrong []string) {
	time.Sleep(100 * time.Millisecond) // reading holds a lock, which who learns needs: the lock is not fair
	db, err := store.Open(database, store.Options{ReadOnly: true, Share: true})
	if err != nil {
		return []string{err.Error()}
	}
	defer db.Close()
	found := map[count.DocID]int{}
	for _, l := range o.box.lying() {
		found[l.id]++
		h := o.paths[l.id]
		if l.folder != h.at && (h.user || h.at != "" || l.folder == "Trash" || l.folder == "Invoices") {
			o.t.Fatalf("message %s was put into %q and lies in %q", l.id, h.at, l.folder)
		}
		e, err := entryOf(db, l.id)
		if err != nil {
			return []string{err.Error()}
		}
		got := ""
		if e != nil {
			got = e.Class
		}
		if want := h.want(l, o.box.class); !slices.Contains(want, got) {
			wrong = append(wrong, fmt.Sprintf("message %s in %q is learned as %q, not %q: %+v", l.id, l.folder, got, want, h))
		}
	}
	for id, h := range o.paths {
		if found[id] == 1 == h.gone {
			o.t.Fatalf("message %s lies in %d folders: %+v", id, found[id], h)
		}
	}
	return wrong
}

// want is what may be learned of a message where it lies at the end.
func (h *history) want(l lying, of func(folder string) string) []string {
	class := of(l.folder)
	switch {
	case l.folder != h.at: // filed
		return []string{""}
	case l.folder == "Trash": // as it was before
		want := []string{"", of("")}
		for _, f := range h.been {
			want = append(want, of(f))
		}
		return want
	case l.folder == "" && !h.user && !l.isRead:
		return []string{""}
	case l.folder == "" && h.user && !l.isRead, h.filed == l.folder && l.folder != "": // taken out and put back before it was seen
		return []string{class, ""}
	}
	return []string{class}
}

func entryOf(db *store.DB, id count.DocID) (e *store.Entry, err error) {
	err = db.View(func(s *store.Snapshot) error {
		e, err = s.Entry(id)
		return err
	})
	return e, err
}
