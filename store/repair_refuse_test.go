package store

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/polya-classifier/polya/internal/raced"
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/stored"
)

// TestRepairRefused leaves the file as it was where it must not or cannot be
// repaired.
func TestRepairRefused(t *testing.T) {
	t.Parallel()
	shortTails(t)
	fast(t)
	h := newTestFile(t, count.LedgerFull, 60, nil, nil)
	damaged := func() { h.zero(t, h.pages["table leaf"][0]) }
	refuse := func(what string, o Options, ctx context.Context, path string, want error) {
		t.Helper()
		before, _ := os.ReadFile(h.path)
		_, err := Repair(ctx, path, tuned(t, o))
		var analyzer *AnalyzerError
		if !errors.Is(err, want) && !(errors.As(err, &analyzer) && errors.As(want, &analyzer)) {
			t.Errorf("%s: %v, want %v", what, err, want)
		}
		mustBeOneLine(t, err, path)
		if after, _ := os.ReadFile(h.path); !bytes.Equal(before, after) || len(h.aside(t)) > 0 {
			t.Errorf("%s: the file is another, or beside it lie %v", what, h.aside(t))
		}
	}
	none := context.Background()
	for _, readOnly := range []bool{false, true} {
		h.write(t, h.bytes)
		release := hold(t, h.path, readOnly)
		data := bytes.Clone(h.bytes)
		clear(data[h.pages["table leaf"][0]*4096:][:4096])
		if err := os.WriteFile(h.path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		refuse("in use", Options{Timeout: 50 * time.Millisecond}, none, h.path, ErrInUse)
		release()
	}
	damaged()
	refuse("another analyzer", Options{Analyzer: "words v2"}, none, h.path, new(AnalyzerError))
	gone, cancel := context.WithCancel(none)
	cancel()
	refuse("cancelled", Options{}, gone, h.path, context.Canceled)
	refuse("a folder", Options{}, none, filepath.Dir(h.path), ErrNotPolya)
	refuse("no file", Options{}, none, filepath.Join(t.TempDir(), "none"), ErrNotExist)
	h.write(t, []byte("not a database, but a text that is long enough to be one of bbolt's pages"))
	refuse("a text", Options{}, none, h.path, ErrNotPolya)
	h.write(t, bytes.Repeat([]byte("polya"), 40000))
	refuse("a long text", Options{}, none, h.path, ErrNotPolya)
	h.write(t, nil)
	refuse("an empty file", Options{}, none, h.path, ErrEmpty)
}

// TestRepairNames keeps the permissions, the link and the copies that a file has.
func TestRepairNames(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("no such permissions")
	}
	shortTails(t)
	fast(t)
	h := newTestFile(t, count.LedgerFull, 60, nil, nil)
	h.zero(t, h.pages["table leaf"][0])
	if err := os.Chmod(h.path, 0o640); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "link.polya")
	if err := os.Symlink(h.path, link); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(h.path+".damaged", []byte("another"), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := Repair(context.Background(), link, tuned(t, Options{}))
	real, err2 := filepath.EvalSymlinks(h.path)
	if err != nil || err2 != nil || out.Damaged != real+".damaged-2" {
		t.Fatalf("%+v, %v", out, err)
	}
	info, err := os.Stat(h.path)
	if err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link is none any more: %v, %v", info.Mode(), err)
	}
	if data, err := os.ReadFile(h.path + ".damaged"); err != nil || string(data) != "another" {
		t.Errorf("the other copy is %q, %v", data, err)
	}
	mustEqualText(t, h.dumped(t), h.dump)
}

// TestRepairKilled kills repairs at any moment: the file is the damaged one, or the
// repaired one.
func TestRepairKilled(t *testing.T) {
	raced.Skip(t)
	t.Parallel()
	shortTails(t)
	if path := os.Getenv("POLYA_TEST_REPAIR"); path != "" {
		_, err := Repair(context.Background(), path, tuned(t, Options{Timeout: 10 * time.Second}))
		if err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	h := newTestFile(t, count.LedgerFull, 100, nil, nil)
	damaged := bytes.Clone(h.bytes)
	clear(damaged[h.pages["table leaf"][0]*4096:][:4096])
	kept, made := 0, 0
	for i := range 20 {
		h.write(t, damaged)
		cmd := exec.Command(os.Args[0], "-test.run=^TestRepairKilled$")
		cmd.Env = append(os.Environ(), "POLYA_TEST_REPAIR="+h.path)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(time.Duration(5+rand.IntN(10+10*i))*time.Millisecond, func() { cmd.Process.Kill() })
		_ = cmd.Wait()
		data, err := os.ReadFile(h.path)
		switch {
		case err != nil:
			t.Fatal(err)
		case bytes.Equal(data, damaged):
			kept++
		default:
			made++
			mustEqualText(t, h.dumped(t), h.dump)
		}
		for _, other := range h.aside(t) {
			os.Remove(other)
		}
	}
	t.Logf("%d times the damaged file, %d times the repaired one", kept, made)
}

// A file of which its first pages and count tables alone are left is refused at once, and not for the
// analyzer first.
func TestRepairTablesAlone(t *testing.T) {
	t.Parallel()
	shortTails(t)
	fast(t)
	h := newTestFile(t, count.LedgerFull, 60, nil, nil)
	data := make([]byte, len(h.bytes))
	for _, id := range append([]int{0, 1}, h.pages["table leaf"]...) {
		copy(data[id*4096:], h.bytes[id*4096:][:4096])
	}
	for _, analyzer := range []string{"", "words v1"} {
		h.write(t, data)
		_, err := Repair(context.Background(), h.path, tuned(t, Options{Analyzer: analyzer}))
		if !errors.Is(err, ErrNotRepaired) || !strings.Contains(err.Error(), "no document is left") {
			t.Errorf("with analyzer %q: %v", analyzer, err)
		}
		if now, err := os.ReadFile(h.path); err != nil || !bytes.Equal(now, data) {
			t.Errorf("the file was changed: %v", err)
		}
	}
}

// Where the key of a class's totals is damaged nobody knows whose they were. No class
// may be made of it: 0 is no class's id, and a great one would take gigabytes.
func TestRepairClassKeys(t *testing.T) {
	raced.Skip(t)
	t.Parallel()
	shortTails(t)
	fast(t)
	tune(t).minTail = 24
	for _, mode := range []count.Ledger{count.LedgerFull, count.LedgerDigest} {
		h := newTestFile(t, mode, 140, nil, nil)
		var key, value []byte
		h.view(t, func(db *DB) {
			err := db.file.View(func(tx *bolt.Tx) error {
				key = stored.ClassKey(1)
				value = bytes.Clone(tx.Bucket(stored.BucketTotal).Get(key))
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		})
		pair := append(bytes.Clone(key), value...)
		keys := [][]byte{make([]byte, 4)}
		for bit := range 32 {
			k := bytes.Clone(key)
			k[bit/8] ^= 1 << (bit % 8)
			keys = append(keys, k)
		}
		for _, k := range keys {
			data := bytes.ReplaceAll(h.bytes, pair, append(bytes.Clone(k), value...))
			if bytes.Equal(data, h.bytes) || len(value) < 10 {
				t.Fatal("the totals are not where they are looked for")
			}
			h.write(t, data)
			out, err := h.repair(t)
			switch {
			case mode == count.LedgerFull && (err != nil || out.Damaged == ""):
				t.Errorf("key %x: %+v, %v", k, out, err)
			case mode == count.LedgerFull:
				mustEqualText(t, withoutBorn(h.dumped(t)), withoutBorn(h.dump))
			case !errors.Is(err, ErrNotRepaired):
				t.Errorf("key %x, ledger %v: %+v, %v", k, mode, out, err)
			}
			if t.Failed() {
				t.FailNow()
			}
		}
	}
}
