package store

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/polya-classifier/polya/store/internal/fault"
)

// Whichever call of making a database fails: it says so, and the next attempt makes
// it.
func TestFaultWhileMaking(t *testing.T) {
	t.Parallel()
	for first, calls := 0, 1; first <= calls; first++ {
		for _, stays := range []bool{false, true} {
			dir := t.TempDir()
			path := filepath.Join(dir, "new.polya")
			var seen []string
			withFaults(t, injection{syscall.EIO, first, stays}.decide(&seen), func() {
				db, err := Open(path, tuned(t, Options{}))
				if err == nil {
					db.Close()
					return
				}
				mustBeOneLine(t, err, path)
				if !strings.Contains(err.Error(), syscall.EIO.Error()) {
					t.Errorf("call %d of %v: %v", first, seen, err)
				}
			})
			if first == 0 {
				calls = len(seen)
			}
			db := open(t, path, Options{})
			add(t, db, sample(1, "ham"))
			db.Close()
			if list, _ := os.ReadDir(dir); len(list) != 1 {
				t.Errorf("call %d of %v: left behind: %v", first, seen, list)
			}
		}
	}
}

// Whichever call of Close fails, what was learned is there.
func TestFaultWhileClosing(t *testing.T) {
	t.Parallel()
	shortTails(t)
	image := faultImage(t, 60)
	for first, calls := 0, 1; first <= calls; first++ {
		for _, stays := range []bool{false, true} {
			r := newTrial(t, image)
			if err := r.more(); err != nil {
				t.Fatal(err)
			}
			want := r.text()
			var seen []string
			withFaults(t, injection{syscall.EIO, first, stays}.decide(&seen), func() {
				if err := r.db.Close(); err != nil {
					mustBeOneLine(t, err, r.path)
				}
			})
			if first == 0 {
				calls = len(seen)
			}
			r.open()
			mustEqualText(r, r.text(), want)
			mustCheck(r, r.db)
			r.db.Close()
		}
	}
}

// A page that cannot be read is told in words about the file, and not in Go's.
func TestFaultNamesNoPointer(t *testing.T) {
	t.Parallel()
	page, err := syscall.Mmap(-1, 0, 4096, syscall.PROT_NONE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Munmap(page)
	read := func() (n byte, err error) {
		defer fault.Guard(&err, "a.polya")()
		return page[7], nil
	}
	_, err = read()
	mustBeOneLine(t, err, "a.polya")
	if err.Error() != "a.polya: page of the file is damaged" {
		t.Error(err)
	}
}
