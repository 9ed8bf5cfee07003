package gate

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/polya-classifier/polya/serve/backend"
)

// Of what is cut, whole lines of the beginning and of the end are there, and nothing else,
// however it comes.
func TestExcerpt(t *testing.T) {
	m := NewMemory(1<<20, 1<<10)
	rapid.Check(t, func(t *rapid.T) {
		text := []byte(rapid.StringOf(rapid.SampledFrom([]rune("ab\n"))).Draw(t, "text"))
		limit := rapid.IntRange(1, 40).Draw(t, "limit")
		e := m.NewExcerpt(limit)
		defer e.Free()
		for rest := text; len(rest) > 0; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "piece")
			if _, err := e.Write(rest[:n]); err != nil {
				t.Fatal(err)
			}
			rest = rest[n:]
		}
		got, cut := e.Text()
		if len(text) <= limit {
			if cut || !bytes.Equal(got, text) {
				t.Fatalf("%q became %q, cut: %v", text, got, cut)
			}
			return
		}
		begin, end := text[:limit/2], text[len(text)-(limit-limit/2):]
		if i := bytes.LastIndexByte(begin, '\n'); i >= 0 {
			begin = begin[:i]
		}
		if i := bytes.IndexByte(end, '\n'); i >= 0 {
			end = end[i:]
		} else {
			end = append([]byte("\n"), end[1:]...)
		}
		if want := string(begin) + string(end); !cut || string(got) != want {
			t.Fatalf("%q became %q, not %q, cut: %v", text, got, want, cut)
		}
	})
	if used, _ := m.Used(); used != 0 {
		t.Errorf("%d bytes are still counted", used)
	}
}

// Lines are cut near, and what is not written at all is told of too.
func TestExcerptFar(t *testing.T) {
	m := NewMemory(9<<20, 6<<20)
	m.Patience = 0
	e := m.NewExcerpt(100_000)
	e.Leave()
	e.Write([]byte("x"))
	if text, cut := e.Text(); !cut || string(text) != "x" {
		t.Errorf("%q, cut: %v", text, cut)
	}
	e.Free()
	e.Write([]byte(strings.Repeat("x", 200_000)))
	if text, cut := e.Text(); !cut || len(text) != 100_000 || bytes.Count(text, []byte{'\n'}) != 1 {
		t.Errorf("%d bytes, cut: %v", len(text), cut)
	}
	e.Free()
	if text, cut := e.Text(); cut || len(text) > 0 {
		t.Error("something is left of the message before")
	}
	long := m.NewExcerpt(6 << 20)
	defer long.Free()
	other := m.NewExcerpt(6 << 20)
	defer other.Free()
	if _, err := long.Write(make([]byte, 6<<20)); err != nil {
		t.Error(err)
	}
	if _, err := other.Write(make([]byte, 6<<20)); !errors.Is(err, backend.ErrBusy) {
		t.Errorf("no memory left: %v", err)
	}
}
