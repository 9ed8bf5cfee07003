//go:build unix

package maildir

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/polya-classifier/polya/cmd/polyad/internal/watching"
)

// A pipe in the place of a message is not waited for.
func TestPipe(t *testing.T) {
	t.Parallel()
	b, root := box(t, "cur/1.a:2,")
	keys(t, b, ".")
	path := filepath.Join(root, "cur/1.a:2,")
	if err := errors.Join(os.Remove(path), syscall.Mkfifo(path, 0o600)); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Read(t.Context(), ".", "1.a"); !errors.Is(err, watching.ErrUnusable) {
		t.Errorf("%v", err)
	}
}
