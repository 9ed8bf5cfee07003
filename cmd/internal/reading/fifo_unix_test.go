//go:build unix

package reading

import (
	"context"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/polya-classifier/polya/classify/corpus"
)

// A named pipe among other paths is read ahead: it comes when it comes.
func TestAheadOfPipe(t *testing.T) {
	t.Parallel()
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	go func() {
		w, err := os.OpenFile(pipe, os.O_WRONLY, 0) // when somebody reads
		if err == nil {
			w.WriteString("Subject: hello\nTo: you\n\nthere")
			w.Close()
		}
	}()
	o, paths := new(corpus.Options), []string{file(t, "a.txt", "x"), pipe}
	if !ReadAhead(paths, o) || o.StdinPath != pipe {
		t.Errorf("%q was read", o.StdinPath)
	}
	n := 0
	for _, path := range paths {
		if err := corpus.Walk(context.Background(), path, *o, func(d *corpus.Document) error { n++; return nil }); err != nil {
			t.Error(err)
		}
	}
	if n != 2 {
		t.Errorf("%d documents", n)
	}
}
