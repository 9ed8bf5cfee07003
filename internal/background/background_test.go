package background

import (
	"context"
	"sync/atomic"
	"testing"
	"time"
)

// What is added while it waits is done once; what is added while it is done, once more.
func TestOnce(t *testing.T) {
	t.Parallel()
	begun, release := make(chan string), make(chan bool)
	q := New(0, func(_ context.Context, k string) bool {
		begun <- k
		<-release
		return false
	})
	q.Add("a")
	if k := <-begun; k != "a" {
		t.Fatal(k)
	}
	for range 3 {
		q.Add("a")
		q.Add("b")
	}
	var later []string
	for range 2 {
		release <- true
		later = append(later, <-begun)
	}
	if later[0] == later[1] {
		t.Errorf("%q are done, want each once", later)
	}
	release <- true
	q.Finish()
}

// After work there is a rest, which the end of the queue makes short.
func TestRest(t *testing.T) {
	t.Parallel()
	var done atomic.Int32
	first := make(chan bool, 9)
	q := New(0, func(context.Context, int) bool {
		time.Sleep(200 * time.Millisecond)
		done.Add(1)
		first <- true
		return true
	})
	q.Add(1)
	<-first
	start := time.Now()
	q.Add(2)
	q.Finish()
	if n := done.Load(); n != 2 {
		t.Errorf("%d of 2 are done when the queue ends", n)
	}
	if took := time.Since(start); took > share*200*time.Millisecond/2 {
		t.Errorf("the end waited %v for a rest", took)
	}
	q.Finish() // does nothing more
}

// There is a rest of ten times as long as the work was.
func TestShare(t *testing.T) {
	t.Parallel()
	times := make(chan time.Time, 4)
	q := New(0, func(context.Context, int) bool {
		times <- time.Now()
		time.Sleep(20 * time.Millisecond)
		times <- time.Now()
		return true
	})
	defer q.Close()
	q.Add(1)
	<-times
	ended := <-times
	q.Add(2)
	if rest := (<-times).Sub(ended); rest < share*20*time.Millisecond {
		t.Errorf("there was a rest of %v after 20 ms", rest)
	}
}

// Nothing is done before its time, and nothing waits for what is closed.
func TestClose(t *testing.T) {
	t.Parallel()
	ended := make(chan error, 1)
	begun := make(chan bool)
	q := New(0, func(ctx context.Context, _ int) bool {
		close(begun)
		<-ctx.Done()
		ended <- ctx.Err()
		return true
	})
	q.Add(1)
	<-begun
	q.Add(2)
	q.Close()
	if err := <-ended; err != context.Canceled {
		t.Error(err)
	}
	q.Add(3)
	q.Close()

	late := New(time.Hour, func(context.Context, int) bool { t.Error("done before its time"); return true })
	late.Add(1)
	late.Close()
}
