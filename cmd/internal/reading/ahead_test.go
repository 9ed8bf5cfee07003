package reading

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/classify/corpus"
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
		want  string // texts read ahead
	}{
		{[]string{one}, ""}, {[]string{one, one + "x"}, ""}, {[]string{"-"}, "input"}, {[]string{one, "-"}, "input"},
		{[]string{"-", "-"}, "input"}, {[]string{box}, ""}, {[]string{filepath.Dir(one)}, ""}, {[]string{missing}, ""}, {nil, ""},
	} {
		o := corpus.Options{Stdin: strings.NewReader("input")}
		got := ""
		ahead, err := ReadAhead(context.Background(), tt.paths, &o)
		for _, d := range ahead {
			got += string(d.found.Content)
		}
		if got != tt.want || err != nil {
			t.Errorf("%q: %q, %v; want %q", tt.paths, got, err, tt.want)
		}
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
	if ahead, err := ReadAhead(context.Background(), []string{"-"}, &o); len(ahead) > 0 || err != nil {
		t.Fatal(ahead, err)
	}
	n := 0
	err := corpus.Walk(context.Background(), "-", o, func(d *corpus.Document) error { n += len(d.Content); return nil })
	if n != 1 || err != nil {
		t.Errorf("%d bytes, %v", n, err)
	}
}

// Whoever waits for input that does not come can be interrupted.
func TestAheadInterrupted(t *testing.T) {
	t.Parallel()
	for _, format := range []corpus.Format{corpus.Auto, corpus.Mbox} {
		r, w := io.Pipe()
		defer w.Close()
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if _, err := ReadAhead(ctx, []string{"-"}, &corpus.Options{Stdin: r, Format: format}); !errors.Is(err, context.Canceled) {
			t.Errorf("%v: %v", format, err)
		}
	}
}
