package statefile

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"
)

var bucket = []byte("b")

func open(path string) (*File, error) {
	return Open(path, bolt.Options{Timeout: time.Millisecond, NoSync: true}, "somebody has it", bucket)
}

// use reads all of a file and writes to it.
func use(f *File) error {
	err := f.View(func(tx *bolt.Tx) error { return tx.Bucket(bucket).ForEach(func(k, v []byte) error { return nil }) })
	if err != nil {
		return err
	}
	return f.Update(func(tx *bolt.Tx) error { return tx.Bucket(bucket).Put([]byte("k"), []byte("v")) })
}

// What is written is there, and one at a time has the file.
func TestFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state")
	f, err := open(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := use(f); err != nil {
		t.Fatal(err)
	}
	if _, err := open(path); err == nil || err.Error() != path+": somebody has it" {
		t.Error(err)
	}
	if err := errors.Join(f.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
	if f, err = open(path); err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	err = f.View(func(tx *bolt.Tx) error {
		if string(tx.Bucket(bucket).Get([]byte("k"))) != "v" {
			t.Error("nothing is there")
		}
		return errors.New("and so on")
	})
	if err == nil || err.Error() != path+": and so on" {
		t.Error(err)
	}
	if _, err := open(filepath.Join(path, "x")); err == nil || errors.Is(err, ErrDamaged) {
		t.Error(err)
	}
}

// A file that is damaged, in any place, is an error or is read as if it were not; nothing else
// becomes of it.
func TestDamaged(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "state")
	f, err := open(path)
	if err != nil {
		t.Fatal(err)
	}
	err = f.Update(func(tx *bolt.Tx) error {
		for i := range 2000 {
			if err := tx.Bucket(bucket).Put(fmt.Appendf(nil, "key %d", i), []byte("and a value of some length")); err != nil {
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
		f, err := open(path)
		if err == nil {
			err = use(f)
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
