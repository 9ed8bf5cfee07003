package incoming

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/polya-classifier/polya/serve/header"
)

// A message of any length passes, also one that is longer than what is kept in memory, and
// one that comes byte by byte.
func TestUnchanged(t *testing.T) {
	t.Parallel()
	for _, size := range []int{0, 1, 99, 100, 101, 32 << 10, 32<<10 + 1, 100_000} {
		text := strings.Repeat("a\nbc", size/4+1)[:size]
		for _, in := range []io.Reader{strings.NewReader(text), iotest.OneByteReader(strings.NewReader(text)), iotest.DataErrReader(strings.NewReader(text))} {
			m, err := Read(in, 100)
			var out bytes.Buffer
			if err == nil {
				err = m.Unchanged(&out)
			}
			if err != nil || out.String() != text || m.Long != (size >= 100) || len(m.Content) > 100 {
				t.Errorf("%d bytes: %d in memory, long %v, %d written: %v", size, len(m.Content), m.Long, out.Len(), err)
			}
		}
	}
}

// Of a long message the header is edited too.
func TestEdited(t *testing.T) {
	t.Parallel()
	body := strings.Repeat("x", 1000)
	m, err := Read(strings.NewReader("A: b\nX-Polya-Class: ham\n\n"+body), 100)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := m.Edited([]header.Field{{Name: "C", Value: "d"}}, header.Ours)(&out); err != nil || out.String() != "C: d\nA: b\n\n"+body {
		t.Errorf("%.60q: %v", out.String(), err)
	}
}

// What could not be read or written to its end is said.
func TestIncomplete(t *testing.T) {
	t.Parallel()
	if m, err := Read(io.MultiReader(strings.NewReader("abc"), iotest.ErrReader(io.ErrUnexpectedEOF)), 100); !errors.Is(err, ErrIncomplete) || string(m.Content) != "abc" {
		t.Errorf("%q: %v", m.Content, err)
	}
	r, w := io.Pipe()
	r.Close()
	m, _ := Read(strings.NewReader("abc"), 2)
	if err := m.Unchanged(w); !errors.Is(err, ErrIncomplete) {
		t.Error(err)
	}
	m, _ = Read(io.MultiReader(strings.NewReader("abc"), iotest.ErrReader(io.ErrUnexpectedEOF)), 2)
	if err := m.Unchanged(io.Discard); !errors.Is(err, ErrIncomplete) {
		t.Error(err)
	}
}
