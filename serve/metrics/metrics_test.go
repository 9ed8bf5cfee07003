package metrics

import (
	"context"
	"errors"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/serve/backend"
)

type fake struct {
	answer backend.Answer
	err    error
}

func (f *fake) Classify(context.Context, backend.Request, bool) (backend.Answer, error) {
	return f.answer, f.err
}
func (f *fake) Learn(_ context.Context, _ backend.Request, class string) (backend.Outcome, error) {
	if class == "" {
		return backend.Forgotten, f.err
	}
	return backend.Moved, f.err
}
func (f *fake) Classes(context.Context, string) ([]string, error) { return nil, nil }

// What is written is Prometheus' text format, by its grammar, and counts what was asked.
func TestWrite(t *testing.T) {
	t.Parallel()
	f := &fake{answer: backend.Answer{Class: "a\"b\\c\nd\xff", Unsure: true}}
	c := New(f)
	ctx := t.Context()
	c.Classify(ctx, backend.Request{Source: "spamc"}, false)
	c.Learn(ctx, backend.Request{Source: "dovecot"}, "spam")
	c.Learn(ctx, backend.Request{}, "")
	for _, f.err = range []error{backend.ErrBusy, backend.ErrSize, errors.New("x"), context.DeadlineExceeded} {
		c.Classify(ctx, backend.Request{}, false)
		c.Learn(ctx, backend.Request{}, "spam")
	}
	var b Page
	c.Write(&b)
	b.Gauge("g", 1.5, "Help.")
	b.Gauge("g", -1e30, "Help.", Label("l", "v"))
	b.Gauge("n_total", 1, "Help.")
	for _, want := range []string{"# TYPE g gauge\n", "# TYPE n_total counter\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is missing", want)
		}
	}
	values := map[string]float64{}
	typed := map[string]bool{}
	sample := regexp.MustCompile(`^([a-z_]+)(\{(?:[a-z]+="(?:[^"\\\n]|\\[\\"n])*",?)*\})? (\S+)$`)
	for line := range strings.Lines(b.String()) {
		line = strings.TrimSuffix(line, "\n")
		if fields := strings.Fields(line); fields[0] == "#" {
			if fields[1] == "TYPE" {
				if typed[fields[2]] {
					t.Errorf("%s has two types", fields[2])
				}
				typed[fields[2]] = true
			}
			continue
		}
		m := sample.FindStringSubmatch(line)
		if m == nil {
			t.Errorf("no sample: %s", line)
			continue
		}
		v, err := strconv.ParseFloat(m[3], 64)
		if _, twice := values[m[1]+m[2]]; err != nil || twice || !typed[strings.NewReplacer("_bucket", "", "_sum", "", "_count", "").Replace(m[1])] {
			t.Errorf("%s: %v, or twice, or no type", line, err)
		}
		values[m[1]+m[2]] = v
	}
	for name, want := range map[string]float64{
		`polya_answers_total{class="a\"b\\c\nd` + "\uFFFD" + `",source="spamc",unsure="true"}`: 1,
		`polya_trainings_total{class="spam",source="dovecot",outcome="moved"}`:                 1,
		`polya_trainings_total{class="",source="",outcome="forgotten"}`:                        1,
		`polya_failures_total{call="classify",reason="busy"}`:                                  1,
		`polya_failures_total{call="learn",reason="timeout"}`:                                  1,
		`polya_failures_total{call="learn",reason="failed"}`:                                   1,
		`polya_answer_seconds_bucket{le="+Inf"}`:                                               1, `polya_answer_seconds_count`: 1, `polya_training_seconds_count`: 2, "g": 1.5, `g{l="v"}`: -1e30,
	} {
		if got, known := values[name]; got != want || !known {
			t.Errorf("%s is %v, not %v", name, got, want)
		}
	}
}

// A client that names a new class with each message does not fill the memory.
func TestBounded(t *testing.T) {
	t.Parallel()
	c := New(&fake{})
	for n := range 3 * maxSeries {
		c.Learn(t.Context(), backend.Request{}, strconv.Itoa(n))
	}
	if n := len(c.learned); n != maxSeries+1 {
		t.Errorf("%d series", n)
	}
}

// Nor with each source, and it hides neither the listeners' nor breaks what is written.
func TestSources(t *testing.T) {
	t.Parallel()
	c := New(&fake{})
	for n := range 3 * maxSeries {
		c.Classify(t.Context(), backend.Request{Source: strconv.Itoa(n)}, false)
	}
	for _, source := range []string{"\xff", "milter"} {
		c.Classify(t.Context(), backend.Request{Source: source}, false)
	}
	if n := len(c.answers); n != 2 {
		t.Errorf("%d series", n)
	}
	if n := c.answers[labels{"", "milter", "false"}]; n != 1 {
		t.Errorf("%d answers of the milter", n)
	}
}
