package metrics

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
)

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
