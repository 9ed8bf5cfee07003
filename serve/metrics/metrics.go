// Package metrics counts the calls of a backend.Backend, in the text format of Prometheus.
package metrics

import (
	"context"
	"errors"
	"fmt"
	"io"
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

// Learn learns or takes back by the Backend behind it.
func (c *Counts) Learn(ctx context.Context, r backend.Request, class string) (backend.Outcome, error) {
	begin := time.Now()
	outcome, err := c.Backend.Learn(ctx, r, class)
	took, call := time.Since(begin), "learn"
	if class == "" {
		call = "forget"
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		count(c.failures, labels{call, reason(err)})
		return outcome, err
	}
	count(c.learned, labels{class, source(r.Source), string(outcome)})
	c.train.observe(took)
	return outcome, nil
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

// A Gauge is a current value, or a counter if its name ends with _total.
type Gauge struct {
	Name   string
	Help   string
	Labels string // as they are written: `class="spam"`; "" for none
	Value  float64
}

// Write writes the counts and gauges as Prometheus reads them. Gauges of one name are
// written together.
func (c *Counts) Write(w io.Writer, gauges []Gauge) error {
	var b strings.Builder
	c.mu.Lock()
	counts(&b, "polya_answers_total", "Answers given.", c.answers, "class", "source", "unsure")
	counts(&b, "polya_trainings_total", "Trainings done; those with the outcome moved are corrections.", c.learned, "class", "source", "outcome")
	counts(&b, "polya_failures_total", "Requests refused or failed.", c.failures, "call", "reason")
	c.answer.write(&b, "polya_answer_seconds", "Time to answer.")
	c.train.write(&b, "polya_training_seconds", "Time until a training is on the disk.")
	c.mu.Unlock()
	last := ""
	for _, g := range gauges {
		if g.Name != last {
			kind := "gauge"
			if strings.HasSuffix(g.Name, "_total") {
				kind = "counter"
			}
			head(&b, g.Name, kind, g.Help)
			last = g.Name
		}
		b.WriteString(g.Name)
		if g.Labels != "" {
			fmt.Fprintf(&b, "{%s}", g.Labels)
		}
		fmt.Fprintf(&b, " %s\n", strconv.FormatFloat(g.Value, 'g', -1, 64))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func counts(b *strings.Builder, name, help string, of map[labels]uint64, names ...string) {
	head(b, name, "counter", help)
	for _, l := range slices.SortedFunc(maps.Keys(of), func(a, b labels) int { return slices.Compare(a[:], b[:]) }) {
		var each []string
		for i, n := range names {
			each = append(each, Label(n, l[i]))
		}
		fmt.Fprintf(b, "%s{%s} %d\n", name, strings.Join(each, ","), of[l])
	}
}

func head(b *strings.Builder, name, kind, help string) {
	fmt.Fprintf(b, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind)
}

func (h *histogram) write(b *strings.Builder, name, help string) {
	head(b, name, "histogram", help)
	total := uint64(0)
	for i, n := range h.counts {
		total += n
		le := "+Inf"
		if i < len(bounds) {
			le = strconv.FormatFloat(bounds[i].Seconds(), 'g', -1, 64)
		}
		fmt.Fprintf(b, "%s_bucket{le=\"%s\"} %d\n", name, le, total)
	}
	fmt.Fprintf(b, "%s_sum %s\n%s_count %d\n", name, strconv.FormatFloat(h.sum.Seconds(), 'g', -1, 64), name, total)
}

var escapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// Label returns a label with its value as they are written.
func Label(name, value string) string {
	return name + `="` + escapes.Replace(strings.ToValidUTF8(value, "\uFFFD")) + `"`
}
