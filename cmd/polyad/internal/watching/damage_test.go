package watching

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	bolt "go.etcd.io/bbolt"
)

func openTest(path string) (*memory, error) {
	return openMemory(path, "x", false, bolt.Options{NoSync: true})
}

// use reads all of a file and writes to it.
func useState(f *memory) error {
	err := f.update(func(tx *bolt.Tx) error { return tx.Bucket(bucketMeta).ForEach(func(k, v []byte) error { return nil }) })
	if err != nil {
		return err
	}
	return f.update(func(tx *bolt.Tx) error { return tx.Bucket(bucketMeta).Put([]byte("k"), []byte("v")) })
}

// What is written is there, and one at a time has the file.
func TestStateFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state")
	f, err := openTest(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := useState(f); err != nil {
		t.Fatal(err)
	}
	if _, err := openTest(path); err == nil || err.Error() != path+": the mailbox is being watched already" {
		t.Error(err)
	}
	if err := errors.Join(f.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
	if f, err = openTest(path); err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	err = f.update(func(tx *bolt.Tx) error {
		if string(tx.Bucket(bucketMeta).Get([]byte("k"))) != "v" {
			t.Error("nothing is there")
		}
		return errors.New("and so on")
	})
	if err == nil || err.Error() != path+": and so on" {
		t.Error(err)
	}
	if _, err := openTest(filepath.Join(path, "x")); err == nil || errors.Is(err, errDamaged) {
		t.Error(err)
	}
}

// A file that is damaged, in any place, is an error or is read as if it were not; nothing else
// becomes of it.
func TestDamaged(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "state")
	f, err := openTest(path)
	if err != nil {
		t.Fatal(err)
	}
	err = f.update(func(tx *bolt.Tx) error {
		for i := range 1000 {
			if err := tx.Bucket(bucketMeta).Put(fmt.Appendf(nil, "key %d", i), []byte("and a value of some length")); err != nil {
				return err
			}
		}
		return nil
	})
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	sound, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	damaged := 0
	for i := range 200 {
		bytes := append([]byte(nil), sound...)
		switch {
		case i%4 == 0:
			bytes = bytes[:1+r.IntN(len(bytes)-1)]
		case i == 1:
			bytes = []byte(strings.Repeat("not a state ", 3000))
		default:
			for range 1 << r.IntN(10) {
				bytes[r.IntN(len(bytes))] ^= byte(1 + r.IntN(255))
			}
		}
		path := filepath.Join(dir, fmt.Sprint(i))
		if err := os.WriteFile(path, bytes, 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := openTest(path)
		if err == nil {
			err = useState(f)
			f.Close()
		}
		if err != nil {
			damaged++
			if !strings.HasPrefix(err.Error(), path+": ") {
				t.Error(err)
			}
		}
	}
	if damaged < 100 {
		t.Errorf("%d of 200 are found damaged", damaged)
	}
}
