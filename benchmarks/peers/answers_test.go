//go:build linux

package peers

import (
	"errors"
	"slices"
	"testing"

	"github.com/polya-classifier/polya/benchmarks/harness"
)

// What the programs printed: bogofilter 1.2.5, spamprobe 1.4d, bmf 0.9.4, sylfilter 0.8,
// spamoracle, crm114 20100106, spamd 4.0.1 and rspamd 3.4 of Debian 12, with the names shortened.

var asked = []string{"test/ham/1 a", "test/spam/2"}

func TestParsePolya(t *testing.T) {
	out := `{"path":"test/ham/1 a","class":"ham","probability":0.9999,"log_odds":14.5,"terms":198,"unsure":false,"posterior":{"ham":0.9999,"spam":0.0001}}
{"path":"test/spam/2","class":"spam","probability":0.98,"log_odds":3.5,"terms":69,"unsure":false,"posterior":{"spam":0.98,"ham":0.02}}
`
	got, err := try(func() []answer { return parsePolya(out, asked) })
	same(t, got, err, answer{false, -14.5}, answer{true, 3.5})
	unsure := `{"path":"test/spam/2","class":"spam","log_odds":0,"unsure":true,"reason":"tie"}`
	got, err = try(func() []answer { return parsePolya(unsure, asked[1:]) })
	same(t, got, err, answer{false, 0})
	_, err = try(func() []answer { return parsePolya(out, []string{"test/ham/1 a", "test/spam/3"}) })
	fails(t, err)
	_, err = try(func() []answer { return parsePolya(out, asked[:1]) })
	fails(t, err)
	_, err = try(func() []answer { return parsePolya(`{"path":"test/ham/1 a","class":"ham","log_odds":null}`, asked) })
	fails(t, err)
}

func TestParseBogofilter(t *testing.T) {
	got, err := try(func() []answer {
		return parseBogofilter("test/ham/1 a 0.0000000000000000\ntest/spam/2 0.9900000000000000\n", asked)
	})
	same(t, got, err, answer{false, 0}, answer{true, .99})
	got, err = try(func() []answer { return parseBogofilter("test/ham/1 a 0.9899999999999999\n", asked) })
	same(t, got, err, answer{false, .9899999999999999})
	_, err = try(func() []answer { return parseBogofilter("test/spam/2 0.5\n", asked) })
	fails(t, err)
	_, err = try(func() []answer { return parseBogofilter("test/ham/1 a H\n", asked) })
	fails(t, err)
}

func TestParseSpamprobe(t *testing.T) {
	got, err := try(func() []answer {
		return parseSpamprobe("GOOD 0.0000010 fa751a6738a1050cbf3384526f6b19bf\nSPAM 0.9999990 2a0825309f2bccf60f62abda4770241f\n", asked)
	})
	same(t, got, err, answer{false, .000001}, answer{true, .999999})
	_, err = try(func() []answer { return parseSpamprobe("unable to open file\n", asked) })
	fails(t, err)
}

func TestParseBMF(t *testing.T) {
	got, err := try(func() answer { return parseBMF("# Spamicity: 1.000000\n# 'normal' -> 0.990000\n", 0) })
	same(t, []answer{got}, err, answer{true, 1})
	got, err = try(func() answer { return parseBMF("# Spamicity: 0.002278\n", 1) })
	same(t, []answer{got}, err, answer{false, .002278})
	_, err = try(func() answer { return parseBMF("", 1) })
	fails(t, err)
}

func TestParseSylfilter(t *testing.T) {
	got, err := try(func() []answer {
		return parseSylfilter("test/ham/1 a: This is a clean mail (prob: 0.000019)\ntest/spam/2: This is a junk mail (prob: 0.995369)\n", asked)
	})
	same(t, got, err, answer{false, .000019}, answer{true, .995369})
	got, err = try(func() []answer {
		return parseSylfilter("test/ham/1 a: This mail could not be classified (prob: 0.500000)\n", asked)
	})
	same(t, got, err, answer{false, .5})
	_, err = try(func() []answer { return parseSylfilter("test/spam/2: This is a junk mail (prob: 0.995369)\n", asked) })
	fails(t, err)
}

func TestParseSpamoracle(t *testing.T) {
	rule := "--------------------------------------------------\n"
	out := rule + "From: a@example.org\nSubject: the score\nScore: 5 to 4 for us\nScore: 0.07 -- 15\nDetails: barryg:01\nFile: test/ham/1 a\n" +
		rule + "From: b@example.org\nSubject: debt\nScore: 0.80 -- 15\nDetails: debt:99\nFile: test/spam/2\n"
	got, err := try(func() []answer { return parseSpamoracle(out, asked) })
	same(t, got, err, answer{false, .07}, answer{true, .8})
	_, err = try(func() []answer { return parseSpamoracle(rule+"Subject: x\nFile: test/ham/1 a\n", asked) })
	fails(t, err)
}

func TestParseCRM114(t *testing.T) {
	spam := "CLASSIFY fails; success probability: 0.0000  pR: -39.2218\nBest match to file #1 (crm/spam.css) prob: 1.0000  pR: 39.2218  \n"
	got, err := try(func() answer { return parseCRM114(spam) })
	same(t, []answer{got}, err, answer{true, 39.2218})
	got, err = try(func() answer { return parseCRM114("CLASSIFY succeeds; success probability: 1.0000  pR: 135.2651\n") })
	same(t, []answer{got}, err, answer{false, -135.2651})
	_, err = try(func() answer { return parseCRM114("crm: *WARNING*\n") })
	fails(t, err)
}

func TestParseSpamd(t *testing.T) {
	said := "SPAMD/1.1 0 EX_OK\r\nContent-length: 90\r\nSpam: False ; 0.0 / 5.0\r\n\r\nX-Spam-Bayes: 0.9931\r\nSubject: x\r\nX-Spam-Bayes: 0.1\r\n\r\n"
	got, err := try(func() answer { return parseSpamd([]byte(said)) })
	same(t, []answer{got}, err, answer{true, .9931})
	_, err = try(func() answer { return parseSpamd([]byte("SPAMD/1.1 0 EX_OK\r\n\r\nSubject: X-Spam-Bayes: 1\r\n")) })
	fails(t, err)
}

func TestParseRspamd(t *testing.T) {
	said := `{"score":2.316252,"action":"no action","symbols":{"BAYES_SPAM":{"name":"BAYES_SPAM","score":2.5,"metric_score":5.0,"options":["90.82%"]}},"messages":{}}`
	got, err := try(func() answer { return parseRspamd([]byte(said)) })
	same(t, []answer{got}, err, answer{true, .5})
	got, err = try(func() answer {
		return parseRspamd([]byte(`{"symbols":{"BAYES_HAM":{"score":-3.0,"options":["100.00%"]}}}`))
	})
	same(t, []answer{got}, err, answer{false, -1})
	got, err = try(func() answer { return parseRspamd([]byte(`{"symbols":{}}`)) })
	same(t, []answer{got}, err, answer{false, 0})
	_, err = try(func() answer { return parseRspamd([]byte(`{"error":"empty body"}`)) })
	fails(t, err)
}

func TestParseFastText(t *testing.T) {
	got, err := try(func() []answer {
		return parseFastText("__label__ham 0.999 __label__spam 0.001\n__label__spam 0.75 __label__ham 0.25\n")
	})
	same(t, got, err, answer{false, .001 - .999}, answer{true, .5})
	_, err = try(func() []answer { return parseFastText("\n") })
	fails(t, err)
	_, err = try(func() []answer { return parseFastText("__label__ham 1.00001\n") })
	fails(t, err)
}

func TestParseLogOdds(t *testing.T) {
	got, err := try(func() []answer { return parseLogOdds("-12.5\n1e-05\n") })
	same(t, got, err, answer{false, -12.5}, answer{true, 1e-05})
	_, err = try(func() []answer { return parseLogOdds("nobody\n") })
	fails(t, err)
}

// try calls f and returns what it returned, or the error with which it ended.
func try[T any](f func() T) (x T, err error) {
	err = harness.Try(func() { x = f() })
	return x, err
}

func same(t *testing.T, got []answer, err error, want ...answer) {
	t.Helper()
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
}

func fails(t *testing.T, err error) {
	t.Helper()
	if !errors.Is(err, errAnswer) {
		t.Errorf("error %v, want %v", err, errAnswer)
	}
}
