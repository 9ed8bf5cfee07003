package file

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	bolt "go.etcd.io/bbolt"
)

// resident returns how many KB of a file are mapped into this process's memory.
func resident(t *testing.T, path string) (kilobytes int) {
	t.Helper()
	maps, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		t.Skip(err)
	}
	_, of, found := strings.Cut(string(maps), path+"\n")
	_, rss, _ := strings.Cut(of, "\nRss:")
	if _, err := fmt.Sscan(rss, &kilobytes); !found || err != nil {
		t.Fatalf("no mapping of %s: %v", path, err)
	}
	return kilobytes
}

// What was read of a large file leaves the memory of the process; a small file stays in it.
func TestForget(t *testing.T) {
	for size, kept := range map[int]bool{1 << 20: true, 8 << 20: false} {
		dir, err := filepath.EvalSymlinks(t.TempDir()) // as the kernel names it
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, "a.polya")
		f := openTest(t, path, 32<<20)
		grow(t, f, size)
		err = f.View(func(tx *bolt.Tx) error {
			sum := 0
			_, value := tx.Bucket(bucketTest).Cursor().First()
			for i := 0; i < len(value); i += 4096 {
				sum += int(value[i])
			}
			read := resident(t, path)
			Forget(tx)
			if after := resident(t, path); sum != 0 || read < len(value)>>10 || len(value) != size || (after > read/2) != kept {
				t.Errorf("of %d KB %d are in memory, %d afterwards", len(value)>>10, read, after)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
		if err := f.Close(nil); err != nil {
			t.Error(err)
		}
	}
}
