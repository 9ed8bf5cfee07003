package reading

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/polya-classifier/polya/classify/corpus"
	"github.com/polya-classifier/polya/internal/raced"
)

func file(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestAhead(t *testing.T) {
	t.Parallel()
	one, box, missing := file(t, "one.txt", "hello"), file(t, "x.mbox", "From a"), filepath.Join(t.TempDir(), "missing")
	for _, tt := range []struct {
		paths []string
		left  string // in the input
	}{
		{[]string{one}, "input"}, {[]string{one, one + "x"}, "input"}, {[]string{"-"}, ""}, {[]string{one, "-"}, ""},
		{[]string{"-", "-"}, ""}, {[]string{box}, "input"}, {[]string{filepath.Dir(one)}, "input"}, {[]string{missing}, "input"}, {nil, "input"},
	} {
		in := strings.NewReader("input")
		o := corpus.Options{Stdin: in}
		if message := ReadAhead(tt.paths, &o); message || in.Len() != len(tt.left) {
			t.Errorf("%q: %v, %d bytes left, want %q", tt.paths, message, in.Len(), tt.left)
		}
		if text, err := io.ReadAll(o.Stdin); string(text) != "input" || err != nil {
			t.Errorf("%q: then %q, %v", tt.paths, text, err)
		}
	}
}

// What cannot be read, and what is too long for a document, comes afterwards.
func TestAheadOfMore(t *testing.T) {
	raced.Skip(t)
	t.Parallel()
	broken := errors.New("broken")
	o := corpus.Options{Stdin: io.MultiReader(strings.NewReader("From: a\nTo: b\n\nhello"), iotest.ErrReader(broken))}
	if !ReadAhead([]string{"-"}, &o) {
		t.Error("no message")
	}
	if text, err := io.ReadAll(o.Stdin); !strings.HasSuffix(string(text), "hello") || err != broken {
		t.Errorf("%q, %v", text, err)
	}
	long := strings.Repeat("x", corpus.DefaultMaxBytes+10)
	o = corpus.Options{Stdin: strings.NewReader(long)}
	ReadAhead([]string{"-"}, &o)
	if text, err := io.ReadAll(o.Stdin); len(text) != len(long) || err != nil {
		t.Errorf("%d bytes, %v", len(text), err)
	}
}

// A stream of several documents is waited for, and nothing of it is lost.
func TestAheadOfStream(t *testing.T) {
	t.Parallel()
	r, w := io.Pipe()
	o := corpus.Options{Stdin: r, Format: corpus.JSONL}
	go func() {
		io.WriteString(w, `{"text":"a"}`)
		w.Close()
	}()
	if ReadAhead([]string{"-"}, &o) {
		t.Fatal("a message")
	}
	n := 0
	err := corpus.Walk(context.Background(), "-", o, func(d *corpus.Document) error { n += len(d.Content); return nil })
	if n != 1 || err != nil {
		t.Errorf("%d bytes, %v", n, err)
	}
}
