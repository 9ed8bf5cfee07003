package file

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/polya-classifier/polya/store/internal/fault"
)

// openTest opens a file with one bucket at path, with room to map so many bytes.
func openTest(t *testing.T, path string, room int64) *File {
	t.Helper()
	o := Options{
		Timeout: time.Second,
		Read:    func(*bolt.Tx) error { return nil },
		Make: func(tx *bolt.Tx) error {
			_, err := tx.CreateBucket(bucketTest)
			return err
		},
		Fill:   func([]byte) float64 { return 0.9 },
		Seal:   func(tx *bolt.Tx) error { return tx.Bucket(bucketTest).Put([]byte("sealed"), nil) },
		Tuning: Tuning{MapSpace: room, ReaderPatience: time.Second, ClosePatience: time.Second, NoSync: true},
	}
	f, err := Open(path, path, o)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// keys returns how many keys the bucket has in tx.
func keys(tx *bolt.Tx) int { return tx.Bucket(bucketTest).Stats().KeyN }

// replaced returns the copy that has replaced f.
func replaced(t *testing.T, f *File) *File {
	t.Helper()
	c, err := f.NewCopy()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Fill(t.Context(), func() error { return f.View(func(tx *bolt.Tx) error { return c.All(tx, nil) }) }); err != nil {
		t.Fatal(err)
	}
	if err := c.Finish(); err != nil {
		t.Fatal(err)
	}
	by, err := f.ReplaceBy(c)
	if err != nil {
		t.Fatal(err)
	}
	c.Discard()
	return by
}

// A copy takes the file's place with all keys and a seal, and a reader that began before
// keeps the old file.
func TestReplaceBy(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("readers are waited for there")
	}
	path := filepath.Join(t.TempDir(), "a.polya")
	old := openTest(t, path, 0)
	for range 20 {
		grow(t, old, 1000)
	}
	tx, position, err := old.Begin(func(tx *bolt.Tx) uint64 { return tx.Bucket(bucketTest).Sequence() })
	if err != nil || position != 20 {
		t.Fatal(position, err)
	}
	f := replaced(t, old)
	grow(t, f, 1000)
	if n := keys(tx); n != 20 {
		t.Errorf("the reader sees %d keys", n)
	}
	old.End(tx, position)
	if err := f.Close(nil); err != nil {
		t.Fatal(err)
	}
	again := openTest(t, path, 0)
	defer again.Close(nil)
	err = again.View(func(tx *bolt.Tx) error {
		if n := keys(tx); n != 22 { // with the seal
			t.Errorf("%d keys", n)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	if names, err := os.ReadDir(filepath.Dir(path)); err != nil || len(names) != 1 {
		t.Errorf("in the folder: %v, %v", names, err)
	}
}

// A copy whose context ends, or whose file was replaced meanwhile, leaves nothing.
func TestCopyFails(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.polya")
	f := openTest(t, path, 0)
	defer f.Close(nil)
	grow(t, f, 1000)
	c, err := f.NewCopy()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := c.Fill(ctx, func() error { return f.View(func(tx *bolt.Tx) error { return c.All(tx, nil) }) }); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	c.Discard()
	if names, err := os.ReadDir(filepath.Dir(path)); err != nil || len(names) != 1 {
		t.Errorf("in the folder: %v, %v", names, err)
	}
	if runtime.GOOS == "windows" {
		return
	}
	if c, err = f.NewCopy(); err != nil {
		t.Fatal(err)
	}
	defer c.Discard()
	if err := c.Fill(t.Context(), func() error { return f.View(func(tx *bolt.Tx) error { return c.All(tx, nil) }) }); err != nil {
		t.Fatal(err)
	}
	if err := c.Finish(); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path, path+".old"); err != nil {
		t.Fatal(err)
	}
	if now, err := f.ReplaceBy(c); now != nil || !errors.Is(err, fault.ErrReplaced) {
		t.Errorf("%v, %v", now, err)
	}
}
