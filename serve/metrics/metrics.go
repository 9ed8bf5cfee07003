// Package metrics counts the calls of a backend.Backend, in the text format of Prometheus.
package metrics

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
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
	c.called("classify", err, c.answers, labels{a.Class, source(r.Source), strconv.FormatBool(a.Unsure)}, &c.answer, begin)
	return a, err
}

// Learn learns or takes back by the Backend behind it.
func (c *Counts) Learn(ctx context.Context, r backend.Request, class string) (backend.Outcome, error) {
	begin := time.Now()
	outcome, err := c.Backend.Learn(ctx, r, class)
	call := "learn"
	if class == "" {
		call = "forget"
	}
	c.called(call, err, c.learned, labels{class, source(r.Source), string(outcome)}, &c.train, begin)
	return outcome, err
}

// called counts a call that began at a time: what came of it, and how long it took, or its error.
func (c *Counts) called(call string, err error, of map[labels]uint64, outcome labels, took *histogram, begin time.Time) {
	now := time.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		count(c.failures, labels{call, reason(err)})
		return
	}
	count(of, outcome)
	took.observe(now.Sub(begin))
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

// A Page is what Prometheus reads.
type Page struct {
	strings.Builder
	last string // the name of the metric
}

// Gauge writes a current value, or a counter if the name ends with _total, with labels as Label returns
// them. Those of one name follow each other.
func (p *Page) Gauge(name string, value float64, help string, labels ...string) {
	kind := "gauge"
	if strings.HasSuffix(name, "_total") {
		kind = "counter"
	}
	p.head(name, kind, help)
	p.value(name, value, labels...)
}

// Flag is Gauge with 1 for true and 0 for false.
func (p *Page) Flag(name string, is bool, help string, labels ...string) {
	value := 0.
	if is {
		value = 1
	}
	p.Gauge(name, value, help, labels...)
}

func (p *Page) head(name, kind, help string) {
	if name != p.last {
		fmt.Fprintf(p, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind)
		p.last = name
	}
}

func (p *Page) value(name string, value float64, labels ...string) {
	if len(labels) > 0 {
		name += "{" + strings.Join(labels, ",") + "}"
	}
	fmt.Fprintf(p, "%s %s\n", name, strconv.FormatFloat(value, 'f', -1, 64))
}

// Write writes the counts.
func (c *Counts) Write(p *Page) {
	c.mu.Lock()
	defer c.mu.Unlock()
	p.counts("polya_answers_total", "Answers given.", c.answers, "class", "source", "unsure")
	p.counts("polya_trainings_total", "Trainings done; those with the outcome moved are corrections.", c.learned, "class", "source", "outcome")
	p.counts("polya_failures_total", "Requests refused or failed.", c.failures, "call", "reason")
	p.histogram("polya_answer_seconds", "Time to answer.", &c.answer)
	p.histogram("polya_training_seconds", "Time until a training is on the disk.", &c.train)
}

func (p *Page) counts(name, help string, of map[labels]uint64, names ...string) {
	p.head(name, "counter", help)
	for _, l := range slices.SortedFunc(maps.Keys(of), func(a, b labels) int { return slices.Compare(a[:], b[:]) }) {
		var each []string
		for i, n := range names {
			each = append(each, Label(n, l[i]))
		}
		p.value(name, float64(of[l]), each...)
	}
}

func (p *Page) histogram(name, help string, h *histogram) {
	p.head(name, "histogram", help)
	total := uint64(0)
	for i, n := range h.counts {
		total += n
		le := "+Inf"
		if i < len(bounds) {
			le = strconv.FormatFloat(bounds[i].Seconds(), 'g', -1, 64)
		}
		p.value(name+"_bucket", float64(total), Label("le", le))
	}
	p.value(name+"_sum", h.sum.Seconds())
	p.value(name+"_count", float64(total))
}

var escapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// Label returns a label with its value as they are written.
func Label(name, value string) string {
	return name + `="` + escapes.Replace(strings.ToValidUTF8(value, "\uFFFD")) + `"`
}
