package store

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/polya-classifier/polya/store/count"
)

// stay has a reader begin that looks again whenever it is told to, and ends when
// the test calls the second function.
func stay(t *testing.T, db *DB) (again, end func()) {
	t.Helper()
	tell, told := make(chan bool), make(chan error)
	go func() {
		told <- db.View(func(s *Snapshot) error {
			first, err := look(s)
			before := scanText(t, s)
			for told <- err; <-tell; told <- err {
				var n uint64
				if n, err = look(s); err == nil && (n != first || scanText(t, s) != before) {
					err = errors.New("what a reader sees has changed")
				}
			}
			return err
		})
	}()
	wait := func() {
		t.Helper()
		select {
		case err := <-told:
			if err != nil {
				t.Fatal(err)
			}
		case <-time.After(5 * time.Minute):
			t.Fatal("a reader waits for ever")
		}
	}
	wait()
	return func() { t.Helper(); tell <- true; wait() }, func() { t.Helper(); tell <- false; wait() }
}

// soon runs f, which must not wait for a reader that stays.
func soon(t *testing.T, what string, f func() error) {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- f() }()
	select {
	case err := <-done:
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
	case <-time.After(5 * time.Minute):
		t.Fatalf("%s waits for a reader that stays", what)
	}
}

func learnTwin(db *DB, i int) error {
	var d Delta
	d.Add(twin(i, []string{"ham", "spam"}[i%2]))
	_, err := db.Apply(&d)
	return err
}

// A reader that stays costs the file at most its own size and a little, however
// much is learned meanwhile, and sees what it saw.
func TestReaderThatStaysKeepsFileSmall(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the file cannot be replaced while it is read")
	}
	shortTails(t)
	fast(t)
	tune(t).MapSpace = 128 << 10
	tune(t).spare = 1 << 30 // the file is written anew for readers alone
	db := open(t, tempDB(t), Options{Ledger: count.LedgerDigest})
	for i := range 100 {
		add(t, db, twin(i, "ham"))
	}
	again, end := stay(t, db)
	most, renewed, last := int64(0), 0, db.file
	for i := 100; i < 1000; i++ {
		soon(t, "training", func() error { return learnTwin(db, i) })
		size, err := db.Size()
		if err != nil {
			t.Fatal(err)
		}
		most = max(most, size)
		if db.file != last {
			renewed, last = renewed+1, db.file
			again()
		}
		if n := len(db.memory.versions); n > 100 {
			t.Fatalf("%d versions of the totals are kept for one reader", n)
		}
	}
	if renewed == 0 || renewed > 20 || most > 1<<20 {
		t.Errorf("the file grew to %d bytes, and was written anew %d times", most, renewed)
	}
	again()
	// One more on the new file is given no more either.
	again2, end2 := stay(t, db)
	for i := 1000; i < 1600; i++ {
		soon(t, "training", func() error { return learnTwin(db, i) })
	}
	again2()
	end()
	end2()
	if size, _ := db.Size(); size > 1<<20 {
		t.Errorf("under two readers the file grew to %d bytes", size)
	}
	if left, _ := filepath.Glob(db.Path() + "?*"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if r := mustCheck(t, db); r.Documents != 1600 {
		t.Errorf("%d documents of 1600", r.Documents)
	}
}

// Close says that somebody still reads, and does not wait for ever. The reader goes
// on, and when it has ended the file is free.
func TestCloseUnderReader(t *testing.T) {
	t.Parallel()
	fast(t)
	tune(t).ClosePatience = 50 * time.Millisecond
	path := tempDB(t)
	db, err := Open(path, tuned(t, Options{}))
	if err != nil {
		t.Fatal(err)
	}
	add(t, db, twin(0, "ham"), twin(1, "spam"))
	again, end := stay(t, db)
	soon(t, "closing", func() error {
		err := db.Close()
		if err == nil || !strings.Contains(err.Error(), "somebody still reads") {
			return fmt.Errorf("%v, although somebody reads", err)
		}
		mustBeOneLine(t, err, path)
		return nil
	})
	again()
	if err := db.View(func(*Snapshot) error { return nil }); !errors.Is(err, ErrClosed) {
		t.Errorf("reading a closed database: %v", err)
	}
	end()
	again2, err := Open(path, tuned(t, Options{Timeout: 10 * time.Second}))
	if err != nil {
		t.Fatal(err)
	}
	mustCheck(t, again2)
	again2.Close()
}

// Close waits for a reader that ends soon.
func TestCloseWaitsForReader(t *testing.T) {
	t.Parallel()
	fast(t)
	db := open(t, tempDB(t), Options{})
	add(t, db, twin(0, "ham"))
	_, end := stay(t, db)
	time.AfterFunc(20*time.Millisecond, end)
	if err := db.Close(); err != nil {
		t.Error(err)
	}
}

// Compact and Prune wait for no reader.
func TestCompactUnderReader(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the file cannot be replaced while it is read")
	}
	shortTails(t)
	fast(t)
	db := open(t, tempDB(t), Options{})
	for i := range 50 {
		add(t, db, twin(i, "ham"))
	}
	again, end := stay(t, db)
	for i := range 3 {
		soon(t, "compacting", func() error { return db.Compact(t.Context()) })
		soon(t, "training", func() error { return learnTwin(db, 50+i) })
		again()
	}
	end()
	// In the reader's own goroutine, too.
	err := db.View(func(*Snapshot) error {
		soon(t, "compacting", func() error { return db.Compact(t.Context()) })
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
