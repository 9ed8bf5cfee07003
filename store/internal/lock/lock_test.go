//go:build linux

package lock

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// opened opens a file once more: locks belong to an open file, so that a test needs no
// other processes.
func opened(t *testing.T, path string) *os.File {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func in(d time.Duration) time.Time { return time.Now().Add(d) }

func must(t *testing.T, l *Lock, err error) *Lock {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	if !l.Fair {
		t.Skip("no locks of open file descriptions on this disk")
	}
	return l
}

// busy wants take to time out.
func busy(t *testing.T, what, path string, take func(*os.File, time.Time) (*Lock, error)) {
	t.Helper()
	f := opened(t, path)
	_, err := take(f, in(moment))
	mustTime(t, what, err)
	f.Close()
}

func mustTime(t *testing.T, what string, err error) {
	t.Helper()
	if !errors.Is(err, ErrTimeout) {
		t.Errorf("%s: %v, want a timeout", what, err)
	}
}

const (
	moment = 30 * time.Millisecond
	long   = time.Minute
)

func TestOneWritesWhileOthersRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	w, err := Write(opened(t, path), in(long))
	must(t, w, err)
	busy(t, "a reader of a new file", path, Read)
	w.Share()
	busy(t, "a second writer", path, Write)
	reader := opened(t, path)
	r, err := Read(reader, in(moment))
	must(t, r, err)
	if r.Wanted() {
		t.Error("nobody waits for the reader")
	}
	mustTime(t, "a commit beside a reader", w.Exclude(in(moment)))
	if w.sole {
		t.Error("alone beside a reader")
	}
	another := opened(t, path)
	again, err := Read(another, in(moment)) // the turnstile was opened again
	must(t, again, err)
	reader.Close()
	another.Close()
	if err := w.Exclude(in(moment)); err != nil {
		t.Fatal(err)
	}
	busy(t, "a reader while something is committed", path, Read)
	w.Share()
	w.Leave()
	w, err = Write(opened(t, path), in(moment))
	must(t, w, err)
}

// A process that knows only bbolt's lock has the file alone, or not at all.
func TestFlockOfOthers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	other := opened(t, path)
	if err := flock(other, true); err != nil {
		t.Fatal(err)
	}
	busy(t, "a reader", path, Read)
	busy(t, "a writer", path, Write)
	other.Close()
	w, err := Write(opened(t, path), in(moment))
	must(t, w, err)
	w.Share()
	alone := func() error { return flock(opened(t, path), true) }
	if err := alone(); err != errBusy {
		t.Errorf("another has the file that is being written: %v", err)
	}
	reader := opened(t, path)
	r, err := Read(reader, in(moment))
	must(t, r, err)
	mustTime(t, "a commit beside a reader", w.Exclude(in(moment)))
	reader.Close()
	if err := alone(); err != errBusy { // an attempt in vain to have it alone ends the shared lock
		t.Errorf("another has the file after a commit that readers were in the way of: %v", err)
	}
}

// The locks are on the bytes that store/FORMAT.md names, which other versions of the program lock, and on no others.
func TestBytes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	f, probe := opened(t, path), opened(t, path)
	if !supported(f) {
		t.Skip("no locks of open file descriptions on this disk")
	}
	locked := func() (at []uint64) {
		for n := uint64(1); n <= 64; n++ {
			k := &unix.Flock_t{Type: unix.F_WRLCK, Start: int64(1<<63 - n), Len: 1}
			if err := unix.FcntlFlock(probe.Fd(), unix.F_OFD_GETLK, k); err != nil {
				t.Fatal(err)
			}
			if k.Type != unix.F_UNLCK {
				at = append(at, n)
			}
		}
		return at
	}
	want := func(what string, want ...uint64) {
		t.Helper()
		if got := locked(); !slices.Equal(got, want) {
			t.Errorf("%s: locked are 2^63 less %d, want %d", what, got, want)
		}
	}
	want("nothing")
	release, err := Claim(path)
	if err != nil {
		t.Fatal(err)
	}
	want("a claim", 14)
	w, err := Write(f, in(long))
	must(t, w, err)
	want("a commit while models are fitted", 14, 15, 16)
	w.Share()
	want("a writer between two commits", 14, 16)
	reader := opened(t, path)
	r, err := Read(reader, in(moment)) // neither is in the way of a reader
	must(t, r, err)
	reader.Close()
	release()
	want("a writer", 16)
	next := opened(t, path)
	failed := make(chan error)
	go func() { _, err := Write(next, in(long)); failed <- err }()
	for !w.Awaited() {
		runtime.Gosched()
	}
	want("a writer that another waits for", 13, 16)
	w.Leave()
	if err := <-failed; err != nil {
		t.Fatal(err)
	}
	want("the next one", 15, 16)
}

// Who waits is woken when the lock is free, and who has given up does not take it then.
func TestWaiting(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	first := opened(t, path)
	w, err := Write(first, in(long))
	must(t, w, err)
	busy(t, "a second writer", path, Write)
	if w.Awaited() {
		t.Error("somebody who has given up waits")
	}
	next := make(chan error)
	go func() {
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		if err == nil {
			_, err = Write(f, in(long))
			f.Close()
		}
		next <- err
	}()
	for !w.Awaited() {
		runtime.Gosched()
	}
	first.Close()
	if err := <-next; err != nil {
		t.Fatal(err)
	}
	w, err = Write(opened(t, path), in(long))
	must(t, w, err)
}

// A process that has tried in vain very often has no more threads that wait.
func TestWaitsGivenUp(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	first := opened(t, path)
	w, err := Write(first, in(long))
	must(t, w, err)
	before := runtime.NumGoroutine()
	for range 4 * waitingMost {
		f := opened(t, path)
		_, err := Write(f, in(time.Millisecond))
		mustTime(t, "a second writer", err)
		f.Close()
	}
	if n := runtime.NumGoroutine() - before; n > waitingMost {
		t.Errorf("%d goroutines wait, want no more than %d", n, waitingMost)
	}
	first.Close()
	w, err = Write(opened(t, path), in(long))
	must(t, w, err)
	for waiting.Load() > 0 { // they have got it one after the other
		w.Leave()
		runtime.Gosched()
	}
}

// However many readers come, a writer commits; and readers do not starve either.
func TestNobodyStarves(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	l, err := Read(opened(t, path), in(long))
	must(t, l, err)
	writer := opened(t, path)
	var end atomic.Bool
	var reads atomic.Int64
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for !end.Load() {
				f, err := os.Open(path)
				if err == nil {
					_, err = Read(f, in(long))
					time.Sleep(3 * time.Millisecond) // as an answer takes
					f.Close()
				}
				if err != nil {
					t.Error(err)
					return
				}
				reads.Add(1)
			}
		})
	}
	l.File.Close()
	w, err := Write(writer, in(long))
	must(t, w, err)
	for range 50 {
		w.Share()
		before := reads.Load()
		for !t.Failed() && reads.Load() < before+8 {
			time.Sleep(time.Millisecond)
		}
		if err := w.Exclude(in(long)); err != nil {
			t.Error(err)
			break
		}
	}
	w.Share()
	end.Store(true)
	group.Wait()
}

// A process that is being started has all files until it executes its program: a claim
// that was given back is free all the same.
func TestClaimIsFreeWhileProcessesStart(t *testing.T) {
	t.Parallel()
	program, err := exec.LookPath("true")
	if err != nil {
		t.Skip(err)
	}
	path := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	for range 2 {
		wait.Go(func() {
			for range 100 {
				_ = exec.Command(program).Run()
			}
		})
	}
	done := make(chan struct{})
	go func() { wait.Wait(); close(done) }()
	for claims := 0; ; claims++ {
		select {
		case <-done:
			return
		default:
		}
		release, err := Claim(path)
		if err != nil {
			t.Fatalf("claim %d: %v", claims, err)
		}
		release()
	}
}
