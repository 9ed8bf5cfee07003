package store

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/polya-classifier/polya/internal/raced"
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/fault"
)

// A symbolic link leads to the database, whatever is done with it, and stays one.
func TestSymbolicLink(t *testing.T) {
	t.Parallel()
	shortTails(t)
	dir, links := t.TempDir(), t.TempDir()
	file, link := filepath.Join(dir, "file"), filepath.Join(links, "link")
	if err := os.Symlink(file, link); err != nil {
		t.Fatal(err)
	}
	if err := open(t, file, Options{}).Close(); err != nil {
		t.Fatal(err)
	}
	db := open(t, link, Options{})
	for i := range 50 {
		add(t, db, sample(i, []string{"ham", "spam"}[i%2]))
	}
	before := dumpOf(t, db, true)
	if err := db.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	mustEqualText(t, dumpOf(t, db, true), before)
	if _, err := db.Prune(context.Background(), false, func(term []byte, _ []count.Cell) bool { return string(term) == "common1" }); err != nil {
		t.Fatal(err)
	}
	before = dumpOf(t, db, true)
	db.Close()
	if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link has become %v, %v", info, err)
	}
	for _, place := range []string{dir, links} {
		if list, _ := os.ReadDir(place); len(list) != 1 {
			t.Errorf("left behind: %v", list)
		}
	}
	direct := open(t, file, Options{})
	mustEqualText(t, dumpOf(t, direct, true), before)
	if _, err := Open(link, tuned(t, Options{Timeout: 1})); !errors.Is(err, ErrInUse) {
		t.Errorf("the file and the link at once: %v", err)
	}
	loop := filepath.Join(links, "loop")
	if err := os.Symlink(loop, loop); err != nil {
		t.Fatal(err)
	}
	mustRefuse(t, loop, Options{}, syscall.ELOOP)
	folder := filepath.Join(links, "folder")
	if err := os.Symlink(dir, folder); err != nil {
		t.Fatal(err)
	}
	mustRefuse(t, folder, Options{}, ErrNotPolya)
}

// mountMemory mounts an empty file system in memory, or skips the test.
func mountMemory(t *testing.T, size string) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("none", dir, "tmpfs", 0, "size="+size); err != nil {
		t.Skipf("SKIPPED: nothing can be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Errorf("unmounting %s: %v", dir, err)
		}
	})
	return dir
}

// On a file system that is read-only, and on one that becomes that, a database can
// be read, and what would change it is refused.
func TestReadOnlyMount(t *testing.T) {
	t.Parallel()
	dir := mountMemory(t, "8m")
	path := filepath.Join(dir, "db.polya")
	db := open(t, path, Options{})
	add(t, db, sample(1, "ham"), sample(2, "spam"))
	before := dumpOf(t, db, true)
	db.Close()
	readOnly := func(flags uintptr) {
		if err := syscall.Mount("none", dir, "", syscall.MS_REMOUNT|flags, ""); err != nil {
			t.Fatal(err)
		}
	}
	readOnly(syscall.MS_RDONLY)
	defer readOnly(0)
	err := mustRefuse(t, path, Options{}, ErrReadOnly)
	if !strings.Contains(err.Error(), "read-only file system") {
		t.Errorf("does not say why: %v", err)
	}
	mustRefuse(t, filepath.Join(dir, "new.polya"), Options{}, ErrReadOnly)
	reader, err := Open(path, tuned(t, Options{ReadOnly: true}))
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	mustEqualText(t, dumpOf(t, reader, true), before)
	if _, err := reader.Apply(new(Delta)); !errors.Is(err, ErrReadOnly) {
		t.Errorf("training: %v", err)
	}
}

// A disk that is full, which is a real one: training stops in one line, and goes on
// when something was removed.
func TestFullMount(t *testing.T) {
	raced.Skip(t)
	t.Parallel()
	shortTails(t)
	dir := mountMemory(t, "1m")
	ballast := filepath.Join(dir, "ballast")
	if err := os.WriteFile(ballast, make([]byte, 300<<10), 0o600); err != nil {
		t.Fatal(err)
	}
	db := open(t, filepath.Join(dir, "db.polya"), Options{})
	n := 0
	learn := func() error {
		err := deltaFor(func(d *Delta) { d.Add(sample(n, "ham")) })(db)
		if err == nil {
			n++
		}
		return err
	}
	var err error
	for err == nil && n < 20000 {
		err = learn()
	}
	mustBeOneLine(t, err, db.Path())
	if err == nil || !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "free some space") {
		t.Fatalf("after %d documents: %v", n, err)
	}
	if err := db.Compact(t.Context()); err == nil {
		t.Error("compacting where nothing can be written went well")
	} else {
		mustBeOneLine(t, err, db.Path())
	}
	if r := mustCheck(t, db); r.Documents != uint64(n) {
		t.Errorf("%d documents of %d", r.Documents, n)
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	for range 50 {
		if err := learn(); err != nil {
			t.Fatalf("with room again: %v", err)
		}
	}
	if r := mustCheck(t, db); r.Documents != uint64(n) {
		t.Errorf("%d documents of %d", r.Documents, n)
	}
	if list, _ := os.ReadDir(dir); len(list) != 1 {
		t.Errorf("left behind: %v", list)
	}
}

// asNobody runs f in a thread that may do no more with files than any user.
func asNobody(t *testing.T, f func()) {
	t.Helper()
	done := make(chan bool)
	go func() {
		defer close(done)
		runtime.LockOSThread() // and never unlocked, so that the thread goes
		if os.Getuid() == 0 {
			syscall.RawSyscall(syscall.SYS_SETFSUID, 65534, 0, 0)
		}
		f()
	}()
	<-done
}

// A file in a folder that may not be written is trained as any other; what needs a
// new file is refused, and so is all that the file itself does not allow.
func TestFolderNotWritable(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "polya")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		os.Chmod(dir, 0o700)
		os.RemoveAll(dir)
	})
	path, other := filepath.Join(dir, "db.polya"), filepath.Join(dir, "other.polya")
	filled(t, path)
	filled(t, other)
	for file, mode := range map[string]os.FileMode{path: 0o666, other: 0, dir: 0o555} {
		if err := os.Chmod(file, mode); err != nil {
			t.Fatal(err)
		}
	}
	asNobody(t, func() {
		db, err := Open(path, tuned(t, Options{}))
		if err != nil {
			t.Error(err)
			return
		}
		defer db.Close()
		if err := deltaFor(addNew(3))(db); err != nil {
			t.Error(err)
		}
		before := dumpOf(t, db, true)
		err = db.Compact(t.Context())
		if !errors.Is(err, fs.ErrPermission) {
			t.Errorf("compacting: %v", err)
		}
		mustBeOneLine(t, err, path)
		mustEqualText(t, dumpOf(t, db, true), before)
		if err := deltaFor(func(d *Delta) { d.Add(sample(999, "ham")) })(db); err != nil {
			t.Error(err)
		}
		mustCheck(t, db)
		for _, refused := range []string{filepath.Join(dir, "new.polya"), other} {
			for _, o := range []Options{{}, {ReadOnly: true}} {
				_, err := Open(refused, tuned(t, o))
				if o.ReadOnly && refused != other {
					continue // it is not there
				}
				if !errors.Is(err, fs.ErrPermission) {
					t.Errorf("%s: %v", refused, err)
				}
				mustBeOneLine(t, err, refused)
			}
		}
	})
}

// A file system that knows no locks, as some networks' do, is refused: two
// processes could write at once.
func TestLockRefused(t *testing.T) {
	t.Parallel()
	path := tempDB(t)
	filled(t, path)
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, errno := range []syscall.Errno{syscall.ENOLCK, syscall.EOPNOTSUPP, syscall.ENOSYS} {
		for _, o := range []Options{{}, {ReadOnly: true}, {MustExist: true}} {
			var err error
			withFaults(t, func(c call) syscall.Errno {
				if c.name == "flock" {
					return errno
				}
				return 0
			}, func() {
				var db *DB
				if db, err = Open(path, tuned(t, o)); err == nil {
					db.Close()
				}
			})
			if !errors.Is(err, fault.ErrNoLock) {
				t.Errorf("%v: %v", errno, err)
			}
			mustBeOneLine(t, err, path)
		}
	}
	if after, err := os.ReadFile(path); err != nil || string(after) != string(before) {
		t.Errorf("the file has changed, %v", err)
	}
}

// What is made may be read by its owner alone, whatever the umask.
func TestModeOfFiles(t *testing.T) {
	old := syscall.Umask(0)
	defer syscall.Umask(old)
	path := tempDB(t)
	db := open(t, path, Options{})
	add(t, db, sample(1, "ham"))
	mustBeOwners := func(what string) {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: mode %v, %v", what, info.Mode(), err)
		}
	}
	mustBeOwners("a new file")
	if err := db.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	mustBeOwners("a compacted file")
}
