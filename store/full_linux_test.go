package store

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"github.com/polya-classifier/polya/internal/raced"
)

// Whatever the size at which files may not grow any more, each operation that needs
// more says so, nothing has changed, and all goes on when there is room. Writes fail
// in their middle here: a part of what was to be written is in the file.
func TestFullAtEachSize(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds of processor time")
	}
	raced.Skip(t)
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, "-test.run=^TestFullAtEachSizeChild$", "-test.v")
	cmd.Env = append(os.Environ(), "POLYA_STORE_FULL_SIZES=yes")
	out, err := cmd.CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte("--- PASS: TestFullAtEachSizeChild")) {
		t.Fatalf("%v\n%s", err, out)
	}
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, " refused") {
			t.Log(strings.TrimSpace(line))
		}
	}
}

// limitFiles sets the size that no file may pass while f runs, which holds for the
// whole process.
func limitFiles(t *testing.T, size uint64, f func()) {
	t.Helper()
	var old syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &old); err != nil {
		t.Fatal(err)
	}
	limit := old
	limit.Cur = size
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	f()
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &old); err != nil {
		t.Fatal(err)
	}
}

func TestFullAtEachSizeChild(t *testing.T) {
	if os.Getenv("POLYA_STORE_FULL_SIZES") == "" {
		t.Skip("run by TestFullAtEachSize")
	}
	shortTails(t)
	signal.Ignore(syscall.SIGXFSZ)
	other := open(t, tempDB(t), Options{})
	for i := range 30 {
		add(t, other, attributed(500+i, []string{"ham", "third"}[i%2]))
	}
	image := faultImage(t, 60)
	before := func() outcome { r := newTrial(t, image); defer r.db.Close(); return r.outcome() }()
	for _, op := range operations(t, other) {
		r := newTrial(t, image)
		if err := op.run(r.db); err != nil {
			t.Fatal(err)
		}
		after := r.outcome()
		r.db.Close()
		refused := 0
		for part := range uint64(10) {
			// Below 4096 a page of meta data is written in part.
			limit := 1000 + part*uint64(len(image))/4
			r := newTrial(t, image)
			var err error
			limitFiles(t, limit, func() { err = op.run(r.db) })
			r.what = fmt.Sprintf("%s within %d bytes: %v", op.name, limit, err)
			want := after
			if err != nil {
				refused++
				want = before
				mustSayFault(t, err, r.path, syscall.EFBIG)
			}
			r.mustBe(want)
		}
		t.Logf("%s: %d of 10 refused", op.name, refused)
		if refused == 0 {
			t.Errorf("%s: nothing was tried", op.name)
		}
	}
}
