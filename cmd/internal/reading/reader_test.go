package reading

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/cmd/internal/terminal"
)

// A panic while a document is worked on, in whatever goroutine, must come back as
// one of the main goroutine, which turns it into exit code 3.
func TestCrash(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("*.go")
	if err != nil || len(paths) < 2 {
		t.Fatal("no files to read")
	}
	for _, paths := range [][]string{paths[:1], paths} {
		r := Reader{Streams: new(terminal.Streams), Attributes: new(Attributes), Work: func(*Document) { panic("of a test") }, Deliver: func(*Document) error { return nil }}
		c := Catch(func() { _ = r.Read(context.Background(), paths) })
		if c == nil || c.Value != "of a test" || !strings.Contains(string(c.Stack), "TestCrash") {
			t.Fatalf("of %d files: caught %v", len(paths), c)
		}
	}
}

// What cannot be counted is refused where documents are delivered, while another goroutine has the
// errors of the walk; of a whole table the first rows are kept.
func TestRefused(t *testing.T) {
	t.Parallel()
	const rows, missing = 3 * maxRefused, 50
	paths := []string{file(t, "a.csv", "x\n"+strings.Repeat("word\n", rows))}
	for range missing {
		paths = append(paths, paths[0]+".missing")
	}
	a, err := NewAttributes([]string{"x=real"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	r := Reader{Streams: new(terminal.Streams), Attributes: a, Work: func(*Document) {}, Deliver: func(*Document) error { return nil }}
	if err := r.Read(context.Background(), paths); err != nil {
		t.Fatal(err)
	}
	if last := r.Failed[len(r.Failed)-1].Error(); len(r.Failed) != missing+maxRefused+1 || !strings.HasPrefix(last, "and 200 more documents") {
		t.Errorf("%d errors, the last %q", len(r.Failed), last)
	}
}
