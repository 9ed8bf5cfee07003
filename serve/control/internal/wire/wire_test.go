package wire

import (
	"strings"
	"testing"

	"github.com/polya-classifier/polya/serve/backend"
)

// No bytes make the parsers panic, and what is written is read as it was.
func FuzzWire(f *testing.F) {
	f.Add(`polya1 learn 12 "a" "b"`, 0.5)
	f.Add(`answer true false 1 2 3 "x"`, 1e300)
	f.Fuzz(func(t *testing.T, text string, x float64) {
		ParseReply(text + "\n")
		if q, err := ParseRequest(text); err == nil {
			again, err := ParseRequest(strings.TrimSuffix(string(q.Append(nil)), "\n"))
			if err != nil || again.Verb != q.Verb || again.Length != q.Length || q.Verb == "learn" && again != q {
				t.Errorf("%+v, %+v: %v", q, again, err)
			}
		}
		a := backend.Answer{Class: text, Probability: x, Score: -x, Unsure: x > 1}
		r, err := ParseReply(string(AppendAnswer(nil, &a)))
		if err != nil || r.Answer.Class != text || r.Answer.Probability != x && x == x || r.Answer.Unsure != a.Unsure {
			t.Errorf("%+v, %+v: %v", a, r.Answer, err)
		}
	})
}
