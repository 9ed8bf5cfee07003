package answer

import (
	"slices"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/serve/backend"
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
	x := Explanation{Answer: backend.Answer{Reasons: []backend.Reason{{Term: "jackpot", Bits: 3}, {Term: "subject:casino", Bits: 2}, {Term: "casino", Bits: 1}, {Term: "invisible:meeting", Bits: -1}, {Term: "url:win.example", Bits: 1}}}}
	x.read(a, []byte(message))
	for _, p := range x.Text {
		for _, s := range p.Places {
			got = append(got, p.Name+"|"+p.Text[s.Start:s.End]+"|"+s.Term)
		}
		if len(p.Text) > shown {
			t.Errorf("%d bytes of %q", len(p.Text), p.Name)
		}
	}
	for _, want := range []string{"subject|casino|subject:casino", "|jackpot|jackpot", "invisible|meeting|invisible:meeting", "url|win.example|url:win.example"} {
		if !slices.Contains(got, want) {
			t.Errorf("%q lacks %q", got, want)
		}
	}
}
