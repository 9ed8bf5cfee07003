package terminal

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"
)

// What is escaped reads back as the same, and nothing of it moves a terminal's cursor.
func TestPrintableJSON(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"plain", "Größe 日本 😀", "\u009b31m", "\x7f\x1b[2J", "a\u202eb\u2066", "\u200b\ufeff\u2028", "\U000e0041\U000f0000", "\u00a0\u00ad", "<&>\"\\"} {
		line, err := JSONLine(map[string]string{"k": s})
		if err != nil {
			t.Fatal(err)
		}
		var back map[string]string
		if err := json.Unmarshal(line, &back); err != nil || back["k"] != s {
			t.Errorf("%+q became %+q, %v", s, back["k"], err)
		}
		for _, r := range strings.TrimSuffix(string(line), "\n") {
			if !unicode.IsPrint(r) {
				t.Errorf("%+q has %U", line, r)
			}
		}
		if got := string(AppendString(nil, s)); string(line) != `{"k":`+got+"}\n" {
			t.Errorf("%s and %s", line, got)
		}
	}
}
