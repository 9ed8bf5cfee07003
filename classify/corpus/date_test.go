package corpus

import (
	"net/mail"
	"testing"
)

// The dates of messages are those that net/mail reads.
func TestParseDate(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"Mon, 1 Jun 2026 10:00:00 +0200", "1 Jun 2026 10:00 -0530", "Tue, 06 Apr 93 12:34:56 GMT", "6 Apr 03 12:34:56 +0000",
		"Thu, 22 Aug 2002 12:36:23 +0700 (ICT)", "Mon, 01 Jun 2026 10:00:00 UT",
	} {
		want, err := mail.ParseDate(text)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := ParseDate([]byte(text)); !ok || !got.Equal(want) {
			t.Errorf("%q: %v, %v, want %v", text, got, ok, want)
		}
	}
	if at, ok := ParseDate([]byte(" Mon,\r\n\t1 Jun 2026\r\n 10:00:00 +0200 ")); !ok || at.UTC().Hour() != 8 {
		t.Errorf("folded: %v, %v", at, ok)
	}
	for _, text := range []string{"", "yesterday", "Mon, 1 Jun 2026", "1 Jun 10:00:00", "32 Jun 2026 10:00:00 +0000", "10:00"} {
		if got, ok := ParseDate([]byte(text)); ok {
			t.Errorf("%q is %v", text, got)
		}
	}
}
