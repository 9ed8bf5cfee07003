package corpus

import (
	"bufio"
	"slices"
	"strings"
	"testing"
	"time"
)

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
	date, dated := parseFromLine([]byte(lines[0]))
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
		next, ok := parseFromLine([]byte(line))
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
		w := walker{ctx: t.Context(), o: Options{MaxBytes: int64(most)}, fn: func(d *Document) error {
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
