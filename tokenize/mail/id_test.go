package mail

import (
	"strings"
	"testing"
)

const identified = "Message-ID: <1@example.org>\nSubject: plum\n\ncherry\n\nFrom here on\n>From there\n"

// changed are the message as other programs hand it on.
var changed = []struct{ name, raw string }{
	{"header added", "Received: from a.example by b.example; Mon, 2 Sep 2002 16:22:06\n\t+0100\n" + identified},
	{"verdict added", "Message-ID: <1@example.org>\nSubject: [SPAM] plum\nX-Spam-Flag: YES\n\ncherry\n\nFrom here on\n>From there\n"},
	{"fold and case", "Subject: plum\nMessage-Id:\n <1@example.org> (added)\n\ncherry\n\nFrom here on\n>From there\n"},
	{"From line", "From a@b.example Mon Sep  2 16:22:06 2002\n" + identified},
	{"quoted From line", ">From a@b.example Mon Sep  2 16:22:06 2002\n" + identified},
	{"CRLF", strings.ReplaceAll(identified, "\n", "\r\n")},
	{"CR", strings.ReplaceAll(identified, "\n", "\r")},
	{"mbox quoting", strings.ReplaceAll(identified, "\nFrom here", "\n>From here")},
	{"blank lines at the end", identified + "\r\n\n \n"},
	{"no line break at the end", strings.TrimRight(identified, "\n")},
	{"blank line before", "\n" + identified},
}

func TestIDStays(t *testing.T) {
	want := ID([]byte(identified))
	for _, c := range changed {
		if got := ID([]byte(c.raw)); got != want {
			t.Errorf("%s: got %x, want %x", c.name, got, want)
		}
	}
}

func TestIDDiffers(t *testing.T) {
	seen := map[[16]byte]string{}
	for _, raw := range []string{
		identified,
		strings.Replace(identified, "1@", "2@", 1),
		strings.Replace(identified, "cherry", "cherry ", 1),
		strings.Replace(identified, "cherry\n\n", "cherry\n", 1),
		strings.Replace(identified, "cherry", "pear", 1),
		strings.Replace(identified, "Message-ID: <1@example.org>\n", "", 1),
		"",
	} {
		id := ID([]byte(raw))
		if other, found := seen[id]; found {
			t.Errorf("%q and %q have the same ID", raw, other)
		}
		seen[id] = raw
	}
}

// Without a Message-ID the sender and the date tell two messages of one text
// apart; a filter's mark in the subject still changes nothing.
func TestIDWithoutMessageID(t *testing.T) {
	const raw = "From: a@b.example\nSubject: plum\nDate: Mon, 2 Sep 2002 16:22:06 +0100\n\ncherry\n"
	want := ID([]byte(raw))
	for _, from := range []string{"a@b.example", "+0100"} {
		if ID([]byte(strings.Replace(raw, from, "x", 1))) == want {
			t.Errorf("a message with another %q has the same ID", from)
		}
	}
	if ID([]byte(strings.Replace(raw, "plum", "[SPAM] plum", 1))) != want {
		t.Error("a mark in the subject changes the ID")
	}
}

// TestIDIsFixed holds the digest: it is in ledgers. The value is the first half
// of what sha256sum says of "1@example.org\ncherry".
func TestIDIsFixed(t *testing.T) {
	const want = "c7eb62cf4408e2fca44fede49c7a32f3"
	if got := hexID(ID([]byte("Message-ID: <1@example.org>\n\ncherry\n"))); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func hexID(id [16]byte) string {
	const digits = "0123456789abcdef"
	var b strings.Builder
	for _, c := range id {
		b.WriteByte(digits[c>>4])
		b.WriteByte(digits[c&15])
	}
	return b.String()
}

func TestMessageID(t *testing.T) {
	for raw, want := range map[string]string{
		"Subject: x\r\nMessage-ID: <1@a.example>\r\n\r\ntext\r\n":                         "1@a.example",
		"From a@b Mon Sep  2 16:22:06 2002\nmessage-id:\n <2@a.example>\nTo: x\n\ntext\n": "2@a.example",
		"Message-Id: 3@a.example\n\n":                                                     "3@a.example",
		"Message-ID: <4@a.example\n\n":                                                    "<4@a.example",
		"Subject: none\n\nMessage-ID: <5@a.example>\n":                                    "",
		"": "",
		"Message-ID: <" + strings.Repeat("x", 5000) + "@a.example>\nTo: x\n\n": strings.Repeat("x", 998),
	} {
		if _, got := Identity([]byte(raw)); got != want {
			t.Errorf("%.60q: %.60q, want %.60q", raw, got, want)
		}
	}
}
