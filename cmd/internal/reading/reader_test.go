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
	for _, jobs := range []int{1, 3} {
		r := Reader{Streams: new(terminal.Streams), Jobs: jobs, Work: func(*Document) { panic("of a test") }, Deliver: func(*Document) error { return nil }}
		c := Catch(func() { _ = r.Read(context.Background(), paths) })
		if c == nil || c.Value != "of a test" || !strings.Contains(string(c.Stack), "TestCrash") {
			t.Fatalf("with %d jobs: caught %v", jobs, c)
		}
	}
}
