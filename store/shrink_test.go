package store

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/polya-classifier/polya/internal/raced"
	"github.com/polya-classifier/polya/store/count"
)

// life is a database to which documents come and from which others go, and the
// documents that it must have.
type life struct {
	t      *testing.T
	path   string
	o      Options
	db     *DB
	random *rand.Rand
	model  *model
	order  []int
	next   int
	once   bool // a process for each training
}

func newLife(t *testing.T, o Options) *life {
	l := &life{t: t, path: tempDB(t), o: o, random: rand.New(rand.NewPCG(1, 2)), model: &model{docs: map[count.DocID]count.Document{}}}
	l.db = open(t, l.path, o)
	return l
}

// mail is document i, with terms that no other has.
func mail(i int) count.Document {
	d := sample(i, []string{"ham", "spam"}[i%2])
	for k := range 10 {
		d.Terms = append(d.Terms, count.TermCount{Term: []byte(fmt.Sprintf("own%dof%d", k, i)), N: 1})
	}
	return d
}

// learn learns the next document and, with a probability of forget, forgets any
// before it.
func (l *life) learn(forget float64) {
	l.t.Helper()
	doc := mail(l.next)
	add(l.t, l.db, doc)
	l.model.docs[doc.ID] = doc
	l.order = append(l.order, l.next)
	l.next++
	l.again()
	if l.random.Float64() < forget {
		l.forget()
	}
}

func (l *life) forget() {
	l.t.Helper()
	k := l.random.IntN(len(l.order))
	doc := mail(l.order[k])
	l.order[k] = l.order[len(l.order)-1]
	l.order = l.order[:len(l.order)-1]
	var d Delta
	if err := d.Take(doc); err != nil {
		l.t.Fatal(err)
	}
	if _, err := l.db.Apply(&d); err != nil {
		l.t.Fatal(err)
	}
	delete(l.model.docs, doc.ID)
	l.again()
}

func (l *life) again() {
	l.t.Helper()
	if !l.once {
		return
	}
	if err := l.db.Close(); err != nil {
		l.t.Fatal(err)
	}
	var err error
	if l.db, err = Open(l.path, tuned(l.t, l.o)); err != nil {
		l.t.Fatal(err)
	}
}

// mustBeSmall compares the file with one that Compact has made of its backup. A
// file grows by 64 KB at a time.
func (l *life) mustBeSmall(most float64) {
	l.t.Helper()
	var b bytes.Buffer
	if _, err := l.db.Backup(context.Background(), &b); err != nil {
		l.t.Fatal(err)
	}
	path := tempDB(l.t)
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		l.t.Fatal(err)
	}
	fresh, err := Open(path, tuned(l.t, Options{}))
	if err != nil {
		l.t.Fatal(err)
	}
	defer fresh.Close()
	if err := fresh.Compact(context.Background()); err != nil {
		l.t.Fatal(err)
	}
	size, err1 := l.db.Size()
	want, err2 := fresh.Size()
	if err1 != nil || err2 != nil || float64(size) > most*float64(want)+64<<10 {
		l.t.Errorf("%d documents in %d bytes, %.2f times the %d of a fresh file (%v, %v)", len(l.order), size, float64(size)/float64(want), want, err1, err2)
	}
}

// A file stays small whatever is forgotten, although nobody calls Compact.
func TestFileStaysSmall(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds of processor time")
	}
	raced.Skip(t)
	t.Parallel()
	for _, ledger := range []count.Ledger{count.LedgerFull, count.LedgerDigest, count.LedgerNone} {
		for _, once := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s,once=%t", ledger, once), func(t *testing.T) {
				fast(t)
				u := tune(t)
				u.minTail, u.minTable, u.minMerge, u.spare = 32, 8<<10, 8<<10, 16<<10
				l := newLife(t, Options{Ledger: ledger})
				defer func() { l.db.Close() }()
				l.once = once
				for range 500 {
					l.learn(.4)
				}
				l.mustBeSmall(1.5)
				for len(l.order) > 100 {
					l.forget()
				}
				l.db.Close()
				l.once = true
				l.again()
				l.mustBeSmall(1.5)
				mustCheck(t, l.db)
				if ledger == count.LedgerFull {
					mustEqualModel(t, l.db, l.model)
				}
			})
		}
	}
}

func inode(t *testing.T, path string) os.FileInfo {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info
}

// A reader that stays goes on with what it sees while the file is replaced again
// and again, which waits for nobody, and does not make it grow.
func TestShrinkWhileReading(t *testing.T) {
	t.Parallel()
	shortTails(t)
	fast(t)
	l := newLife(t, Options{})
	for range 100 {
		l.learn(.5)
	}
	begun, release, ended := make(chan bool), make(chan bool), make(chan error)
	go func() {
		ended <- l.db.View(func(s *Snapshot) error {
			before := scanText(t, s)
			close(begun)
			<-release
			if scanText(t, s) != before {
				return fmt.Errorf("what a snapshot sees has changed")
			}
			return nil
		})
	}()
	<-begun
	files, last := 0, inode(t, l.path)
	for range 300 {
		l.learn(.9)
		if now := inode(t, l.path); !os.SameFile(last, now) {
			files, last = files+1, now
		}
		if err := l.db.View(func(s *Snapshot) error {
			if n := s.Documents(); n != uint64(len(l.order)) {
				return fmt.Errorf("%d documents, want %d", n, len(l.order))
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	if files < 2 {
		t.Errorf("the file was replaced %d times", files)
	}
	l.mustBeSmall(2)
	if err := l.db.Close(); err != nil {
		t.Error("Close: ", err) // the reader has another file
	}
	close(release)
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// Who waits for the file gets the one that has taken its place.
func TestShrinkWhileOthersWait(t *testing.T) {
	t.Parallel()
	shortTails(t)
	fast(t)
	l := newLife(t, Options{})
	for range 200 {
		l.learn(.2)
	}
	waited := make(chan error)
	go func() {
		other, err := Open(l.path, tuned(t, Options{Timeout: time.Minute}))
		if err == nil {
			defer other.Close()
			err = other.View(func(s *Snapshot) error {
				if n := s.Documents(); n != uint64(len(l.order)) {
					return fmt.Errorf("%d documents, want %d", n, len(l.order))
				}
				return nil
			})
		}
		waited <- err
	}()
	time.Sleep(20 * time.Millisecond)
	first := inode(t, l.path)
	kept, err := os.Open(l.path) // or a later file could have its number
	if err != nil {
		t.Fatal(err)
	}
	defer kept.Close()
	for len(l.order) > 20 {
		l.forget()
	}
	if err := l.db.Close(); err != nil {
		t.Fatal(err)
	}
	if os.SameFile(first, inode(t, l.path)) {
		t.Error("the file was not replaced")
	}
	if err := <-waited; err != nil {
		t.Error(err)
	}
}

// Where no copy can be made, nothing but the room is lost.
func TestShrinkImpossible(t *testing.T) {
	t.Parallel()
	shortTails(t)
	fast(t)
	l := newLife(t, Options{})
	if err := l.db.Close(); err != nil {
		t.Fatal(err)
	}
	// The name of a copy would be too long.
	path := filepath.Join(filepath.Dir(l.path), strings.Repeat("n", 250))
	if err := os.Rename(l.path, path); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Rename(path, l.path) })
	l.path, l.once = path, true
	var err error
	if l.db, err = Open(path, tuned(t, l.o)); err != nil {
		t.Fatal(err)
	}
	defer func() { l.db.Close() }()
	first := inode(t, path)
	for range 200 {
		l.learn(.8)
	}
	mustEqualModel(t, l.db, l.model)
	if !os.SameFile(first, inode(t, path)) {
		t.Error("the file was replaced after all")
	}
	if err := l.db.Compact(t.Context()); err == nil {
		t.Error("Compact could make a copy: nothing was tried")
	}
}

// Copies that killed processes have left go with the next, and nothing else does.
func TestLeftOverCopies(t *testing.T) {
	t.Parallel()
	fast(t)
	db := open(t, tempDB(t), Options{})
	add(t, db, twin(0, "ham"))
	for _, end := range []string{".compact-1234", ".detached-1234", ".compact-", ".compact-notes", ".compact-12a", ".backup"} {
		if err := os.WriteFile(db.Path()+end, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	left, err := filepath.Glob(db.Path() + ".*")
	if err != nil || len(left) != 4 || strings.Contains(strings.Join(left, " "), "-1234") {
		t.Errorf("left over: %q (%v)", left, err)
	}
}

// Pages of the ledger that are left half empty when documents are forgotten are no
// pages that are free, but to spare as well, until the file has been copied.
func TestHalfEmptyPages(t *testing.T) {
	t.Parallel()
	shortTails(t)
	fast(t)
	l := newLife(t, Options{Ledger: count.LedgerDigest})
	var learned, forgotten Delta
	for i := range 6000 { // enough that the chance of where pages split evens out
		doc := document(i, "ham", map[string]int{"a": 1})
		add := learned.Add(doc)
		if i%10 > 2 {
			add = cmp.Or(add, forgotten.Take(doc))
		}
		if add != nil {
			t.Fatal(add)
		}
	}
	for _, d := range []*Delta{&learned, &forgotten} {
		if _, err := l.db.Apply(d); err != nil {
			t.Fatal(err)
		}
	}
	spares := func() bool {
		t.Helper()
		size, free, err := l.db.file.Spare()
		if err != nil {
			t.Fatal(err)
		}
		l.db.growth.look = true
		return l.db.worth(size-free, 0, closingShare) // as if there were no free pages
	}
	if !spares() {
		t.Error("half empty pages have no room to spare")
	}
	l.once = true
	l.again()
	defer func() { l.db.Close() }()
	if spares() {
		t.Error("the copy has room to spare")
	}
}
