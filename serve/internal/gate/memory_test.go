package gate

import (
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/polya-classifier/polya/serve/backend"
)

func TestMemory(t *testing.T) {
	t.Parallel()
	m := NewMemory(2<<20, 1<<20) // of which 16 have 32 KiB each
	m.Patience = 0
	long := strings.Repeat("x", 1<<20)
	for _, n := range []int{0, 1, firstBytes - 1, firstBytes, firstBytes + 1, 100_000} {
		got, free, err := m.Read(iotest.HalfReader(strings.NewReader(long[:n])), 100_000)
		if err != nil || string(got) != long[:n] {
			t.Errorf("%d bytes: %d, %v", n, len(got), err)
		}
		free()
	}
	_, free, err := m.Read(strings.NewReader(long), 100_000)
	if !errors.Is(err, backend.ErrSize) {
		t.Errorf("more than is taken: %v", err)
	}
	free()
	_, freeFirst, err := m.Read(strings.NewReader(long), 1<<20)
	if err != nil {
		t.Error(err)
	}
	_, free, err = m.Read(strings.NewReader(long), 1<<20)
	if !errors.Is(err, backend.ErrBusy) {
		t.Errorf("no memory left: %v", err)
	}
	free()
	for range 15 {
		_, free, err = m.Read(strings.NewReader(long[:30<<10]), 1<<20)
		if err != nil {
			t.Errorf("a message of usual size, beside one that has all memory: %v", err)
		}
		defer free()
	}
	_, free, err = m.Read(strings.NewReader("x"), 1<<20)
	if !errors.Is(err, backend.ErrBusy) {
		t.Errorf("no share left: %v", err)
	}
	free()
	freeFirst()
	freeFirst()
	_, free, err = m.Read(iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader(long))), 1<<20)
	if !errors.Is(err, iotest.ErrTimeout) {
		t.Errorf("too slow: %v", err)
	}
	free()
	if used, _ := m.Used(); used != 15*share {
		t.Errorf("%d bytes are still counted", used)
	}
}

// Messages that each hold a part of the memory and wait for more get it one after the other, none
// is refused, and all together never have more than the limit.
func TestMemoryTurns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const limit, largest = 4 << 20, 1 << 20
		m := NewMemory(limit, largest)
		var readers sync.WaitGroup
		all := make(chan bool)
		for range 20 {
			r, w := io.Pipe()
			go func() {
				w.Write(make([]byte, 150<<10)) // all at once have more than there is
				<-all
				w.Write(make([]byte, largest-150<<10))
				w.Close()
			}()
			readers.Go(func() {
				defer r.Close()
				got, free, err := m.Read(r, largest)
				if err != nil || len(got) != largest {
					t.Errorf("%d bytes, %v", len(got), err)
				}
				m.mu.Lock()
				if m.taken > m.rest || m.shared > m.shares || m.rest+m.shares+largest > limit {
					t.Errorf("%d of %d and %d of %d are taken, of %d in all", m.taken, m.rest, m.shared, m.shares, limit)
				}
				m.mu.Unlock()
				free()
			})
		}
		synctest.Wait()
		if len(m.waiting) < 2 || m.turn == nil {
			t.Errorf("%d wait", len(m.waiting))
		}
		close(all)
		readers.Wait()
		if m.taken != 0 || m.shared != 0 || m.turn != nil || len(m.waiting) > 0 {
			t.Errorf("%d and %d bytes are still counted, and %d wait", m.taken, m.shared, len(m.waiting))
		}
	})
}

// The message that has the turn may be slow: others wait as long as they may, and take its turn when
// it ends.
func TestMemoryPatience(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := NewMemory(1<<20, 1<<20)
		slow := m.NewExcerpt(1 << 20)
		slow.Write(make([]byte, 100<<10))
		start := time.Now()
		_, free, err := m.Read(strings.NewReader(strings.Repeat("x", 1<<20)), 1<<20)
		free()
		if !errors.Is(err, backend.ErrBusy) {
			t.Errorf("no memory in time: %v", err)
		}
		if took := time.Since(start); took != m.Patience {
			t.Errorf("refused after %v", took)
		}
		// Waits for several steps add up.
		patient := &held{memory: m, waited: m.Patience / 2}
		start = time.Now()
		if err := m.take(patient, 1<<20); !errors.Is(err, backend.ErrBusy) || time.Since(start) != m.Patience/2 {
			t.Errorf("%v after %v", err, time.Since(start))
		}
		done := make(chan error)
		go func() {
			_, free, err := m.Read(strings.NewReader(strings.Repeat("x", 1<<20)), 1<<20)
			free()
			done <- err
		}()
		synctest.Wait()
		if _, err := slow.Write(make([]byte, 900<<10)); err != nil {
			t.Error(err)
		}
		slow.Free()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

// Messages of one listener that stall leave memory to those of another, and of a third.
func TestMemoryParts(t *testing.T) {
	t.Parallel()
	m := NewMemory(16<<20, 1<<20)
	m.Patience = 0
	for i, text := range []string{"x", strings.Repeat("x", 100<<10), strings.Repeat("x", 500<<10)} {
		var held []*Excerpt
		for range 2 {
			stalled := m.Part()
			for range 300 {
				e := stalled.NewExcerpt(1 << 20)
				held = append(held, e)
				if _, err := io.WriteString(e, text); err != nil {
					break
				}
			}
		}
		other := m.Part()
		for range 10 {
			got, free, err := other.Read(strings.NewReader(text), 1<<20)
			if err != nil || string(got) != text {
				t.Errorf("%d: %d bytes, %v", i, len(got), err)
			}
			free()
		}
		last := held[0] // what it has it may use, whatever others have
		if _, err := last.Write(make([]byte, share-len(text)%share-1)); err != nil {
			t.Errorf("%d: %v", i, err)
		}
		for _, e := range held {
			e.Free()
		}
		if used, _ := m.Used(); used != 0 || other.ownShared+other.ownTaken != 0 {
			t.Errorf("%d bytes are still counted", used)
		}
	}
}
