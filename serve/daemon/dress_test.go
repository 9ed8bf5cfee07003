//go:build unix

package daemon

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/polya-classifier/polya/serve/config"
)

// Who puts a link in the place of a fresh socket has no file elsewhere opened to others.
func TestDress(t *testing.T) {
	t.Parallel()
	other := filepath.Join(t.TempDir(), "other")
	if err := os.WriteFile(other, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	fresh := filepath.Join(t.TempDir(), "s.new")
	if err := os.Symlink(other, fresh); err != nil {
		t.Fatal(err)
	}
	if _, err := dress(fresh, fresh[:len(fresh)-4], &config.Listener{Mode: 0o666}); err == nil {
		t.Error("a link was taken for a socket")
	}
	if info, err := os.Stat(other); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}
