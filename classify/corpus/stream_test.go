package corpus_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/polya-classifier/polya/classify/corpus"
)

// stream reads input, which may hold several documents, as standard input and returns
// copies of the documents.
func stream(input io.Reader, o corpus.Options) ([]corpus.Document, error) {
	o.Several = true
	return standardInput(input, o)
}

// standardInput reads input as standard input and returns copies of the documents.
func standardInput(input io.Reader, o corpus.Options) ([]corpus.Document, error) {
	var got []corpus.Document
	o.Stdin = input
	err := corpus.Walk(context.Background(), "-", o, func(d *corpus.Document) error {
		c := *d
		c.Content = bytes.Clone(d.Content)
		got = append(got, c)
		return nil
	})
	return got, err
}

func TestMbox(t *testing.T) {
	crlf := strings.ReplaceAll(mbox2, "\n", "\r\n")
	second := "Subject: second\nTo: x\n\nFrom here\n>From there\n"
	tests := []struct {
		name, in string
		want     []string
	}{
		{"one", mbox1, []string{mail}},
		{"two", mbox2, []string{mail, second}},
		{"crlf", crlf, []string{strings.ReplaceAll(mail, "\n", "\r\n"), strings.ReplaceAll(second, "\n", "\r\n")}},
		{"no newline at the end", strings.TrimRight(mbox1, "\n"), []string{strings.TrimRight(mail, "\n")}},
		{"only a From line", "From a@example.org Thu Aug 22 12:36:23 2002", []string{""}},
		{"no date below", mbox1 + "\nFrom now on\n", []string{mail + "\nFrom now on\n"}},
		{"no empty line", mbox1 + "From b Thu Aug 22 12:36:23 2002\n", []string{mail + "From b Thu Aug 22 12:36:23 2002\n"}},
		{"no dates at all", "From a\n" + mail + "\nFrom b\n" + mail, []string{mail, mail}},
		{"NUL", mbox1 + "\x00\n\nFrom b Thu Aug 22 12:36:23 2002\n\x00", []string{mail + "\x00\n", "\x00"}},
		{"empty ones", "From a Thu Aug 22 12:36:23 2002\n\nFrom b Thu Aug 22 12:36:23 2002\n\n", []string{"", ""}},
	}
	for _, tt := range tests {
		for _, r := range []io.Reader{strings.NewReader(tt.in), iotest.OneByteReader(strings.NewReader(tt.in))} {
			got, err := stream(r, corpus.Options{})
			if err != nil || len(got) != len(tt.want) {
				t.Errorf("%s: %d documents, %v", tt.name, len(got), err)
				continue
			}
			for i, d := range got {
				if string(d.Content) != tt.want[i] || d.Format != corpus.Mail {
					t.Errorf("%s: %s is %v %q, want %q", tt.name, d.Path, d.Format, d.Content, tt.want[i])
				}
			}
		}
	}
	got, _ := stream(strings.NewReader(mbox2), corpus.Options{})
	if got[1].Path != "-:2" || !got[1].Time.Equal(time.Date(2002, 8, 23, 1, 2, 3, 0, time.UTC)) {
		t.Errorf("second: %s at %v", got[1].Path, got[1].Time)
	}
	got, err := stream(strings.NewReader(mbox1), corpus.Options{Format: corpus.Mail})
	if err != nil || string(got[0].Content) != mail || got[0].Time.Year() != 2002 {
		t.Errorf("a mail with a From line: %+v, %v", got, err)
	}
}

func TestJSONLines(t *testing.T) {
	in := "\ufeff" + `{"text":"one\u0000","class":"a","id":"x","time":"2020-01-02T03:04:05+01:00"}` + "\r\n" +
		`  {"Text":"From: a\nTo: b\n\n","class":2,"id":-3,"time":1577934245.5,"more":[{}]}` + "\n" +
		`{"text":"","class":null,"time":""}`
	got, err := stream(iotest.HalfReader(strings.NewReader(in)), corpus.Options{})
	if err != nil || len(got) != 3 {
		t.Fatalf("%d documents, %v", len(got), err)
	}
	first, second, third := got[0], got[1], got[2]
	if string(first.Content) != "one\x00" || first.Class != "a" || first.ID != "x" || first.Time.Unix() != 1577930645 || first.Path != "-:1" {
		t.Errorf("first: %+v", first)
	}
	if second.Format != corpus.Mail || second.Class != "2" || second.ID != "-3" || second.Time.UnixMilli() != 1577934245500 {
		t.Errorf("second: %+v", second)
	}
	if len(third.Content) != 0 || third.Class != "" || !third.Time.IsZero() || third.Format != corpus.Text {
		t.Errorf("third: %+v", third)
	}
}

// JSON lines are answered as they come, not when the stream ends.
func TestJSONLinesArrive(t *testing.T) {
	r, w := io.Pipe()
	answers := make(chan string)
	go func() {
		corpus.Walk(context.Background(), "-", corpus.Options{Stdin: r, Several: true}, func(d *corpus.Document) error {
			answers <- string(d.Content)
			return nil
		})
		close(answers)
	}()
	for _, text := range []string{"one", "two", "three"} {
		io.WriteString(w, `{"text":"`+text+`"}`+"\n")
		select {
		case got := <-answers:
			if got != text {
				t.Fatalf("got %q, want %q", got, text)
			}
		case <-time.After(2 * time.Minute):
			t.Fatalf("no answer to %q", text)
		}
	}
	w.Close()
	<-answers
}

func TestLongDocumentsAreCut(t *testing.T) {
	long := strings.Repeat("x", 3<<20)
	o := corpus.Options{MaxBytes: 1 << 20}
	for name, in := range map[string]string{
		"text":  long,
		"mbox":  mbox1 + long + "\n\n" + mbox1,
		"jsonl": `{"text":"` + long + `"}` + "\n" + `{"text":"last"}`,
	} {
		got, err := stream(strings.NewReader(in), o)
		if err != nil || len(got) == 0 || len(got[0].Content) != 1<<20 {
			t.Errorf("%s: %d documents, %v", name, len(got), err)
			continue
		}
		if name != "text" && len(got) != 2 {
			t.Errorf("%s: what comes after a cut document is lost", name)
		}
	}
	o.MaxBytes = 10
	got, err := stream(strings.NewReader("{\"text\":\"a\"}\n{\"text\":\""+long+"\"}\n{\"text\":\"b\"}\n"), o)
	if err == nil || !strings.HasPrefix(err.Error(), "-:2: line of more than ") || len(got) != 2 {
		t.Errorf("a line that cannot be held: %d documents, %v", len(got), err)
	}
}

// failing gives its text and then an error.
func failing(text string) io.Reader {
	return io.MultiReader(strings.NewReader(text), iotest.ErrReader(errors.New("disk on fire")))
}

func TestReadErrors(t *testing.T) {
	for name, tt := range map[string]struct {
		in   string
		want int
	}{
		"text":  {"half a", 0},
		"mail":  {mail, 0},
		"mbox":  {mbox2, 1},
		"jsonl": {"{\"text\":\"a\"}\n{\"text\"", 1},
	} {
		got, err := stream(failing(tt.in), corpus.Options{})
		if err == nil || !strings.Contains(err.Error(), "disk on fire") || !strings.HasPrefix(err.Error(), "-") || len(got) != tt.want {
			t.Errorf("%s: %d documents, %v", name, len(got), err)
		}
	}
	if _, err := stream(failing(""), corpus.Options{Format: corpus.Mbox}); err == nil {
		t.Error("an mbox that cannot be read")
	}
}

func TestEmptyStream(t *testing.T) {
	got, err := stream(strings.NewReader(""), corpus.Options{})
	if err != nil || len(got) != 1 || got[0].Format != corpus.Text || got[0].Path != "-" {
		t.Errorf("%+v, %v", got, err)
	}
}
