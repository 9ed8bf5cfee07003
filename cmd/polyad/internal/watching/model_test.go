package watching

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/polya-classifier/polya/cmd/polyad/internal/filing"
	"github.com/polya-classifier/polya/internal/raced"
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/tokenize/mail"
)

// killed is what a process is ended by in the middle of what it does.
type killed struct{}

// world is a mailbox, a user, a ledger, and a clock, all in memory.
type world struct {
	lost      bool // the database is
	t         *testing.T
	rules     filing.Rules
	mail      map[place]*letter
	ledger    map[count.DocID]string
	keys      int
	now       time.Time
	last      *letter // that the user has touched
	meanwhile func()  // what the user does while folders are listed; nil is nothing
	left      int     // calls until the process is killed, if it is above 0
	reads     int     // of messages
	refused   error   // what moving returns
	away      string  // a folder that is not there
	dir       string
	w         *Watcher
	fails     []string
}

// letter is a message in a folder, as it is in the world, and as the model has it.
type letter struct {
	id        count.DocID
	text      string
	read      bool
	delivered time.Time

	want    []string // what may be learned of it; "" is nothing
	put     string   // the last folder with a rule in which the watcher has seen it
	start   string   // what put and want were when the watcher was last at rest
	before  string
	ops     int      // of the user since the watcher was last at rest
	visited []string // folders where it was since
	seen    bool     // by the watcher: what was before nobody can know
	user    bool     // the user has put it somewhere since
	filed   int      // how many times polya has moved it
	pending bool     // the watcher was killed before it learned where it lay
	between bool     // it was put into the inbox while folders were listed, and may have been seen in both
}

func newWorld(t *testing.T, inboxClass string) *world {
	w := &world{t: t, mail: map[place]*letter{}, ledger: map[count.DocID]string{}, now: time.Now(), dir: t.TempDir()}
	w.rules = filing.Rules{
		{Name: "Trash"},
		{Name: "INBOX", Inbox: true, Class: inboxClass},
		{Name: "Work", Class: "work", New: filing.File, Precision: .9},
		{Name: "Lists", Class: "lists", New: filing.File, Precision: .9},
		{Name: "Junk", Class: "spam", New: filing.Suggest, Precision: .9},
	}
	w.start()
	return w
}

// start starts the process.
func (w *world) start() {
	var err error
	w.w, err = Open(Options{
		Mailbox: "test", State: filepath.Join(w.dir, "state"), Rules: w.rules, Box: w, Book: w, Report: func(string) { w.step() },
		memory: bolt.Options{NoSync: true, NoFreelistSync: true},
	})
	if err != nil {
		w.t.Fatal(err)
	}
	w.w.now = func() time.Time { return w.now }
}

// step is a moment at which the process may be killed.
func (w *world) step() {
	if w.left > 0 {
		if w.left--; w.left == 0 {
			panic(killed{})
		}
	}
}

// look runs the process until it is at rest, or is killed after so many steps if that is above 0.
func (w *world) look(kill int) (alive bool) {
	w.left = kill
	defer func() {
		w.left = 0
		if e := recover(); e != nil {
			if e != (killed{}) {
				panic(e)
			}
			w.w.memory.Close()
			w.start()
		}
	}()
	if err := w.w.Once(context.Background()); err != nil {
		w.t.Fatal(err)
	}
	return true
}

func (w *world) Folders(context.Context) (names []string, err error) {
	for _, f := range w.rules {
		if f.Name != w.away {
			names = append(names, f.Name)
		}
	}
	for p := range w.mail {
		if p.folder != w.away && !slices.Contains(names, p.folder) {
			names = append(names, p.folder)
		}
	}
	return names, nil
}

func (w *world) List(_ context.Context, folder string) (list []Copy, err error) {
	w.step()
	if w.meanwhile != nil {
		w.meanwhile()
	}
	for p, l := range w.mail {
		if p.folder == folder {
			list = append(list, Copy{p.key, l.read, l.delivered})
		}
	}
	slices.SortFunc(list, func(a, b Copy) int { return strings.Compare(a.Key, b.Key) })
	return list, nil
}

func (w *world) Read(_ context.Context, folder, key string) ([]byte, error) {
	w.reads++
	if l := w.mail[place{folder, key}]; l != nil {
		return []byte(l.text), nil
	}
	return nil, ErrGone
}

func (w *world) Move(_ context.Context, from, key, to string) error {
	w.step()
	l := w.mail[place{from, key}]
	switch {
	case l == nil:
		return ErrGone
	case w.refused != nil:
		return w.refused
	}
	if l.user {
		w.fail("%s: moved although the user has put it somewhere", l.text)
	}
	if l.filed++; l.filed > 1 {
		w.fail("%s: moved %d times", l.text, l.filed)
	}
	w.place(l, place{from, key}, to)
	w.step()
	return nil
}

func (w *world) Unsuggest(context.Context, string) error                 { w.step(); return nil }
func (w *world) Suggest(context.Context, string, string, []string) error { w.step(); return nil }

func (w *world) Wait(context.Context, time.Duration) error { return nil }

func (w *world) Made() (bool, error) { return !w.lost, nil }

func (w *world) Learned(_ context.Context, ids []count.DocID) ([]filing.Learned, error) {
	w.step()
	list := make([]filing.Learned, len(ids))
	for i, id := range ids {
		list[i].Class = w.ledger[id]
	}
	return list, nil
}

func (w *world) Answer(_ context.Context, message []byte) (filing.Answer, error) {
	w.step()
	_, class, _ := strings.Cut(string(message), "belongs ")
	class, sure := strings.CutSuffix(strings.TrimSpace(class), " surely")
	a := filing.Answer{Class: class, Precision: .5}
	if sure {
		a.Precision = .95
	}
	return a, nil
}

func (w *world) Teach(_ context.Context, lessons []Lesson) error {
	w.step()
	for _, l := range lessons {
		switch {
		case !l.Forget:
			w.ledger[l.ID] = l.Class
		case w.ledger[l.ID] == l.Class:
			delete(w.ledger, l.ID)
		}
	}
	w.step()
	return nil
}

func (w *world) Close() error { return nil }

func (w *world) fail(format string, args ...any) {
	w.fails = append(w.fails, fmt.Sprintf(format, args...))
}

// place puts a letter into a folder, under a new key or, half of the time, under that which it had.
func (w *world) place(l *letter, from place, to string) (key string) {
	if from.folder != "" {
		delete(w.mail, from)
	}
	w.keys++
	if key = from.key; key == "" || from.folder == to || w.keys%4 < 2 {
		key = fmt.Sprintf("%06d", w.keys)
	}
	w.mail[place{to, key}] = l
	return key
}

func (w *world) deliver(r *rand.Rand, folder string) {
	surely := []string{"", " surely"}[r.IntN(2)]
	class := []string{"work", "lists", "spam"}[r.IntN(3)]
	w.keys++
	text := fmt.Sprintf("Message-ID: <%d@x>\n\nbelongs %s%s\n", w.keys, class, surely)
	l := &letter{id: mail.ID([]byte(text)), text: text, delivered: w.now, want: []string{""}, ops: 1, visited: []string{folder}}
	l.put = folder
	if f := w.rules.Named(folder); f != nil {
		if f.Class != "" && !f.Inbox {
			l.want = []string{f.Class}
		}
	}
	w.place(l, place{}, folder)
}

// act is one thing that the user does.
func (w *world) act(r *rand.Rand) {
	if len(w.mail) < 5 || r.IntN(5) == 0 {
		w.deliver(r, []string{"INBOX", "INBOX", "INBOX", "INBOX", "Lists", "Trash"}[r.IntN(6)])
		return
	}
	var all []place
	for p := range w.mail {
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b place) int { return strings.Compare(a.folder+a.key, b.folder+b.key) })
	p := all[r.IntN(len(all))]
	for _, q := range all {
		if w.mail[q] == w.last && r.IntN(2) == 0 { // he changes his mind
			p = q
		}
	}
	l := w.mail[p]
	w.last = l
	switch n := r.IntN(10); {
	case n == 0: // the server gives a folder new keys
		for _, q := range all {
			if q.folder == p.folder {
				w.place(w.mail[q], q, p.folder)
			}
		}
	case n < 3:
		w.toRead(l, p)
	default:
		to := []string{"INBOX", "Work", "Lists", "Junk", "Trash"}[r.IntN(5)]
		if to != p.folder {
			w.move(l, p, to)
		}
	}
}

func (w *world) toRead(l *letter, p place) {
	l.read = true
	l.ops++
	if p.folder == "INBOX" && (l.put == "INBOX" || l.put == "") && l.want[0] == "" {
		l.want[0] = w.rules.Named("INBOX").Class
	}
}

// move moves a letter as the user does, and says what is to be learned of that.
func (w *world) move(l *letter, p place, to string) {
	w.place(l, p, to)
	l.user, l.ops = l.user || l.seen || l.filed > 0, l.ops+1
	l.visited = append(l.visited, p.folder, to)
	l.between = w.meanwhile != nil && to == "INBOX"
	f, was := w.rules.Named(to), w.rules.Named(l.put)
	switch {
	case to == l.put && l.pending:
		l.want = []string{f.Class}
	case to == l.put:
		if f.Inbox && l.read && l.want[0] == "" { // somewhere else
			l.want = []string{f.Class}
		}
		return
	case !f.Inbox && f.Class == "":
		if l.read { // not looked at
			return
		}
	case !f.Inbox:
		l.want = []string{f.Class}
	case l.put == "" && (!l.read || l.want[0] != ""): // first seen there
	case f.Class != "":
		l.want = []string{f.Class}
	case was != nil && (l.want[0] == was.Class || l.pending):
		l.want = []string{""}
	}
	l.put = to
}

// check compares, when the process is at rest, what was learned with what the user did.
func (w *world) check() {
	for p, l := range w.mail {
		got := w.ledger[l.id]
		want := slices.Clone(l.want)
		filedNow := l.filed == 1 && !l.user
		if filedNow {
			want = []string{""}
		}
		if l.ops > 1 && !filedNow { // not all of which was seen
			want = l.may(w.rules.Named(p.folder))
		}
		if l.between && !l.read { // it is learned once it is read
			want = append(want, "")
		}
		if !slices.Contains(want, got) {
			w.fail("%s in %s: learned as %q, want %q (%+v)", l.text, p.folder, got, want, *l)
		}
		if f := w.rules.Named(p.folder); l.ops == 1 && f.Class != "" && !f.Inbox && l.filed == 0 && got != f.Class && l.put == p.folder && l.want[0] == f.Class {
			w.fail("%s in %s: learned as %q", l.text, p.folder, got)
		}
		known := w.w.memory.records[l.id]
		l.seen, l.pending = true, known.Stage == filing.Learning
		l.want, l.put, l.ops, l.visited = []string{got}, known.Folder, 0, []string{p.folder}
		l.start, l.before = known.Folder, got
	}
}

// may says what may be learned of a letter that lies in f, if nobody knows what the watcher has
// seen since it was last at rest.
func (l *letter) may(f *filing.Folder) []string {
	want := []string{f.Class}
	switch {
	case f.Class == "" && (!f.Inbox || slices.Contains(l.visited, "Trash")): // what is deleted is not forgotten
		return []string{"", "inbox", "work", "lists", "spam"}
	case f.Inbox, l.filed > 0: // into f, and taken out and put back before that was seen
		want = append(want, "")
	case !l.seen && strings.HasSuffix(l.text, "belongs "+f.Class+" surely\n"): // it was about to be filed into f
		want = append(want, "")
	}
	if f.Name == l.start {
		want = append(want, l.before)
	}
	return want
}

// Whatever a user moves, and whenever the process is killed, no message is lost, moved twice,
// moved against the user's will, or learned as what he has not said.
func TestModel(t *testing.T) {
	raced.Skip(t)
	t.Parallel()
	seeds := 40
	if testing.Short() {
		seeds = 8
	}
	for _, class := range []string{"inbox", ""} {
		filed, learned, kills := 0, 0, 0
		for seed := range uint64(seeds) {
			r := rand.New(rand.NewPCG(seed, 1))
			w := newWorld(t, class)
			for range 5 {
				w.deliver(r, []string{"INBOX", "Work", "Lists", "Junk", "Trash"}[r.IntN(5)])
			}
			for _, l := range w.mail {
				l.delivered = l.delivered.Add(-day)
			}
			w.look(0)
			w.check()
			for range 100 {
				for range 1 + r.IntN(4) {
					w.now = w.now.Add(time.Second)
					w.act(r)
					if r.IntN(3) == 0 && !w.look(1+r.IntN(20)) {
						kills++
					}
					if r.IntN(3) == 0 {
						w.meanwhile = func() {
							if r.IntN(3) == 0 {
								w.act(r)
							}
						}
						w.look(1 + r.IntN(100))
						w.meanwhile = nil
					}
				}
				messages := len(w.mail)
				w.look(0)
				if len(w.mail) != messages {
					w.fail("%d messages, of %d", len(w.mail), messages)
				}
				w.check()
				if len(w.fails) > 0 {
					t.Fatalf("seed %d, inbox %q: %s", seed, class, strings.Join(w.fails, "\n"))
				}
			}
			for _, l := range w.mail {
				filed += l.filed
			}
			learned += len(w.ledger)
			w.w.Close()
		}
		if filed < 5*seeds/2 || learned < 12*seeds || kills < 12*seeds {
			t.Errorf("only %d filed, %d learned, %d kills", filed, learned, kills)
		}
	}
}
