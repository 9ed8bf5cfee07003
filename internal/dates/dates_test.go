package dates

import (
	"net/mail"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// Dates as RFC 5322 has them are read as net/mail reads them.
func TestDateOracle(t *testing.T) {
	layouts := []string{
		time.RFC1123Z, time.RFC1123, time.RFC822Z, "Mon, 2 Jan 2006 15:04:05 -0700 (MST)", "2 Jan 2006 15:04 -0700", "2 Jan 06 15:04:05 MST",
		"Mon,\r\n 02 Jan 2006\r\n\t15:04:05 -0700",
	}
	rapid.Check(t, func(t *rapid.T) {
		zone := time.FixedZone("EST", 60*rapid.IntRange(-12*60, 14*60).Draw(t, "zone"))
		at := time.Unix(rapid.Int64Range(0, 2<<30).Draw(t, "seconds"), 0).In(zone)
		written := at.Format(rapid.SampledFrom(layouts).Draw(t, "layout"))
		want, err := mail.ParseDate(written)
		if err != nil {
			want = at // folds, which net/mail does not undo
		}
		got, ok := Parse([]byte(written))
		if !ok || got.Hour() != want.Hour() || got.Weekday() != want.Weekday() {
			t.Fatalf("%q: %v %v, want %v", written, got, ok, want)
		}
	})
}

func TestParseDate(t *testing.T) {
	for _, written := range []string{
		"Mon, 2 Sep 2002 16:22:06 -0700", "Mon Sep  2 16:22:06 2002", "Mon Sep 02 16:22:06 PDT 2002", "2 September 2002, 16:22", "02 SEP 02 16:22:60 0700",
		"Tue, 2 Sep 102 16:22:06 GMT", "2 Sep 2002 16:22:06 PM (Monday)", "Monday, 2 Sep 2002 16:2:6",
	} {
		if got, ok := Parse([]byte(written)); !ok || got.Hour() != 16 || got.Weekday() != time.Monday {
			t.Errorf("%q: %v, %v", written, got, ok)
		}
	}
	if got, ok := Parse([]byte("1 Jan 70 00:00 +0000")); !ok || !got.Equal(time.Unix(0, 0)) {
		t.Errorf("1970: %+v, %v", got, ok)
	}
	for _, written := range []string{
		"", "tomorrow", "2 Sep 2002", "16:22:06", "2002-09-02T16:22:06Z", "2 Sep 2002 24:00", "2 Sep 2002 16:60", "2 Sep 2002 16:22:61", "2 Sep 2002 1e1:00",
		"29 Feb 2003 16:22", "0 Sep 2002 16:22", "32 Sep 2002 16:22", "2 Foo 2002 16:22", "2 Sep 16:22", "2 Sep 2002 :22", "2 Sep 2002 16:", "2 Sep 2002 +16:22",
	} {
		if got, ok := Parse([]byte(written)); ok {
			t.Errorf("%q: %+v", written, got)
		}
	}
}

// The dates of messages are those that net/mail reads.
func TestZones(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"Mon, 1 Jun 2026 10:00:00 +0200", "1 Jun 2026 10:00 -0530", "Tue, 06 Apr 93 12:34:56 GMT", "6 Apr 03 12:34:56 +0000",
		"Thu, 22 Aug 2002 12:36:23 +0700 (ICT)", "Mon, 01 Jun 2026 10:00:00 UT",
	} {
		want, err := mail.ParseDate(text)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := Parse([]byte(text)); !ok || !got.Equal(want) {
			t.Errorf("%q: %v, %v, want %v", text, got, ok, want)
		}
	}
	if at, ok := Parse([]byte(" Mon,\r\n\t1 Jun 2026\r\n 10:00:00 +0200 ")); !ok || at.UTC().Hour() != 8 {
		t.Errorf("folded: %v, %v", at, ok)
	}
	for _, text := range []string{"", "yesterday", "Mon, 1 Jun 2026", "1 Jun 10:00:00", "32 Jun 2026 10:00:00 +0000", "10:00"} {
		if got, ok := Parse([]byte(text)); ok {
			t.Errorf("%q is %v", text, got)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"Mon, 2 Sep 2002 16:22:06 -0700 (PDT)", "Fri Aug  2 12:36:03 +0000 2002", "1 2 aug 9:00 1999 2199 31,"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if at, ok := Parse(text); ok {
			if again, ok := Parse(at.AppendFormat(nil, "2 Jan 2006 15:04:05 -0700")); at.Year() > 999 && (!ok || !again.Equal(at)) {
				t.Errorf("%q is %v, and that %v, %v", text, at, again, ok)
			}
		}
	})
}
