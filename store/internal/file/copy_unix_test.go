//go:build unix

package file

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/polya-classifier/polya/internal/newfile"
)

// While a file is written that replaces another one, nobody has it who could not read that one.
func TestWriteOver(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root gives files to others")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "db")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(dir, 64321, 64322); err != nil {
		t.Fatal(err)
	}
	old, err := Hold(path, time.Second)
	if err != nil {
		t.Fatal(err)
	}
	defer old.Close()
	_, err = Write(path, old, ".old", func(n *newfile.File) error {
		info, err := n.Stat()
		if uid := info.Sys().(*syscall.Stat_t).Uid; uid != 0 {
			t.Errorf("the new file belongs to %d", uid)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
