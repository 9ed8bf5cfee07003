package page

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/polya-classifier/polya/tokenize/mail"
)

func TestPercent(t *testing.T) {
	t.Parallel()
	for p, want := range map[float64]string{
		0: "0.00 %", .00001: "< 0.01 %", .0001: "0.01 %", .0123: "1.23 %", .5: "50.0 %", .901: "90.10 %", .9999: "99.99 %", .99995: "> 99.99 %", 1: "100.0 %", math.NaN(): "–",
	} {
		if got := percent(p); got != want {
			t.Errorf("%v is %q, want %q", p, got, want)
		}
	}
	for n, want := range map[uint64]string{0: "0", 999: "999", 1000: "1\u202f000", 1234567: "1\u202f234\u202f567"} {
		if got := number(n); got != want {
			t.Errorf("%d is %q", n, got)
		}
	}
	if got := when(time.Time{}); got != "never" {
		t.Errorf("no time is %q", got)
	}
}

// Every byte of a passage is shown once, in its order, and those of spans in their colours.
func TestRuns(t *testing.T) {
	t.Parallel()
	text := "Grüße, casino and meeting today"
	at := func(word string) mail.Place {
		i := strings.Index(text, word)
		return mail.Place{Start: i, End: i + len(word), Term: word}
	}
	p := mail.Part{Text: text, Places: []mail.Place{at("Grüße"), at("casino"), at("meeting"), at("today")}}
	list := runs(&p, map[string]float64{"Grüße": .1, "casino": 4, "meeting": -1.5, "today": -.4}, 4)
	var colours []string
	all := ""
	for _, r := range list {
		all += r.Text
		if r.Colour != "" {
			colours = append(colours, r.Text+" "+r.Colour)
		}
	}
	if all != text || !slices.Equal(colours, []string{"casino for w3", "meeting against w2", "today against w1"}) {
		t.Errorf("%q, %q", all, colours)
	}
	page := mail.Part{Text: "\n \n\n first\n\n\n  \nsecond \n\n\n"}
	if got := runs(&page, nil, 1); len(got) != 1 || got[0].Text != "first\n\nsecond" {
		t.Errorf("%q", got)
	}
}
