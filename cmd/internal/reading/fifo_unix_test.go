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
	ahead, err := ReadAhead(context.Background(), []string{file(t, "a.txt", "x"), pipe}, new(corpus.Options))
	if err != nil || len(ahead) != 1 || ahead[pipe].found.Format != corpus.Mail {
		t.Errorf("%v, %v", ahead, err)
	}
}
