//go:build unix

package store

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/polya-classifier/polya/internal/raced"
	"github.com/polya-classifier/polya/store/count"
)

// Opening a named pipe does not wait for who may come to its other end.
func TestRefusePipe(t *testing.T) {
	t.Parallel()
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	mustRefuse(t, pipe, Options{}, ErrNotPolya)
	mustRefuse(t, pipe, Options{ReadOnly: true}, ErrNotPolya)
}

// A disk that is full, or a file that may not grow: the request says so in one
// line, nothing has changed, and when there is room again all goes on.
func TestDiskFull(t *testing.T) {
	raced.Skip(t)
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, "-test.run=^TestDiskFullChild$", "-test.v")
	cmd.Env = append(os.Environ(), "POLYA_STORE_FULL="+tempDB(t))
	if out, err := cmd.CombinedOutput(); err != nil || !bytes.Contains(out, []byte("--- PASS: TestDiskFullChild")) {
		t.Fatalf("%v\n%s", err, out)
	}
}

func TestDiskFullChild(t *testing.T) {
	path := os.Getenv("POLYA_STORE_FULL")
	if path == "" {
		t.Skip("run by TestDiskFull")
	}
	shortTails(t)
	signal.Ignore(syscall.SIGXFSZ)
	db := open(t, path, Options{})
	m := &model{docs: map[count.DocID]count.Document{}}
	learn := func(i int, docs ...count.Document) error {
		var d Delta
		for _, doc := range docs {
			if err := d.Add(documentCopy(doc)); err != nil {
				t.Fatal(err)
			}
		}
		_, err := db.Apply(&d)
		if err == nil {
			for _, doc := range docs {
				m.docs[doc.ID] = doc
			}
		}
		return err
	}
	for i := range 40 {
		if err := learn(i, sample(i, "ham")); err != nil {
			t.Fatal(err)
		}
	}
	var old syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &old); err != nil {
		t.Fatal(err)
	}
	next := 40
	for round := range 6 {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		limit := old
		setLimit(&limit.Cur, info.Size()+int64(round%3)*4096)
		if round >= 3 {
			setLimit(&limit.Cur, info.Size()/8) // writes within the file fail too, and what is left of it has no room
		}
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
			t.Fatal(err)
		}
		failed := 0
		for i := 0; i < 200 && failed < 5; i++ {
			docs := []count.Document{sample(next, []string{"ham", "spam"}[next%2])}
			next++
			if i%5 == 4 {
				for range 30 {
					docs = append(docs, sample(next, "many"))
					next++
				}
			}
			if err := learn(next, docs...); err != nil {
				failed++
				mustBeOneLine(t, err, path)
				if !strings.Contains(err.Error(), "nothing was changed") || !strings.Contains(err.Error(), "file too large") {
					t.Errorf("a full disk: %v", err)
				}
				mustEqualModel(t, db, m)
			}
		}
		if err := db.Compact(t.Context()); round >= 3 && err == nil {
			t.Error("compacting a database without room for it went well")
		} else if err != nil {
			mustBeOneLine(t, err, path)
		}
		// What is left when free pages and a term are left out may be much less than
		// the file has.
		limit.Cur = 16 << 10
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
			t.Fatal(err)
		}
		one := func(term []byte, _ []count.Cell) bool { return string(term) == "common1" }
		if _, err := db.Prune(context.Background(), false, one); err == nil {
			t.Error("a prune that only has room for a small file went well")
		} else {
			mustBeOneLine(t, err, path)
		}
		if left, _ := filepath.Glob(path + ".compact*"); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
		mustEqualModel(t, db, m)
		if failed == 0 {
			t.Error("no write failed: nothing was tried")
		}
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &old); err != nil {
			t.Fatal(err)
		}
		for range 20 {
			if err := learn(next, sample(next, "after")); err != nil {
				t.Fatalf("with room again: %v", err)
			}
			next++
		}
		mustEqualModel(t, db, m)
		mustCheck(t, db)
	}
}

// setLimit sets a limit, whose type depends on the system.
func setLimit[T int64 | uint64](limit *T, size int64) { *limit = T(size) }
