package main

import (
	"strings"
	"testing"
	"time"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/corpus"
	"github.com/polya-classifier/polya/classify/decision"
	"github.com/polya-classifier/polya/cmd/internal/reading"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/store/count"
)

func jsonOf(t *testing.T, a *answers, d *reading.Document) string {
	t.Helper()
	line, err := terminal.JSONLine(a.object(d))
	if err != nil {
		t.Fatal(err)
	}
	return string(line)
}

func TestAnswerJSON(t *testing.T) {
	t.Parallel()
	r := classify.Result{
		Class: "spam", Probability: 0.9987, LogOdds: 6.64, Terms: 143,
		Posterior: []classify.ClassProbability{{Class: "spam", Probability: 0.9987}, {Class: "ham", Probability: 0.0013}},
	}
	d := reading.Document{Document: corpus.Document{Path: "in/1.eml", Format: corpus.Mail}, ID: count.DocID{1, 2, 0xff}, Answer: r}
	const id = `"id":"0102ff00000000000000000000000000",`
	want := `{"path":"in/1.eml",` + id + `"format":"mail","format_from":"request","class":"spam","probability":0.9987,"log_odds":6.64,"terms":143,"unsure":false,"posterior":{"spam":0.9987,"ham":0.0013}}` + "\n"
	if got := jsonOf(t, &answers{}, &d); got != want {
		t.Errorf("got  %swant %s", got, want)
	}
	if got, want := (&answers{top: 1}).lines(&reading.Document{Document: corpus.Document{Path: "in/1.eml"}, Answer: r}), "spam\t0.9987\tin/1.eml\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	r.Unsure, r.Reason, r.Cost = true, decision.Tie, 0.5
	if got, want := (&answers{top: 1}).lines(&reading.Document{Document: corpus.Document{Path: "a\tb\n\x1b[31m"}, Answer: r}), "spam\t0.9987\ta\\tb\\n\\x1b[31m\tunsure\ttie\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	d.Answer = r
	want = strings.Replace(want, `"unsure":false`, `"unsure":true,"reason":"tie","cost":0.5`, 1)
	if got := jsonOf(t, &answers{asking: asking{deciding: deciding{costs: []string{"unsure=1"}}}}, &d); got != want {
		t.Errorf("got  %swant %s", got, want)
	}
}

// The first line is the answer, whatever is most probable; the object's posterior has
// the most probable classes.
func TestAnswerTop(t *testing.T) {
	t.Parallel()
	r := classify.Result{Class: "b", Probability: .2, Posterior: []classify.ClassProbability{
		{Class: "a", Probability: .7}, {Class: "b", Probability: .2}, {Class: "c", Probability: .1}}}
	for top, want := range []string{1: "b\t0.2000\tx\n", 2: "b\t0.2000\tx\na\t0.7000\tx\n", 5: "b\t0.2000\tx\na\t0.7000\tx\nc\t0.1000\tx\n"} {
		if want == "" {
			continue
		}
		if got := (&answers{top: top}).lines(&reading.Document{Document: corpus.Document{Path: "x"}, Answer: r}); got != want {
			t.Errorf("top %d: %q, want %q", top, got, want)
		}
	}
	if got, want := jsonOf(t, &answers{top: 2}, &reading.Document{Document: corpus.Document{Path: "x"}, Answer: r}), `"posterior":{"a":0.7,"b":0.2}}`+"\n"; !strings.HasSuffix(got, want) {
		t.Errorf("%s has not the two most probable classes", got)
	}
}

func TestParseMoment(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 7, 31, 18, 0, 0, 0, time.Local)
	for s, want := range map[string]time.Time{
		"2026-07-01":                time.Date(2026, 7, 1, 0, 0, 0, 0, time.Local),
		"2026-07-01 12:30":          time.Date(2026, 7, 1, 12, 30, 0, 0, time.Local),
		"2026-07-01T12:30:00+02:00": time.Date(2026, 7, 1, 10, 30, 0, 0, time.UTC),
		"90m":                       now.Add(-90 * time.Minute),
		"7d":                        now.AddDate(0, 0, -7),
	} {
		if got, ok := parseMoment(s, now); !ok || !got.Equal(want) {
			t.Errorf("%q is %v, %v, want %v", s, got, ok, want)
		}
	}
	for _, s := range []string{"", "yesterday", "-3h", "d", "2026", "7 d"} {
		if got, ok := parseMoment(s, now); ok {
			t.Errorf("%q is %v, want no time", s, got)
		}
	}
}
