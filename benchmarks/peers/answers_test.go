//go:build linux

package peers

import (
	"errors"
	"slices"
	"testing"

	"github.com/polya-classifier/polya/benchmarks/harness"
)

// What the programs printed: bogofilter 1.2.5, spamd 4.0.1 and rspamd 3.4 of Debian 12, with the names shortened.
func TestAnswers(t *testing.T) {
	both := []string{"test/ham/1 a", "test/spam/2"}
	spam := func(score float64) harness.Verdict { return harness.Verdict{Spam: true, Score: score} }
	ham := func(score float64) harness.Verdict { return harness.Verdict{Score: score} }
	unsure := func(score float64) harness.Verdict { return harness.Verdict{Unsure: true, Score: score} }
	ours := `{"path":"test/ham/1 a","class":"ham","probability":0.9999,"log_odds":14.5,"terms":198,"unsure":false,"posterior":{"ham":0.9999,"spam":0.0001}}
{"path":"test/spam/2","class":"spam","probability":0.98,"log_odds":3.5,"terms":69,"unsure":false,"posterior":{"spam":0.98,"ham":0.02}}
`
	for _, c := range []struct {
		peer, out string
		asked     []string
		want      []harness.Verdict // none if it cannot be read
	}{
		{"polya", ours, both, []harness.Verdict{ham(-14.5), spam(3.5)}},
		{"polya", `{"path":"test/spam/2","class":"spam","log_odds":0,"unsure":true,"reason":"tie"}`, both[1:], []harness.Verdict{unsure(0)}},
		{"polya", ours, []string{"test/ham/1 a", "test/spam/3"}, nil},
		{"polya", ours, both[:1], nil},
		{"polya", `{"path":"test/ham/1 a","class":"ham","log_odds":null}`, both, nil},
		{"bogofilter", "test/ham/1 a 0.0000000000000000\ntest/spam/2 0.9900000000000000\n", both, []harness.Verdict{ham(0), spam(.99)}},
		{"bogofilter", "test/ham/1 a 0.9899999999999999\n", both[:1], []harness.Verdict{unsure(.9899999999999999)}},
		{"bogofilter", "test/spam/2 0.5\n", both[:1], nil},
		{"bogofilter", "test/ham/1 a H\n", both[:1], nil},
		{"polyad", "SPAMD/1.1 0 EX_OK\r\nSpam: True ; 9.6 / 1.0\r\n\r\n", both[:1], []harness.Verdict{spam(9.6)}},
		{"polyad", "SPAMD/1.1 0 EX_OK\r\n\r\n", both[:1], nil},
		{"spamassassin", "SPAMD/1.1 0 EX_OK\r\nContent-length: 90\r\nSpam: False ; 0.0 / 5.0\r\n\r\nX-Spam-Bayes: 0.9931\r\nSubject: x\r\nX-Spam-Bayes: 0.1\r\n\r\n", both[:1], []harness.Verdict{spam(.9931)}},
		{"spamassassin", "SPAMD/1.1 0 EX_OK\r\n\r\nSubject: X-Spam-Bayes: 1\r\n", both[:1], nil},
		{"rspamd", `{"score":2.316252,"action":"no action","symbols":{"BAYES_SPAM":{"name":"BAYES_SPAM","score":2.5,"metric_score":5.0,"options":["90.82%"]}},"messages":{}}`, both[:1], []harness.Verdict{spam(.5)}},
		{"rspamd", `{"symbols":{"BAYES_HAM":{"score":-3.0,"options":["100.00%"]}}}`, both[:1], []harness.Verdict{ham(-1)}},
		{"rspamd", `{"symbols":{}}`, both[:1], []harness.Verdict{unsure(0)}},
		{"rspamd", `{"error":"empty body"}`, both[:1], nil},
	} {
		read := map[string]func(string, []string) []harness.Verdict{
			"polya": parsePolya, "bogofilter": parseBogofilter, "rspamd": one(parseRspamd), "spamassassin": one(parseSpamd), "polyad": one(parseCheck),
		}[c.peer]
		var got []harness.Verdict
		err := harness.Try(func() { got = read(c.out, c.asked) })
		if (c.want == nil) != errors.Is(err, errAnswer) || c.want != nil && !slices.Equal(got, c.want) {
			t.Errorf("%s, %.60q: %v, %v, want %v", c.peer, c.out, got, err, c.want)
		}
	}
}

// one reads the reply of a daemon.
func one(read func([]byte) harness.Verdict) func(string, []string) []harness.Verdict {
	return func(out string, _ []string) []harness.Verdict { return []harness.Verdict{read([]byte(out))} }
}
