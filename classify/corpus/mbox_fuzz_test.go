package corpus

import (
	"bufio"
	"bytes"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// slowFromLine is parseFromLine that tries everything with every word.
func slowFromLine(line []byte) (time.Time, bool) {
	fields := bytes.Fields(line)
	if len(line) > 1000 || len(fields) < 5 {
		return time.Time{}, false
	}
	var day, year int
	var month time.Month
	var clock time.Time
	zone, timed := time.UTC, false
	for _, f := range fields[2:] {
		s := string(bytes.TrimRight(f, ","))
		if m, err := time.Parse("Jan", s); err == nil {
			month = m.Month()
		} else if t, err := time.Parse("15:04:05", s); err == nil {
			clock, timed = t, true
		} else if t, err := time.Parse("15:04", s); err == nil {
			clock, timed = t, true
		} else if t, err := time.Parse("-0700", s); err == nil {
			_, offset := t.Zone()
			zone = time.FixedZone("", offset)
		} else if n, err := strconv.ParseUint(s, 10, 16); err == nil && len(s) == 4 {
			year = int(n)
		} else if err == nil && len(s) <= 2 {
			day = int(n)
		}
	}
	if !timed || month == 0 || day < 1 || day > 31 || year < 1970 || year > 2199 {
		return time.Time{}, false
	}
	return time.Date(year, month, day, clock.Hour(), clock.Minute(), clock.Second(), 0, zone), true
}

func FuzzFromLine(f *testing.F) {
	for _, s := range []string{
		"From a@example.org Fri Aug  2 12:36:03 2002", "From a b c Fri Aug 2 14:36:03 2002 +0200\r\n",
		"From a Fri, 2 Aug 2002 8:36 -0400,", "From a 1 2 aug 9:00 1999 2199 31,", "From a Fri Aug 2 12:36:03.5 GMT 2002 remote from host",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		got, ok := parseFromLine(line)
		want, found := slowFromLine(line)
		if ok != found || !got.Equal(want) {
			t.Errorf("%q is %v, %v, want %v, %v", line, got, ok, want, found)
		}
	})
}

// slowMbox cuts an mbox that is held whole into its lines first. Each message has its
// date before it.
func slowMbox(text string, most int) (messages []string, isMbox bool) {
	lines := strings.SplitAfter(text, "\n")
	for len(lines) > 1 && isBlank([]byte(lines[0])) {
		lines = lines[1:]
	}
	if !strings.HasPrefix(lines[0], "From ") {
		return nil, false
	}
	date, dated := slowFromLine([]byte(lines[0]))
	var body strings.Builder
	end := func() {
		message := body.String()
		message = message[:min(len(message), most)]
		if cut := strings.TrimSuffix(strings.TrimSuffix(message, "\n"), "\r"); strings.HasSuffix(message, "\n") && (cut == "" || strings.HasSuffix(cut, "\n")) {
			message = cut
		}
		messages = append(messages, date.UTC().Format(time.RFC3339)+" "+message)
		body.Reset()
	}
	blank := false
	for _, line := range lines[1:] {
		next, ok := slowFromLine([]byte(line))
		if blank && strings.HasPrefix(line, "From ") && (ok || !dated) {
			end()
			date, blank = next, false
			continue
		}
		if rest := strings.TrimLeft(line, ">"); rest != line && strings.HasPrefix(rest, "From ") {
			line = line[1:]
		}
		body.WriteString(line)
		blank = line == "\n" || line == "\r\n"
	}
	end()
	return messages, true
}

// FuzzMboxSlow compares the messages of any mbox, each cut, with the slow way.
func FuzzMboxSlow(f *testing.F) {
	for _, s := range []string{
		"From a Thu Aug 22 12:36:23 2002\nx\n\nFrom b Thu Aug 22 12:36:24 2002\r\n>From \n\r\n\r\nFrom c\n\n", "\n\nFrom a\n\nFrom b\n>>From \n", "From ", "\r\n",
	} {
		f.Add(s, uint16(1000))
		f.Add(s, uint16(3))
	}
	f.Fuzz(func(t *testing.T, text string, most uint16) {
		if len(text) >= headSize {
			return // longer lines come in pieces
		}
		want, isMbox := slowMbox(text, int(most))
		var got []string
		r := bufio.NewReaderSize(strings.NewReader(text), headSize)
		w := walker{ctx: t.Context(), o: Options{MaxBytes: int64(most)}, memory: new(memory), fn: func(d *Document) error {
			got = append(got, d.Time.UTC().Format(time.RFC3339)+" "+string(d.Content))
			return nil
		}}
		err := w.readMbox(r, "a")
		if (err == nil) != isMbox && len(text) > 0 && strings.Trim(text, "\r\n") != "" {
			t.Fatalf("%q: %v", text, err)
		}
		if isMbox && !slices.Equal(got, want) {
			t.Fatalf("%q, cut behind %d bytes:\n got %q\nwant %q", text, most, got, want)
		}
	})
}
