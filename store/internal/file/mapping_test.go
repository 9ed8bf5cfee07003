package file

import (
	"encoding/binary"
	"path/filepath"
	"reflect"
	"runtime"
	"sync"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"
)

var bucketTest = []byte("test")

// grow puts another value of so many bytes into f.
func grow(t *testing.T, f *File, bytes int) {
	t.Helper()
	var gate sync.Mutex
	err := f.Update(&gate, true, func(tx *bolt.Tx) (func(), error) {
		b := tx.Bucket(bucketTest)
		key, err := b.NextSequence()
		if err != nil {
			return nil, err
		}
		return nil, b.Put(binary.BigEndian.AppendUint64(nil, key), make([]byte, bytes))
	})
	if err != nil {
		t.Fatal(err)
	}
}

// The bound given to bbolt is where it would map more, and not before.
func TestMappedSize(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.polya")
	f := openTest(t, path, 128<<10)
	defer f.Close(nil)
	mapped := func() int64 { return reflect.ValueOf(f.bolt).Elem().FieldByName("datasz").Int() }
	seen := map[int64]bool{}
	for range 600 {
		grow(t, f, 1000)
		tx, err := f.bolt.Begin(true)
		if err != nil {
			t.Fatal(err)
		}
		bound := int64(f.mappedSize(tx))
		tx.Rollback()
		if runtime.GOOS != "windows" {
			bound -= int64(f.bolt.AllocSize) - pageSize
		}
		if bound > mapped() || bound < mapped()/2 {
			t.Fatalf("%d bytes are mapped, not %d", mapped(), bound)
		}
		seen[mapped()] = true
	}
	if len(seen) < 2 {
		t.Errorf("mapped were only %v", seen)
	}
}

// Without the means of this package, a reader that stays does stop bbolt: tests that it
// does not can fail.
func TestBoltStops(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bolt")
	b, err := bolt.Open(path, 0o600, &bolt.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	tx, err := b.Begin(false)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		done <- b.Update(func(tx *bolt.Tx) error {
			bucket, err := tx.CreateBucket([]byte("x"))
			if err == nil {
				err = bucket.Put([]byte("x"), make([]byte, 1<<20))
			}
			return err
		})
	}()
	select {
	case <-done:
		t.Error("bbolt maps anew under a reader: nothing here was tried")
	case <-time.After(100 * time.Millisecond):
	}
	tx.Rollback()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
