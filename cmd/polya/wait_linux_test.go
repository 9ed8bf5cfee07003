package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Who filters or updates waits for a process that commits, also for one that takes longer than
// the daemon would wait.
func TestFilterWaits(t *testing.T) {
	t.Parallel()
	const message = "Subject: cheap watches\nMessage-ID: <1@x>\n\ncheap watches and an offer\n"
	for _, args := range []string{"filter", "filter --bogofilter -u -p -e"} {
		t.Run(args, func(t *testing.T) {
			t.Parallel()
			db := filepath.Join(t.TempDir(), "test.polya")
			polya := []string{"polya", "--db", db}
			if f := piped(t, message, append(polya, "train", "spam", "-")...); f.code != 0 {
				t.Fatal(f.stderr)
			}
			file, err := os.OpenFile(db, os.O_RDWR, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX); err != nil { // as for a commit
				t.Fatal(err)
			}
			unlocked := make(chan error, 1)
			time.AfterFunc(time.Second, func() { unlocked <- syscall.Flock(int(file.Fd()), syscall.LOCK_UN) })
			f := piped(t, message, append(polya, strings.Fields(args)...)...)
			if err := <-unlocked; err != nil {
				t.Fatal(err)
			}
			if f.code != 0 || f.stderr != "" || !strings.HasPrefix(f.out, "X-") {
				t.Errorf("%+v", f)
			}
		})
	}
}
