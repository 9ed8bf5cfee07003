// Package background does work that nobody waits for: one item at a time, with rests in
// between, so that it takes a small part of a processor.
package background

import (
	"context"
	"slices"
	"sync"
	"time"
)

// share is the length of the rest after work, as a multiple of the work's time: work takes
// at most a tenth of a processor.
const share = 10

// Queue holds the items that wait, each once.
type Queue[K comparable] struct {
	after  time.Duration
	do     func(context.Context, K) bool
	ctx    context.Context
	end    context.CancelFunc
	rests  context.Context // ended once there are no more rests; so is ctx later
	hurry  context.CancelFunc
	ended  sync.WaitGroup
	rested time.Time // end of the current rest, which only work uses

	mu      sync.Mutex
	waiting []item[K] // in order of due
	running bool
}

type item[K comparable] struct {
	key K
	due time.Time
}

// New returns an empty queue. do is called with one item at a time, at least after that
// time since it was added, and reports whether it did work to rest from. Its context ends
// when the queue is closed.
func New[K comparable](after time.Duration, do func(context.Context, K) bool) *Queue[K] {
	q := &Queue[K]{after: after, do: do}
	q.ctx, q.end = context.WithCancel(context.Background())
	q.rests, q.hurry = context.WithCancel(q.ctx)
	return q
}

// Add adds k, unless it waits already or the queue is closed or being closed.
func (q *Queue[K]) Add(k K) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !slices.ContainsFunc(q.waiting, func(i item[K]) bool { return i.key == k }) {
		q.waiting = append(q.waiting, item[K]{k, time.Now().Add(q.after)})
	}
	if !q.running && q.rests.Err() == nil {
		q.running = true
		q.ended.Go(q.work)
	}
}

// work does the waiting items until there are none.
func (q *Queue[K]) work() {
	for {
		q.mu.Lock()
		if len(q.waiting) == 0 || q.ctx.Err() != nil {
			q.running = false
			q.mu.Unlock()
			return
		}
		first := q.waiting[0]
		wait := max(time.Until(q.rested), time.Until(first.due))
		if q.rests.Err() != nil || wait <= 0 {
			wait, q.waiting = 0, slices.Delete(q.waiting, 0, 1)
		}
		q.mu.Unlock()
		if wait > 0 {
			select {
			case <-time.After(wait):
			case <-q.rests.Done():
			}
			continue
		}
		start := time.Now()
		if q.do(q.ctx, first.key) {
			q.rested = time.Now().Add(share * time.Since(start))
		}
	}
}

// Finish does the waiting items, without rests, and closes the queue.
func (q *Queue[K]) Finish() {
	q.mu.Lock()
	q.hurry()
	q.mu.Unlock()
	q.ended.Wait()
	q.Close()
}

// Close ends the current work, and begins no other.
func (q *Queue[K]) Close() {
	q.mu.Lock()
	q.end()
	q.mu.Unlock()
	q.ended.Wait()
}
