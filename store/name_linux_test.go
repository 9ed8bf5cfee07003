package store

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/polya-classifier/polya/store/count"
)

// folderSyncs notes which watched calls sync a folder ("folder") and which write to the
// file at path ("write"), and lets the first fail with errno.
func folderSyncs(path string, errno syscall.Errno, seen *[]string) func(call) syscall.Errno {
	return func(c call) syscall.Errno {
		switch info, err := os.Stat(c.file()); {
		case c.name == "fsync" && err == nil && info.IsDir():
			*seen = append(*seen, "folder")
			return errno
		case c.name == "pwrite" && c.file() == path:
			*seen = append(*seen, "write")
		}
		return 0
	}
}

// A process that is killed after a new file has taken the old one's place, and before
// that is on the disk, leaves it to the next to bring it there: nothing is written to the
// new file before.
func TestNameAfterKill(t *testing.T) {
	t.Parallel()
	image := faultImage(t, 60)
	for name, run := range map[string]func(*DB) error{
		"compact": func(db *DB) error { return db.Compact(t.Context()) },
		"prune": func(db *DB) error {
			_, err := db.Prune(context.Background(), false, func(term []byte, _ []count.Cell) bool { return term[len(term)-1] == '1' })
			return err
		},
		"shrink": func(db *DB) error { return db.shrink(-10, 1<<62) },
	} {
		r := newTrial(t, image)
		r.what = name
		var seen []string
		var err error
		withFaults(t, folderSyncs(r.path, syscall.EIO, &seen), func() { err = run(r.db) })
		if err == nil || !strings.Contains(err.Error(), "in its place") {
			r.Fatalf("with a folder that cannot be synced: %v", err)
		}
		r.db.file.Discard() // as the kernel does when the process is killed
		r.open()
		mustSettleName(r)
	}
}

// The same of a repair.
func TestNameAfterRepair(t *testing.T) {
	t.Parallel()
	h := newTestFile(t, count.LedgerFull, 60, nil, nil)
	h.zero(t, h.pages["table leaf"][0])
	if out, err := Repair(context.Background(), h.path, tuned(t, Options{})); err != nil || out.Damaged == "" {
		t.Fatal(out, err)
	}
	r := &trial{T: t, path: h.path, what: "repair"}
	r.open()
	mustSettleName(r)
}

// mustSettleName checks that the first that is learned waits for the folder, and no
// other.
func mustSettleName(r *trial) {
	r.Helper()
	mustCheck(r, r.db)
	before := r.text()
	var seen []string
	var err error
	withFaults(r, folderSyncs(r.path, syscall.EIO, &seen), func() { err = r.more() })
	if err == nil || slices.Contains(seen, "write") {
		r.Fatalf("with a folder that cannot be synced: %v, calls %v", err, seen)
	}
	mustSayFault(r.T, err, r.path, syscall.EIO)
	mustEqualText(r, r.text(), before)
	seen = nil
	withFaults(r, folderSyncs(r.path, 0, &seen), func() { err = r.more() })
	if err != nil || len(seen) < 2 || seen[0] != "folder" || slices.Contains(seen[1:], "folder") {
		r.Fatalf("the folder was not synced first, and once: %v, calls %v", err, seen)
	}
	mustCheck(r, r.db)
	if err := r.db.Close(); err != nil {
		r.Fatal(err)
	}
	r.open()
	seen = nil
	withFaults(r, folderSyncs(r.path, 0, &seen), func() { err = deltaFor(addNew(2))(r.db) })
	if err != nil || len(seen) == 0 || slices.Contains(seen, "folder") {
		r.Errorf("the folder was synced again: %v, calls %v", err, seen)
	}
	r.db.Close()
	if left, _ := filepath.Glob(r.path + ".compact-*"); len(left) > 0 {
		r.Errorf("left behind: %v", left)
	}
}
