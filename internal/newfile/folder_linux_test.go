package newfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestSyncFolder has a folder of a file system that syncs none, as some of a network, a usual one, and none.
func TestSyncFolder(t *testing.T) {
	f, err := os.Open("/proc/self")
	if err != nil {
		t.Skip(err)
	}
	defer f.Close()
	if err := f.Sync(); !errors.Is(err, syscall.EINVAL) {
		t.Skipf("the folder is synced: %v", err)
	}
	dir := t.TempDir()
	for _, path := range []string{"/proc/self", dir} {
		if err := SyncFolder(path); err != nil {
			t.Error(err)
		}
	}
	missing := filepath.Join(dir, "missing")
	if err := SyncFolder(missing); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), missing) {
		t.Errorf("of a folder that is not there: %v", err)
	}
}
