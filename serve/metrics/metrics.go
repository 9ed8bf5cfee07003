// Package metrics counts the calls of a backend.Backend, in the text format of Prometheus.
package metrics

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/polya-classifier/polya/serve/backend"
)

// Counts is a Backend that counts the answers of another. It is safe for concurrent use.
type Counts struct {
	backend.Backend

	mu       sync.Mutex
	answers  map[labels]uint64 // class, source, unsure
	learned  map[labels]uint64 // class, source, outcome
	failures map[labels]uint64 // call, reason
	answer   histogram
	train    histogram
}

// labels are the values of at most three labels.
type labels [3]string

// maxSeries bounds the number of distinct label values.
const maxSeries = 1000

// sources have a label of their own: over HTTP a caller may name any.
var sources = []string{"milter", "dovecot", "spamc", "rspamc", "http", ""}

// New returns a Backend that counts the calls of b.
func New(b backend.Backend) *Counts {
	return &Counts{Backend: b, answers: map[labels]uint64{}, learned: map[labels]uint64{}, failures: map[labels]uint64{}}
}

func source(name string) string {
	if slices.Contains(sources, name) {
		return name
	}
	return "other"
}

// Classify answers by the Backend behind it.
func (c *Counts) Classify(ctx context.Context, r backend.Request, explain bool) (backend.Answer, error) {
	begin := time.Now()
	a, err := c.Backend.Classify(ctx, r, explain)
	took := time.Since(begin)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		count(c.failures, labels{"classify", reason(err)})
		return a, err
	}
	count(c.answers, labels{a.Class, source(r.Source), strconv.FormatBool(a.Unsure)})
	c.answer.observe(took)
	return a, nil
}

// Learn learns by the Backend behind it.
func (c *Counts) Learn(ctx context.Context, r backend.Request, class string) (backend.Outcome, error) {
	begin := time.Now()
	outcome, err := c.Backend.Learn(ctx, r, class)
	c.trained("learn", class, r.Source, outcome, err, time.Since(begin))
	return outcome, err
}

// Forget takes back by the Backend behind it.
func (c *Counts) Forget(ctx context.Context, r backend.Request) (backend.Outcome, error) {
	begin := time.Now()
	outcome, err := c.Backend.Forget(ctx, r)
	c.trained("forget", "", r.Source, outcome, err, time.Since(begin))
	return outcome, err
}

func (c *Counts) trained(call, class, from string, outcome backend.Outcome, err error, took time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		count(c.failures, labels{call, reason(err)})
		return
	}
	count(c.learned, labels{class, source(from), string(outcome)})
	c.train.observe(took)
}

// count adds one, to the labels for the rest if there are too many.
func count(m map[labels]uint64, l labels) {
	if _, known := m[l]; !known && len(m) >= maxSeries {
		l = labels{"other", "other", "other"}
	}
	m[l]++
}

func reason(err error) string {
	for _, kind := range []struct {
		err  error
		name string
	}{
		{backend.ErrBusy, "busy"}, {backend.ErrSize, "size"}, {backend.ErrClass, "class"}, {backend.ErrUser, "user"},
		{backend.ErrForbidden, "forbidden"}, {context.DeadlineExceeded, "timeout"}, {context.Canceled, "canceled"},
	} {
		if errors.Is(err, kind.err) {
			return kind.name
		}
	}
	return "failed"
}

// bounds are the upper bounds of the histogram's buckets.
var bounds = [...]time.Duration{
	100 * time.Microsecond, 250 * time.Microsecond, 500 * time.Microsecond, time.Millisecond, 2500 * time.Microsecond, 5 * time.Millisecond,
	10 * time.Millisecond, 25 * time.Millisecond, 50 * time.Millisecond, 100 * time.Millisecond, 250 * time.Millisecond,
	500 * time.Millisecond, time.Second, 5 * time.Second,
}

// histogram counts durations by bucket, the last of which has no bound.
type histogram struct {
	counts [len(bounds) + 1]uint64
	sum    time.Duration
}

func (h *histogram) observe(d time.Duration) {
	i, _ := slices.BinarySearch(bounds[:], d)
	h.counts[i]++
	h.sum += d
}
