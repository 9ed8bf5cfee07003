//go:build linux

package main

import (
	"context"
	"net/url"
	"slices"
	"sync"
	"time"
)

// teaching is the training within a scenario, by callers that each wait until a training
// is acknowledged, and retry it with the next node until it is.
type teaching struct {
	fleet   *fleet
	started time.Time

	mu     sync.Mutex
	acks   []ack
	failed int   // tries without an acknowledgement
	first  error // of them
}

// ack is an acknowledged training.
type ack struct {
	at   time.Time
	took time.Duration // its last try
	node int
}

// teach teaches n lessons, with so many callers at each node, until all are acknowledged or ctx
// is done.
func (f *fleet) teach(ctx context.Context, n, callers int) *teaching {
	t := &teaching{fleet: f, started: time.Now()}
	f.last.Add(int64(n))
	for home := range f.nodes {
		for range callers {
			f.callers.Go(func() { t.call(ctx, home) })
		}
	}
	return t
}

// call teaches one lesson after the other.
func (t *teaching) call(ctx context.Context, home int) {
	for ctx.Err() == nil {
		number := t.fleet.next.Add(1) - 1
		if number >= t.fleet.last.Load() {
			t.fleet.next.Add(-1)
			return
		}
		l := t.fleet.lesson(int(number))
		for i, class := range l.steps {
			if !t.until(ctx, home+i, int(number), l.raw, class) {
				return
			}
		}
	}
}

// until tries a training until it is acknowledged.
func (t *teaching) until(ctx context.Context, home, number int, raw []byte, class string) bool {
	for try := home; ctx.Err() == nil; try++ {
		n := t.fleet.nodes[try%len(t.fleet.nodes)]
		path := "/v1/forget?source=fleet"
		if class != "" {
			path = "/v1/train?source=fleet&class=" + url.QueryEscape(class)
		}
		within, cancel := context.WithTimeout(ctx, tryTime)
		start := time.Now()
		_, err := n.ask(within, "POST", path, raw)
		cancel()
		if t.note(number, ack{time.Now(), time.Since(start), n.number}, err) {
			return true
		}
		select {
		case <-ctx.Done():
		case <-time.After(tryPause):
		}
	}
	return false
}

// A client gives up after tryTime, and waits tryPause before it goes to the next node.
const (
	tryTime  = 15 * time.Second
	tryPause = 100 * time.Millisecond
)

func (t *teaching) note(number int, a ack, err error) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err == nil {
		t.acks = append(t.acks, a)
		return true
	}
	t.fleet.failed[number] = true
	if t.failed++; t.first == nil {
		t.first = err
	}
	return false
}

// count returns the number of acknowledged trainings so far.
func (t *teaching) count() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.acks)
}

// gap returns the longest time without an acknowledgement.
func (t *teaching) gap() (longest time.Duration) {
	slices.SortFunc(t.acks, func(a, b ack) int { return a.at.Compare(b.at) })
	last := t.started
	for _, a := range t.acks {
		longest, last = max(longest, a.at.Sub(last)), a.at
	}
	return longest
}
