package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/polya-classifier/polya/internal/raced"
	"github.com/polya-classifier/polya/store/count"
)

// This file is about folders that another user may write to: he swaps names between
// any two steps of the program.

// robbed is a database in such a folder, and a file of somebody else's elsewhere.
type robbed struct {
	*testing.T
	dir, path      string // his folder, and the database there
	private        string // the other folder
	victim, absent string // a file in it, and one that is not there
}

const stranger = 65534 // nobody, who owns the folder where the test may give it to him

func newRobbed(t *testing.T, image []byte) *robbed {
	t.Helper()
	top, err := os.MkdirTemp("/dev/shm", "polya") // in memory, as there are many
	if err != nil {
		top = t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(top) })
	r := &robbed{T: t, dir: filepath.Join(top, "his"), private: filepath.Join(top, "private")}
	r.path, r.victim, r.absent = filepath.Join(r.dir, "t.polya"), filepath.Join(r.private, "t.polya"), filepath.Join(r.private, "absent")
	for _, dir := range []string{r.dir, r.private} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(r.victim, []byte("not his"), 0o600); err != nil {
		t.Fatal(err)
	}
	if image == nil {
		return r
	}
	if err := os.WriteFile(r.path, image, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(r.path, 0o666); err != nil {
		t.Fatal(err)
	}
	if os.Getuid() == 0 {
		if err := errors.Join(os.Chown(r.dir, stranger, stranger), os.Chown(r.path, stranger, stranger)); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// state is all that must not change in the other folder.
func (r *robbed) state() string {
	r.Helper()
	var b strings.Builder
	list, err := os.ReadDir(r.private)
	if err != nil {
		r.Fatal(err)
	}
	for _, e := range list {
		info, err := e.Info()
		if err != nil {
			r.Fatal(err)
		}
		content, err := os.ReadFile(filepath.Join(r.private, e.Name()))
		if err != nil {
			r.Fatal(err)
		}
		s := info.Sys().(*syscall.Stat_t)
		fmt.Fprintf(&b, "%s %v %d:%d %.200q\n", e.Name(), info.Mode(), s.Uid, s.Gid, content)
	}
	return b.String()
}

// swaps are what he does, once.
var swaps = map[string]func(r *robbed){
	"link to a file": func(r *robbed) { r.linkTemporary(r.victim) },
	"link to none":   func(r *robbed) { r.linkTemporary(r.absent) },
	"other database": func(r *robbed) {
		if os.Remove(r.path) == nil {
			os.Symlink(r.victim, r.path)
		}
	},
	"other folder": func(r *robbed) {
		if os.Rename(r.dir, r.dir+".moved") == nil {
			os.Symlink(r.private, r.dir)
		}
	},
}

// linkTemporary puts a link in place of each file but the database.
func (r *robbed) linkTemporary(target string) {
	list, _ := filepath.Glob(r.path + ".*")
	for _, name := range list {
		if os.Remove(name) == nil {
			os.Symlink(target, name)
		}
	}
}

// Whatever name is swapped for a link, before whichever system call of an operation,
// no file elsewhere is made, changed or given away.
func TestSwappedNames(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds of processor time")
	}
	raced.Skip(t)
	t.Parallel()
	shortTails(t)
	fast(t)
	image := faultImage(t, 40)
	h := newTestFile(t, count.LedgerFull, 40, nil, nil)
	h.zero(t, h.pages["table leaf"][0])
	damaged, err := os.ReadFile(h.path)
	if err != nil {
		t.Fatal(err)
	}
	must(t, os.WriteFile(h.path+".backup", image, 0o600))
	in := func(run func(db *DB) error) func(string) error {
		return func(path string) error {
			db, err := Open(path, tuned(t, Options{MustExist: true}))
			if err != nil {
				return err
			}
			defer db.Close()
			return run(db)
		}
	}
	for _, o := range []struct {
		name  string
		image []byte
		run   func(path string) error
	}{
		{"compact", image, in(func(db *DB) error { return db.Compact(context.Background()) })},
		{"prune", image, in(func(db *DB) error {
			_, err := db.Prune(context.Background(), false, func(term []byte, _ []count.Cell) bool { return term[len(term)-1] == '1' })
			return err
		})},
		{"shrink", image, in(func(db *DB) error { return db.shrink(-10, 1<<62) })},
		{"repair", damaged, func(path string) error {
			_, err := Repair(context.Background(), path, tuned(t, Options{}))
			return err
		}},
		{"restore", image, func(path string) error {
			_, err := Restore(context.Background(), path, h.path+".backup", Options{Timeout: time.Second, tuning: tuningOf(t)})
			return err
		}},
		{"create", nil, func(path string) error {
			db, err := Open(path, tuned(t, Options{}))
			if err != nil {
				return err
			}
			return db.Close()
		}},
	} {
		for name, swap := range swaps {
			if o.image == nil && name == "other folder" {
				continue // a new file is made where its path leads
			}
			for at := 1; ; at++ {
				r := newRobbed(t, o.image)
				before, calls := r.state(), 0
				var err error
				withFaults(t, func(c call) syscall.Errno {
					if c.name == "pwrite" || c.name == "write" || c.name == "fdatasync" {
						return 0
					}
					if calls++; calls == at {
						swap(r)
					}
					return 0
				}, func() { err = o.run(r.path) })
				if after := r.state(); after != before {
					t.Fatalf("%s, %s before call %d (%v):\n%sbefore\n%s", o.name, name, at, err, after, before)
				}
				if calls < at {
					if err != nil || at < 5 {
						t.Errorf("%s, undisturbed, after %d calls: %v", o.name, calls, err)
					}
					break
				}
			}
		}
	}
}

// Where the disk knows no links a new file is made under its own name, and where it
// has no room one without content stays behind at the most.
func TestMakeFileWithFaults(t *testing.T) {
	t.Parallel()
	path := tempDB(t)
	var err error
	withFaults(t, func(c call) syscall.Errno {
		if c.name == "link" {
			return syscall.EPERM
		}
		return 0
	}, func() {
		var db *DB
		if db, err = Open(path, Options{}); err == nil {
			err = db.Close()
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	mustBeAlone(t, path)
	mustCheck(t, open(t, path, Options{}))

	for first := 1; ; first++ {
		path, writes := tempDB(t), 0
		withFaults(t, func(c call) syscall.Errno {
			if c.name != "pwrite" {
				return 0
			}
			if writes++; writes >= first {
				return syscall.ENOSPC
			}
			return 0
		}, func() {
			var db *DB
			if db, err = Open(path, Options{}); err == nil {
				err = db.Close()
			}
		})
		if writes < first {
			break
		}
		mustSayFault(t, err, path, syscall.ENOSPC)
		if left, _ := os.ReadDir(filepath.Dir(path)); len(left) > 0 {
			mustRefuse(t, path, Options{MustExist: true}, ErrEmpty)
			mustBeAlone(t, path)
		}
		add(t, open(t, path, Options{}), sample(1, "ham"))
	}
}
