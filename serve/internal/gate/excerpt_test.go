package gate

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/polya-classifier/polya/serve/backend"
)

// The beginning is there, however it comes, and whether more came.
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
		if got, cut := e.Text(); cut != (len(text) > limit) || !bytes.Equal(got, text[:min(limit, len(text))]) {
			t.Fatalf("%q became %q, cut: %v", text, got, cut)
		}
	})
	if used, _ := m.Used(); used != 0 {
		t.Errorf("%d bytes are still counted", used)
	}
}

// What is not written at all is told of too, and nothing is left of the message before.
func TestExcerptAgain(t *testing.T) {
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
	if text, cut := e.Text(); !cut || len(text) != 100_000 {
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
