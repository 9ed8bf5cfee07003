// Package background does work that nobody waits for: one item at a time, with rests in
// between, so that it takes a small part of a processor.
package background

import (
	"context"
	"sync"
	"time"
)

// share is the length of the rest after work, as a multiple of the work's time: work takes
// at most a tenth of a processor.
const share = 10

// Queue holds the items that wait, each once.
type Queue[K comparable] struct {
	after time.Duration
	do    func(context.Context, K) bool
	ctx   context.Context
	end   context.CancelFunc
	rests context.Context // ended once there are no more rests; so is ctx later
	hurry context.CancelFunc
	ended sync.WaitGroup

	mu      sync.Mutex
	waiting map[K]time.Time // earliest time of each
	running bool
	rested  time.Time // end of the current rest
}

// New returns an empty queue. do is called with one item at a time, at least after that
// time since it was added, and reports whether it did work to rest from. Its context ends
// when the queue is closed.
func New[K comparable](after time.Duration, do func(context.Context, K) bool) *Queue[K] {
	q := &Queue[K]{after: after, do: do, waiting: make(map[K]time.Time)}
	q.ctx, q.end = context.WithCancel(context.Background())
	q.rests, q.hurry = context.WithCancel(q.ctx)
	return q
}

// Add adds k, unless it waits already or the queue is closed or being closed.
func (q *Queue[K]) Add(k K) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if _, waits := q.waiting[k]; !waits {
		q.waiting[k] = time.Now().Add(q.after)
	}
	if !q.running && q.rests.Err() == nil {
		q.running = true
		q.ended.Add(1)
		go q.work()
	}
}

// work does the waiting items until there are none.
func (q *Queue[K]) work() {
	defer q.ended.Done()
	for {
		k, wait, left := q.next()
		switch {
		case !left:
			return
		case wait > 0:
			select {
			case <-time.After(wait):
			case <-q.rests.Done():
			}
		default:
			q.one(k)
		}
	}
}

// next returns the item that has waited longest, or how long to wait until an item is due.
// If none is left, the goroutine ends.
func (q *Queue[K]) next() (first K, wait time.Duration, left bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for k, due := range q.waiting {
		if !left || due.Before(q.waiting[first]) {
			first, left = k, true
		}
	}
	if !left || q.ctx.Err() != nil {
		q.running = false
		return first, 0, false
	}
	if q.rests.Err() == nil {
		wait = max(time.Until(q.rested), time.Until(q.waiting[first]))
	}
	if wait <= 0 {
		delete(q.waiting, first)
	}
	return first, wait, true
}

func (q *Queue[K]) one(k K) {
	start := time.Now()
	if !q.do(q.ctx, k) {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	now := time.Now()
	if q.rested.Before(now) {
		q.rested = now
	}
	q.rested = q.rested.Add(share * now.Sub(start))
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
