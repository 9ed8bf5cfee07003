package corpus_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/classify/corpus"
)

// mboxrd writes messages as programs that quote well do: every line of ">" and
// "From " gets another ">", every message an empty line after it.
func mboxrd(messages []string) string {
	var b strings.Builder
	for _, m := range messages {
		b.WriteString("From a@example.org Thu Aug 22 12:36:23 2002\n")
		for line := range strings.Lines(m) {
			if strings.HasPrefix(strings.TrimLeft(line, ">"), "From ") {
				b.WriteByte('>')
			}
			b.WriteString(line)
		}
		if m != "" && !strings.HasSuffix(m, "\n") {
			b.WriteByte('\n')
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func FuzzMbox(f *testing.F) {
	f.Add(mail, "", "From me\n>From you\n\nFrom a@example.org Thu Aug 22 12:36:23 2002\n")
	f.Add("\n", "\r\n\r\n", ">")
	f.Add("x", "\n\nFrom ", "\x00\r")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		messages := []string{a, b, c}
		got, err := stream(strings.NewReader(mboxrd(messages)), corpus.Options{})
		if err != nil || len(got) != len(messages) {
			t.Fatalf("%d messages, %v", len(got), err)
		}
		for i, m := range messages {
			if m != "" && !strings.HasSuffix(m, "\n") {
				m += "\n"
			}
			if string(got[i].Content) != m {
				t.Errorf("message %d is %q, want %q", i+1, got[i].Content, m)
			}
		}
	})
}

func FuzzJSONL(f *testing.F) {
	f.Add([]byte(`{"text":"x","class":"y","id":1,"time":"2020-01-01"}`), "text")
	f.Add([]byte("{\"text\":\"\"}\nbad\n{}"), "\x00\n")
	f.Fuzz(func(t *testing.T, lines []byte, text string) {
		stream(bytes.NewReader(lines), corpus.Options{Format: corpus.JSONL})
		text = strings.ToValidUTF8(text, "?")
		line, err := json.Marshal(map[string]string{"text": text, "class": text, "id": text})
		if err != nil {
			t.Fatal(err)
		}
		got, err := stream(bytes.NewReader(append(line, '\n')), corpus.Options{})
		if err != nil || len(got) != 1 {
			t.Fatalf("%d documents, %v", len(got), err)
		}
		if d := got[0]; string(d.Content) != text || d.Class != text || d.ID != text {
			t.Errorf("%q came back as %+v", text, d)
		}
	})
}
