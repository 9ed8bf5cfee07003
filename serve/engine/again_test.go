package engine

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/decisions"
	"github.com/polya-classifier/polya/tokenize"
)

// A message is shown decoded, its links and hidden text apart, with its terms where they stand.
func TestPassages(t *testing.T) {
	t.Parallel()
	message := "From: Ann <ann@example.org>\r\nSubject: =?utf-8?q?Caf=C3=A9_casino?=\r\nReceived: from a by b\r\nContent-Type: text/html; charset=utf-8\r\n" +
		"Content-Transfer-Encoding: quoted-printable\r\n\r\n<p>Caf=C3=A9 <b>jack</b>pot</p><a href=3D\"http://win.example/id\">go</a>" +
		"<div style=3D\"display:none\">unseen meeting</div>\r\n" + strings.Repeat("x ", shown)
	a, err := tokenize.New("")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range passages(a, []byte(message), []backend.Reason{{Term: "jackpot", Bits: 3}, {Term: "subject:casino", Bits: 2}, {Term: "casino", Bits: 1}, {Term: "invisible:meeting", Bits: -1}, {Term: "url:win.example", Bits: 1}}) {
		for _, s := range p.Spans {
			got = append(got, p.Field+"|"+p.Text[s.Begin:s.End]+"|"+s.Term)
		}
		if len(p.Text) > shown {
			t.Errorf("%d bytes of %q", len(p.Text), p.Field)
		}
	}
	for _, want := range []string{"subject|casino|subject:casino", "|jackpot|jackpot", "invisible|meeting|invisible:meeting", "url|win.example|url:win.example"} {
		if !slices.Contains(got, want) {
			t.Errorf("%q lacks %q", got, want)
		}
	}
}

// What is asked aside leaves no decision and is not learned automatically.
func TestExplainKeepsNothing(t *testing.T) {
	t.Parallel()
	e := newEngine(t, Options{Auto: &Auto{People: 1}, Decisions: &decisions.Options{}})
	for n := range 100 {
		learn(t, e, "spam", request("spam", n), backend.Learned)
		learn(t, e, "ham", request("ham", n), backend.Learned)
	}
	calibrated(t, e)
	ctx := context.Background()
	x, err := e.Explain(ctx, backend.Request{Message: message("spam", 1000)})
	if err != nil || x.Class != "spam" || len(x.Reasons) == 0 || len(x.Having) != len(x.Reasons) {
		t.Fatalf("%+v, %v", x, err)
	}
	if list, err := e.Decisions("", 10); err != nil || len(list) != 0 {
		t.Errorf("%d decisions, %v", len(list), err)
	}
	e.shared.learners.Wait()
	if n := sources(t, e); len(n) != 2 {
		t.Errorf("learned by itself: %v", n)
	}
	ask(t, e, backend.Request{Message: message("spam", 1000)})
	if list, err := e.Decisions("", 10); err != nil || len(list) != 1 {
		t.Errorf("%d decisions after a question, %v", len(list), err)
	}
	eventually(t, "the sure answer is not learned", func() bool { return len(sources(t, e)) == 3 })
}
