package wire

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/polya-classifier/polya/serve/backend"
)

// No bytes make the parsers panic, and what is written is read as it was.
func FuzzWire(f *testing.F) {
	f.Add(`polya1 learn 12 "ute.polya" "true" "a" "b"`, 0.5)
	f.Add(`polya1 teach 0 "" "ute" "0a" "ham" "by hand"`, 0.5)
	f.Add(`polya1 decisions 0 "" "" "20"`, 0.5)
	f.Add(`decisions "8" "0a" "2026-07-31T18:00:00Z" "" "" "" "" "ham" "1" "false"`, 0.5)
	f.Add(`taught "2" "spam"`, 0.5)
	f.Add(`answer true false false 1 2 3 "x"`, 1e300)
	f.Fuzz(func(t *testing.T, text string, x float64) {
		ParseReply(text + "\n")
		if q, err := ParseRequest(text); err == nil {
			again, err := ParseRequest(strings.TrimSuffix(string(q.Append(nil)), "\n"))
			if err != nil || again.Verb != q.Verb || again.Length != q.Length || !reflect.DeepEqual(again, q) {
				t.Errorf("%+v, %+v: %v", q, again, err)
			}
		}
		a := backend.Answer{Class: text, Probability: x, Score: -x, Unsure: x > 1, Truncated: x < 0}
		r, err := ParseReply(string(AppendAnswer(nil, &a)))
		if err != nil || r.Answer.Class != text || r.Answer.Probability != x && x == x || r.Answer.Unsure != a.Unsure || r.Answer.Truncated != a.Truncated {
			t.Errorf("%+v, %+v: %v", a, r.Answer, err)
		}
		d := backend.Decision{ID: text, Time: time.Unix(1, 2).UTC(), User: text, Source: text, Sender: text, Subject: text, Class: text, Unsure: x > 1}
		r, err = ParseReply(string(AppendDecisions(nil, &Decisions{Digits: 9, List: []backend.Decision{d, d}})))
		if err != nil || r.Decisions.Digits != 9 || len(r.Decisions.List) != 2 || r.Decisions.List[1] != d {
			t.Errorf("%+v, %+v: %v", d, r.Decisions, err)
		}
		r, err = ParseReply(string(AppendTaught(nil, backend.Moved, text)))
		if err != nil || r.Outcome != backend.Moved || r.From != text {
			t.Errorf("%q, %+v: %v", text, r, err)
		}
	})
}
