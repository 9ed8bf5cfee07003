package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/classify/eval"
)

// What is escaped reads back as the same, and nothing of it moves a terminal's cursor.
func TestPrintableJSON(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"plain", "Größe 日本 😀", "\u009b31m", "\x7f\x1b[2J", "a\u202eb\u2066", "\u200b\ufeff\u2028", "\U000e0041\U000f0000", "\u00a0\u00ad", "<&>\"\\"} {
		line, err := encoded(map[string]string{"k": s})
		if err != nil {
			t.Fatal(err)
		}
		var back map[string]string
		if err := json.Unmarshal(line, &back); err != nil || back["k"] != s {
			t.Errorf("%+q became %+q, %v", s, back["k"], err)
		}
		for _, r := range strings.TrimSuffix(string(line), "\n") {
			if !shown(r) {
				t.Errorf("%+q has %U", line, r)
			}
		}
		if got := string(appendString(nil, s)); string(line) != `{"k":`+got+"}\n" {
			t.Errorf("%s and %s", line, got)
		}
	}
}

// A path that is no text is there to be opened again.
func TestPathBase64(t *testing.T) {
	t.Parallel()
	a := eval.Answer{ID: "a\xff", Posterior: []float64{1}, LogOdds: []float64{0}}
	for _, line := range []string{string(appendEvalAnswer(nil, "m", []string{"x"}, &a, false)), "{" + string(appendPath(nil, "a\xff")) + "}"} {
		var got map[string]any
		if err := json.Unmarshal([]byte(line), &got); err != nil {
			t.Fatal(err)
		}
		if got["document_base64"] != "Yf8=" && got["path_base64"] != "Yf8=" {
			t.Error(line)
		}
	}
	if got := string(appendPath(nil, "größe")); got != `"path":"größe"` {
		t.Error(got)
	}
}
