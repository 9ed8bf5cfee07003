package decisions

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/tokenize"
)

func document1(i int) classify.Document {
	bag := new(tokenize.Bag)
	bag.AddN(fmt.Appendf(nil, "word%d", i), 2)
	bag.Add([]byte("subject:hello"))
	return classify.Document{ID: classify.ContentID(fmt.Append(nil, i)), Bag: bag}
}

func add(r *Ring, user string, i int) {
	doc := document1(i)
	r.Add(Record{Decision: backend.Decision{ID: doc.ID.String(), Time: time.Now(), User: user, Source: "test", Subject: fmt.Sprint("message ", i), Class: "spam", Probability: .9}, Doc: doc})
	if i%100 == 99 {
		r.settle()
	}
}

func open(t *testing.T, path string, o Options) *Ring {
	t.Helper()
	r := Open(path, o)
	t.Cleanup(r.Close)
	return r
}

func TestRing(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "polya.db.decisions")
	r := open(t, path, Options{})
	for i := range 10 {
		add(r, []string{"ann", "ben"}[i%2], i)
	}
	for range 2 {
		list := r.List("ann", 3)
		if len(list) != 3 || list[0].Subject != "message 8" || list[2].Subject != "message 4" {
			t.Errorf("%+v", list)
		}
		if list := r.List("", 100); len(list) != 10 {
			t.Errorf("%d decisions", len(list))
		}
		want := document1(7)
		users, doc, err := find(r, "", strings.ToUpper(want.ID.String()[:8]))
		if err != nil || !slices.Equal(users, []string{"ben"}) {
			t.Errorf("%q, %v", users, err)
		}
		if doc.ID != want.ID || doc.Bag.Len() != 2 || doc.Bag.Tokens() != 3 {
			t.Errorf("%+v", doc)
		}
		if _, err := r.Find("ann", want.ID.String()); !errors.Is(err, backend.ErrDecision) {
			t.Errorf("somebody else's: %v", err)
		}
		if _, err := r.Find("", ""); !errors.Is(err, backend.ErrDecision) {
			t.Errorf("no id: %v", err)
		}
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%v, %v", info.Mode(), err)
		}
		r.Close()
		r = open(t, path, Options{})
	}
}

// TestAskedTwice holds that the answer to a question that is asked again at once is kept once, and
// another answer, another user's, and one of later each for itself.
func TestAskedTwice(t *testing.T) {
	t.Parallel()
	r := open(t, filepath.Join(t.TempDir(), "d"), Options{})
	doc, begin := document1(1), time.Now()
	ask := func(after time.Duration, user string, probability float64) {
		r.Add(Record{Decision: backend.Decision{ID: doc.ID.String(), Time: begin.Add(after), User: user, Class: "ham", Probability: probability}, Doc: doc})
	}
	ask(0, "ann", .9)
	ask(time.Millisecond, "ben", .9)
	ask(2*time.Millisecond, "ann", .9)
	ask(3*time.Millisecond, "ann", .8)
	ask(time.Minute, "ann", .9)
	ask(time.Minute-time.Second, "ann", .9) // the clock was put back
	var got []string
	for _, d := range r.List("", 0) {
		got = append(got, fmt.Sprintf("%v %s %v", d.Time.Sub(begin).Round(time.Millisecond), d.User, d.Probability))
	}
	if want := []string{"1m0s ann 0.9", "3ms ann 0.8", "1ms ben 0.9", "0s ann 0.9"}; !slices.Equal(got, want) {
		t.Errorf("%q, not %q", got, want)
	}
}

// find returns the users and the document of the message whose id begins with id.
func find(r *Ring, user, id string) (users []string, doc classify.Document, err error) {
	if id, err = r.Find(user, id); err != nil {
		return nil, doc, err
	}
	err = r.Each(user, func(d *backend.Decision) bool { return d.ID == id }, func(d *Record) error {
		users, doc = append(users, d.User), d.Doc
		return nil
	})
	return users, doc, err
}

func TestAmbiguous(t *testing.T) {
	t.Parallel()
	r := open(t, filepath.Join(t.TempDir(), "d"), Options{})
	for i := range 40 {
		add(r, "", i)
	}
	// Of 40 messages some two ids begin with the same digit.
	ambiguous := 0
	for _, digit := range "0123456789abcdef" {
		if _, err := r.Find("", string(digit)); errors.Is(err, backend.ErrAmbiguous) {
			ambiguous++
		}
	}
	if ambiguous == 0 {
		t.Error("no id is ambiguous")
	}
}

// TestBounded holds that the files stay within their size, and the newest are kept.
func TestBounded(t *testing.T) {
	t.Parallel()
	const size = 100_000
	path := filepath.Join(t.TempDir(), "d")
	r := open(t, path, Options{Size: size})
	for i := range 5000 {
		add(r, "", i)
	}
	list := r.List("", 10_000)
	if len(list) < 200 || list[0].Subject != "message 4999" {
		t.Fatalf("%d decisions", len(list))
	}
	for k, d := range list {
		if d.Subject != fmt.Sprint("message ", 4999-k) {
			t.Fatalf("%d: %+v", k, d)
		}
	}
	files, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(files) != 2 {
		t.Errorf("%v, %v", files, err)
	}
	var total int64
	for _, f := range files {
		info, _ := f.Info()
		total += info.Size()
	}
	if total > size {
		t.Errorf("%d bytes", total)
	}
}

// TestIndex holds that every look at the decisions finds what was added since the last one, wherever
// the files have turned, and that each is read from its place.
func TestIndex(t *testing.T) {
	t.Parallel()
	r := open(t, filepath.Join(t.TempDir(), "d"), Options{Size: 40_000})
	for i := range 600 {
		add(r, "", i)
		if i%7 > 0 {
			continue
		}
		list := r.List("", 3)
		if len(list) != min(3, i+1) || list[0].Subject != fmt.Sprint("message ", i) {
			t.Fatalf("%d: %+v", i, list)
		}
		_, doc, err := find(r, "", list[len(list)-1].ID)
		if err != nil || doc.ID.String() != list[len(list)-1].ID {
			t.Fatalf("%d: %v, %v", i, doc.ID, err)
		}
	}
	if list := r.List("", 1000); len(list) < 20 || list[0].Subject != "message 599" {
		t.Errorf("%d decisions", len(list))
	}
}

// Whoever removes the files has nothing found of what was in them, also while the daemon runs.
func TestRemoved(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "d")
	r := open(t, path, Options{Size: 2000})
	for i := 0; i < 5 || !exists(path+".old"); i++ {
		add(r, "", i)
		r.settle()
	}
	for _, file := range []string{path + ".old", path} {
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
		left := r.List("", 0)
		if file == path && len(left) > 0 || len(left) > 4 {
			t.Errorf("%s is removed: %d decisions", file, len(left))
		}
	}
	add(r, "", 100)
	if list := r.List("", 0); len(list) != 1 || !exists(path) {
		t.Errorf("then %v", list)
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// addAged adds a decision that was made some time ago.
func addAged(r *Ring, i int, age time.Duration) {
	doc := document1(i)
	r.Add(Record{Decision: backend.Decision{ID: doc.ID.String(), Time: time.Now().Add(-age), Subject: fmt.Sprint("message ", i), Class: "spam"}, Doc: doc})
	r.settle()
}

// TestRetention holds that a decision is found until its time has passed, and is gone from
// the disk half that time later at the latest: a file takes decisions for half the time, and
// is kept for as long as its last one may be found.
func TestRetention(t *testing.T) {
	t.Parallel()
	const retention, minute = 2 * time.Hour, time.Minute
	path := filepath.Join(t.TempDir(), "d")
	r := open(t, path, Options{Retention: retention})
	has := func(file string, i int) bool {
		data, err := os.ReadFile(file)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		return bytes.Contains(data, fmt.Append(nil, "message ", i))
	}
	addAged(r, 1, retention+minute)
	if list := r.List("", 10); len(list) != 0 || !has(path, 1) {
		t.Errorf("past its retention: %+v", list)
	}
	addAged(r, 2, retention-minute) // the file's first is older than half the time
	if !has(path+".old", 1) || has(path+".old", 2) || !has(path, 2) {
		t.Error("a file took decisions for more than half the time")
	}
	if list := r.List("", 10); len(list) != 1 || list[0].Subject != "message 2" {
		t.Errorf("within its retention: %+v", list)
	}
	// Nothing is added any more. What runs now and then begins with the file that is written.
	r.Close()
	for _, test := range []struct {
		first, old       time.Duration // ages of the first decision of a file, and of the last of the old one
		turned, oldStays bool
	}{
		{retention/2 - minute, retention - minute, false, true},
		{retention/2 - minute, retention + minute, false, false},
		{retention/2 + minute, retention + minute, true, false},
		{-1000 * retention, -1000 * retention, false, true}, // the clock is behind now
	} {
		path := filepath.Join(t.TempDir(), "d")
		old := open(t, path+".old", Options{Retention: retention})
		addAged(old, 3, test.old)
		old.Close()
		end := time.Now().Add(-test.old)
		if err := os.Chtimes(path+".old", end, end); err != nil {
			t.Fatal(err)
		}
		file := open(t, path, Options{Retention: 100 * retention})
		addAged(file, 4, test.first)
		file.Close()
		r := open(t, path, Options{Retention: retention}) // expires as it does now and then
		r.Close()
		if has(path+".old", 3) != test.oldStays || has(path+".old", 4) != test.turned || has(path, 4) == test.turned {
			t.Errorf("%+v: the old file has the old one: %v, the new one: %v", test, has(path+".old", 3), has(path+".old", 4))
		}
	}
}

// A decision goes in time also where the retention is short, and nothing else is asked.
func TestShortRetention(t *testing.T) {
	t.Parallel()
	for _, retention := range []time.Duration{20 * time.Minute, 50} {
		synctest.Test(t, func(t *testing.T) { isGone(t, retention) })
	}
}

func isGone(t *testing.T, retention time.Duration) {
	path := filepath.Join(t.TempDir(), "d")
	r := open(t, path, Options{Retention: retention})
	add(r, "alice", 1)
	r.settle()
	time.Sleep(retention*3/2 + retention/40 + 3*time.Second)
	synctest.Wait()
	if exists(path + ".old") {
		t.Error("the decision is still on the disk")
	}
	if data, err := os.ReadFile(path); err != nil || bytes.Contains(data, []byte("message")) {
		t.Errorf("the file has %q: %v", data, err)
	}
}

// TestDamaged holds that whatever the files hold, a ring opens, keeps what is sound before
// the damage, and goes on.
func TestDamaged(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := open(t, filepath.Join(dir, "first"), Options{})
	for i := range 5 {
		add(first, "", i)
	}
	first.Close()
	sound, err := os.ReadFile(filepath.Join(dir, "first"))
	if err != nil {
		t.Fatal(err)
	}
	for at := range len(sound) {
		for name, data := range map[string][]byte{
			"cut":     sound[:at],
			"changed": append(append(bytes.Clone(sound[:at]), sound[at]^0x55), sound[at+1:]...),
		} {
			if name == "changed" && at%7 != 0 {
				continue
			}
			path := filepath.Join(dir, fmt.Sprint(name, at))
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
			var log bytes.Buffer
			r := Open(path, Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
			before := r.List("", 10)
			if len(before) == 5 {
				t.Fatalf("%s at %d: %d decisions", name, at, len(before))
			}
			add(r, "", 77)
			after := r.List("", 10)
			if len(after) != len(before)+1 || after[0].Subject != "message 77" {
				t.Fatalf("%s at %d: %+v", name, at, after)
			}
			r.Close()
			os.Remove(path)
		}
	}
}

// TestUnreadable holds that a disk that cannot be read is not taken for the end of what is sound,
// behind which all is dropped. A file opened only to be written stands for it.
func TestUnreadable(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "decisions")
	r := open(t, path, Options{})
	add(r, "", 1)
	r.Close()
	opened, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	if err := (&file{File: opened}).scan(); err == nil {
		t.Error("no error for a file that cannot be read")
	}
}

// TestUnwritable holds that a ring without a place to write is no error to those who add.
func TestUnwritable(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	r := open(t, filepath.Join(t.TempDir(), "no", "folder", "d"), Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
	for i := range 1000 {
		add(r, "", i)
	}
	if list := r.List("", 10); len(list) != 0 {
		t.Errorf("%+v", list)
	}
	r.Close()
	if n := strings.Count(log.String(), "\n"); n != 1 {
		t.Errorf("%d lines of log: %s", n, log.String())
	}
}

func TestTogether(t *testing.T) {
	t.Parallel()
	r := open(t, filepath.Join(t.TempDir(), "d"), Options{Size: 50_000})
	var all sync.WaitGroup
	half := make(chan struct{}) // closed when one goroutine has added half of its decisions
	for k := range 4 {
		all.Go(func() {
			for i := range 200 {
				if k == 0 && i == 100 {
					close(half)
				}
				add(r, "", 1000*k+i)
				if i%50 == 0 {
					if list := r.List("", 10); len(list) > 10 {
						t.Errorf("%d decisions", len(list))
					}
				}
			}
		})
	}
	all.Go(func() {
		<-half
		r.Close()
	})
	all.Wait()
}

func TestFields(t *testing.T) {
	t.Parallel()
	for message, want := range map[string][2]string{
		"From: Ann <ann@example.org>\nSubject: Hi\n\nSubject: no":                                    {"Ann <ann@example.org>", "Hi"},
		"From x Mon\r\nSUBJECT : =?utf-8?q?caf=C3=A9?=\r\n =?utf-8?q?_au?= lait\r\nfrom:\tx\r\n\r\n": {"x", "café au lait"},
		"Subject: a\x1b[31mb\x00c\n":            {"", "a[31mbc"},
		"\nFrom: body":                          {"", ""},
		"":                                      {"", ""},
		"Subject: =?x-none?q?abc?=":             {"", "=?x-none?q?abc?="},
		"Subject: =?windows-1252?q?caf=E9=99?=": {"", "café™"},
		"Subject: =?koi8-r?b?8NLJ18XU?=":        {"", "Привет"},
		"Subject: " + strings.Repeat("é", 300):  {"", strings.Repeat("é", 100) + "…"},
	} {
		if sender, subject := Fields([]byte(message)); sender != want[0] || subject != want[1] {
			t.Errorf("%.40q: %q, %q", message, sender, subject)
		}
	}
}

// While the disk takes nothing, what is added is dropped, and nobody waits for it.
func TestSlowDisk(t *testing.T) {
	t.Parallel()
	disk, slow, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r := &Ring{
		path: filepath.Join(t.TempDir(), "d"), options: Options{Size: 1 << 30, Retention: time.Hour, Log: slog.New(slog.DiscardHandler)},
		queue: make(chan func(), waiting), ended: make(chan struct{}),
		files: [2]*file{1: {File: slow, size: int64(len(magic))}},
	}
	slow.SetWriteDeadline(time.Now().Add(10 * time.Millisecond))
	for err == nil {
		_, err = slow.Write(make([]byte, 1<<10)) // until the pipe is full
	}
	slow.SetWriteDeadline(time.Time{})
	go r.work()
	added := make(chan struct{})
	go func() {
		defer close(added)
		doc := document1(1)
		for range 100_000 { // so many that a write has begun meanwhile
			r.Add(Record{Decision: backend.Decision{ID: doc.ID.String(), Time: time.Now(), Class: "spam"}, Doc: doc})
		}
	}()
	select {
	case <-added:
	case <-time.After(2 * time.Minute):
		t.Error("to add a decision waits for the disk")
	}
	go io.Copy(io.Discard, disk)
	r.Close()
	disk.Close()
}

// Whoever can write to the folder has no file outside emptied, and no daemon wait.
func TestForeign(t *testing.T) {
	t.Parallel()
	other := filepath.Join(t.TempDir(), "other")
	if err := os.WriteFile(other, []byte("another's"), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, put := range map[string]func(old, new string) error{"link": os.Symlink, "second name": os.Link} {
		path := filepath.Join(t.TempDir(), "d")
		if err := errors.Join(put(other, path), put(other, path+".old")); err != nil {
			t.Fatal(err)
		}
		r := open(t, path, Options{})
		add(r, "", 1)
		if list := r.List("", 10); len(list) != 0 {
			t.Errorf("%s: %v", name, list)
		}
		info, err := os.Stat(other)
		if text, _ := os.ReadFile(other); err != nil || string(text) != "another's" || info.Mode().Perm() != 0o644 {
			t.Errorf("%s: the file is %q, mode %v", name, text, info.Mode())
		}
	}
}

// Long messages that wait to be written do not fill memory.
func TestWaitingTerms(t *testing.T) {
	t.Parallel()
	r := &Ring{queue: make(chan func(), waiting)} // nobody writes
	bag := new(tokenize.Bag)
	for i := range waitingTerms / 4 {
		bag.Add(fmt.Append(nil, i))
	}
	long := classify.Document{ID: classify.ContentID([]byte("long")), Bag: bag}
	for range 20 {
		r.Add(Record{Decision: backend.Decision{ID: long.ID.String(), Time: time.Now(), Class: "spam"}, Doc: long})
	}
	if len(r.queue) != 4 {
		t.Errorf("%d wait", len(r.queue))
	}
	write := <-r.queue
	r.path, r.options.Log, r.failed = filepath.Join(t.TempDir(), "none", "d"), slog.New(slog.DiscardHandler), time.Now()
	write()
	add(r, "", 1)
	if len(r.queue) != 4 {
		t.Errorf("then %d wait", len(r.queue))
	}
}

// A decision of more terms than may wait is kept when no other waits.
func TestMostTermsAlone(t *testing.T) {
	t.Parallel()
	r := &Ring{queue: make(chan func(), waiting)} // nobody writes
	bag := new(tokenize.Bag)
	for i := range waitingTerms + 1 {
		bag.Add(binary.BigEndian.AppendUint32(nil, uint32(i)))
	}
	doc := classify.Document{ID: classify.ContentID([]byte("most")), Bag: bag}
	for range 2 {
		r.Add(Record{Decision: backend.Decision{ID: doc.ID.String(), Time: time.Now(), Class: "spam"}, Doc: doc})
		if len(r.queue) != 1 {
			t.Errorf("%d wait", len(r.queue))
		}
	}
}

// A bound below zero is the usual one.
func TestBoundsBelowZero(t *testing.T) {
	t.Parallel()
	r := open(t, filepath.Join(t.TempDir(), "d"), Options{Size: -1, Retention: -1})
	for i := range 10 {
		add(r, "", i)
	}
	if list := r.List("", 0); len(list) != 10 {
		t.Errorf("%d decisions", len(list))
	}
}

// The beginning of a message is kept if the options say so, and records with and without it
// stand beside each other.
func TestMessage(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "polya.db.decisions")
	message := bytes.Repeat([]byte("From: ann@example.org\r\n"), 100)
	for _, n := range []int{-1, 100, 1 << 20} {
		r := Open(path, Options{Message: n})
		doc := document1(max(n, 0))
		r.Add(Record{Decision: backend.Decision{ID: doc.ID.String(), Time: time.Now(), Class: "spam"}, Doc: doc, Message: message})
		r.Close()
	}
	r := open(t, path, Options{})
	var kept []int
	err := r.Each("", func(*backend.Decision) bool { return true }, func(d *Record) error {
		if d.Doc.Bag.Len() != 2 {
			t.Errorf("%d terms", d.Doc.Bag.Len())
		}
		if !bytes.HasPrefix(message, d.Message) {
			t.Errorf("%q", d.Message)
		}
		kept = append(kept, len(d.Message))
		return nil
	})
	if err != nil || !slices.Equal(kept, []int{0, 100, len(message)}) {
		t.Errorf("%v bytes, %v", kept, err)
	}
}

// A decision keeps the message that it was made about, whatever its memory is used for before it is written.
func TestMessageIsCopied(t *testing.T) {
	t.Parallel()
	r := open(t, filepath.Join(t.TempDir(), "d"), Options{Message: 100})
	busy := make(chan struct{})
	r.queue <- func() { <-busy }
	doc, message := document1(1), []byte("from one")
	r.Add(Record{Decision: backend.Decision{ID: doc.ID.String(), Time: time.Now()}, Doc: doc, Message: message})
	copy(message, "to other")
	close(busy)
	err := r.Each("", func(*backend.Decision) bool { return true }, func(d *Record) error {
		if string(d.Message) != "from one" {
			t.Errorf("%q", d.Message)
		}
		return nil
	})
	if err != nil || len(r.List("", 0)) != 1 {
		t.Error(err)
	}
}

// A decision that is too long to be read again is not kept, and takes none with it. What is behind the last sound
// record is dropped from the disk.
func TestLongRecord(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "d")
	long := make([]byte, maxRecord+1)
	rand.NewChaCha8([32]byte{}).Read(long) // which deflating makes no shorter
	r := open(t, path, Options{Message: len(long), Size: 1 << 30})
	for i, message := range [][]byte{nil, long, nil} {
		doc := document1(i)
		r.Add(Record{Decision: backend.Decision{ID: doc.ID.String(), Time: time.Now()}, Doc: doc, Message: message})
	}
	r.Close()
	sound, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, append(sound, long[:1000]...), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	if n := len(open(t, path, Options{}).List("", 0)); n != 2 {
		t.Errorf("%d decisions are kept", n)
	}
	if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, sound) {
		t.Errorf("the file has %d bytes, not the %d of sound records: %v", len(got), len(sound), err)
	}
}

// A length that damage has made takes no memory.
func TestDamagedLength(t *testing.T) {
	path := filepath.Join(t.TempDir(), "d")
	if err := os.WriteFile(path, append([]byte(magic), bytes.Repeat([]byte{0xff}, 100)...), 0o600); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if n := len(open(t, path, Options{}).List("", 0)); n != 0 {
		t.Errorf("%d decisions", n)
	}
	if runtime.ReadMemStats(&after); after.TotalAlloc-before.TotalAlloc > 1<<30 {
		t.Errorf("%d bytes were allocated", after.TotalAlloc-before.TotalAlloc)
	}
}

// A file that others could read is private once decisions are kept in it.
func TestPrivate(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "d")
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	r := open(t, path, Options{})
	add(r, "", 1)
	r.Close()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Size() == 0 || info.Mode().Perm() != 0o600 {
		t.Errorf("%d bytes, mode %v", info.Size(), info.Mode())
	}
}
