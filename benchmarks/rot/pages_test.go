package rot_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/benchmarks/rot"
	"github.com/polya-classifier/polya/internal/raced"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

const page = 4096

// branches makes a database whose log has branches, and returns its bytes and the
// numbers of the pages that are.
func branches(t *testing.T) ([]byte, []int) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "whole.polya")
	db, err := store.Open(path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var d store.Delta
	for i := range 500 {
		doc := count.Document{ID: documentID(i), Class: "ham", Source: strings.Repeat("s", 200)}
		for k := range 5 {
			doc.Terms = append(doc.Terms, count.TermCount{Term: fmt.Appendf(nil, "t%d", i+k), N: 1})
		}
		if err := d.Add(doc); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := db.Apply(&d); err != nil {
		t.Fatal(err)
	}
	if err := db.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var list []int
	for n := 2; n < len(data)/page; n++ {
		if binary.NativeEndian.Uint16(data[n*page+8:]) == 1 {
			list = append(list, n)
		}
	}
	if len(list) == 0 {
		t.Fatal("no page is a branch")
	}
	return data, list
}

// A branch that leads to itself, to a page beyond the end or to another's is refused before bbolt goes round in it: by writers on
// opening, by readers before they read what is below it.
func TestRotBranches(t *testing.T) {
	t.Parallel()
	good, list := branches(t)
	native := binary.NativeEndian
	for _, branch := range list {
		data := bytes.Clone(good)
		head := data[branch*page:]
		head[16+native.Uint32(head[16:])] ^= 0x80
		if _, checked, dumped := examine(t, data); checked == nil || dumped == nil {
			t.Errorf("branch %d with another key: check says %v, dump %v", branch, checked, dumped)
		}
	}
	for name, change := range map[string]func(data []byte, branch int){
		"itself":            func(data []byte, branch int) { native.PutUint64(data[16+8:], uint64(branch)) },
		"itself, the third": func(data []byte, branch int) { native.PutUint64(data[16+2*16+8:], uint64(branch)) },
		"beyond the end":    func(data []byte, _ int) { native.PutUint64(data[16+8:], 1<<30) },
		"meta data":         func(data []byte, _ int) { native.PutUint64(data[16+8:], 1) },
		"the same twice":    func(data []byte, _ int) { copy(data[16+16+8:][:8], data[16+8:][:8]) },
		"one less":          func(data []byte, _ int) { native.PutUint16(data[10:], native.Uint16(data[10:])-1) },
	} {
		for _, branch := range list {
			for _, o := range []store.Options{{ReadOnly: true}, {MustExist: true}} {
				path := filepath.Join(t.TempDir(), "bad.polya")
				data := bytes.Clone(good)
				change(data[branch*page:], branch)
				if err := os.WriteFile(path, data, 0o600); err != nil {
					t.Fatal(err)
				}
				within(t, name, func() {
					db, err := store.Open(path, o)
					if err == nil && o.ReadOnly {
						err = errors.Join(lookUp(t, db), readAll(db))
						db.Close()
					}
					var corrupt *store.CorruptError
					if !errors.As(err, &corrupt) {
						t.Errorf("branch %d leads to %s, read-only %t: opened with %v", branch, name, o.ReadOnly, err)
					}
				})
			}
		}
	}
}

// lookUp looks for each document alone and for a term: that may fail, but not say anything wrong.
func lookUp(t *testing.T, db *store.DB) (damaged error) {
	t.Helper()
	err := db.View(func(s *store.Snapshot) error {
		for i := range 500 {
			d, err := s.Document(documentID(i))
			switch {
			case err != nil:
				damaged = err
			case d == nil || d.Class != "ham" || len(d.Terms) != 5:
				t.Errorf("document %d is %v", i, d)
			}
		}
		found := 0
		err := s.Rows([]count.TermCount{{Term: []byte("t5"), N: 1}}, true, func(_ int, cells []count.Cell) error {
			found = int(cells[0].DF)
			return nil
		})
		if err == nil && found != 5 {
			t.Errorf("the term is in %d documents", found)
		}
		return err
	})
	return errors.Join(err, damaged)
}

func readAll(db *store.DB) error {
	return db.View(func(s *store.Snapshot) error { return s.Entries(func(*store.Entry) error { return nil }) })
}

func documentID(i int) count.DocID { return count.DocID{byte(i), byte(i >> 8)} }

// A file that is cut short while it is open is an error, and Close comes to its end.
func TestRotCutWhileOpen(t *testing.T) {
	t.Parallel()
	good, _ := branches(t)
	for _, size := range []int64{0, page, 3 * page, int64(len(good)) / 2} {
		for _, readOnly := range []bool{true, false} {
			path := filepath.Join(t.TempDir(), "cut.polya")
			if err := os.WriteFile(path, good, 0o600); err != nil {
				t.Fatal(err)
			}
			db, err := store.Open(path, store.Options{ReadOnly: readOnly})
			if err != nil {
				t.Fatal(err)
			}
			if err := os.Truncate(path, size); err != nil {
				t.Skip(err) // Windows does not cut a file that is mapped
			}
			within(t, fmt.Sprintf("a file cut to %d bytes", size), func() {
				for _, name := range []string{"View", "Apply", "Dump", "Check", "Backup", "Compact", "View"} {
					_ = methods[name](db, "")
				}
				if err := readAll(db); err == nil {
					t.Errorf("cut to %d bytes, read-only %t: all entries are there", size, readOnly)
				}
				db.Close()
			})
		}
	}
}

// healthy makes a small database and returns its bytes.
func healthy(t *testing.T, name string) []byte {
	t.Helper()
	files := rot.Make(t.TempDir())
	for _, f := range files {
		if f.Name == name {
			return f.Data
		}
	}
	t.Fatalf("no file %q", name)
	return nil
}

// examine returns what Open, Check and Dump say of a file.
func examine(t *testing.T, data []byte) (opened, checked, dumped error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "examined.polya")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	db, err := store.Open(path, store.Options{MustExist: true})
	if err != nil {
		return err, err, err
	}
	defer db.Close()
	_, err = db.Check(context.Background(), func(err error) { checked = err })
	if err != nil {
		t.Fatal(err)
	}
	return nil, checked, db.Dump(context.Background(), io.Discard, true)
}

// Where a page of meta data is damaged, bbolt goes by the other, and the last
// transaction is missing: the file opens, since the power may have failed while the
// page was written, but check says so, and a dump is refused. Both in each other's
// place are seen, too.
func TestRotMeta(t *testing.T) {
	t.Parallel()
	raced.Skip(t)
	good := healthy(t, "full")
	if opened, checked, dumped := examine(t, good); opened != nil || checked != nil || dumped != nil {
		t.Fatal(opened, checked, dumped)
	}
	for name, change := range map[string]func(data []byte){
		"first page":  func(data []byte) { data[16+48] ^= 1 },
		"second page": func(data []byte) { clear(data[page : page+80]) },
		"swapped": func(data []byte) {
			copy(data, good[page:2*page])
			copy(data[page:], good[:page])
		},
		"the same twice": func(data []byte) { copy(data, good[page:2*page]) },
	} {
		data := bytes.Clone(good)
		change(data)
		if opened, checked, dumped := examine(t, data); opened != nil || checked == nil || dumped == nil {
			t.Errorf("%s: open says %v, check %v, dump %v", name, opened, checked, dumped)
		}
	}
}

// No element of a page goes without being missed: not the last log record, ledger
// entry or class, nor by a changed count, place or size. The sum of the log's beginning
// may go, since the log has it, and a dump does without it.
func TestRotElements(t *testing.T) {
	t.Parallel()
	raced.Skip(t)
	native := binary.NativeEndian
	for _, name := range []string{"merges", "merges in digest", "attributes"} {
		good := healthy(t, name)
		free := freePages(t, good)
		for n := 2; n < len(good)/page; n++ {
			head := good[n*page:]
			if native.Uint64(head) != uint64(n) || native.Uint16(head[8:]) != 2 || native.Uint16(head[10:]) == 0 || free[n] {
				continue
			}
			for what, change := range map[string]func(head []byte){
				"one less": func(head []byte) { native.PutUint16(head[10:], native.Uint16(head[10:])-1) },
				"none":     func(head []byte) { native.PutUint16(head[10:], 0) },
				"moved":    func(head []byte) { native.PutUint32(head[20:], native.Uint32(head[20:])+1) },
				"longer":   func(head []byte) { native.PutUint32(head[28:], native.Uint32(head[28:])+1) },
				"a bucket": func(head []byte) { head[16] ^= 1 },
				"spread":   func(head []byte) { head[12]++ },
				"key":      func(head []byte) { head[16+native.Uint32(head[20:])] ^= 0x80 },
			} {
				data := bytes.Clone(good)
				change(data[n*page:])
				_, checked, dumped := examine(t, data)
				if checked == nil || dumped == nil {
					t.Errorf("%s, page %d, %s: check says %v, dump %v", name, n, what, checked, dumped)
				}
			}
		}
	}
}

// freePages are those that the list of free pages names.
func freePages(t *testing.T, data []byte) map[int]bool {
	t.Helper()
	native := binary.NativeEndian
	meta := data[:page]
	if native.Uint64(data[page+64:]) > native.Uint64(meta[64:]) {
		meta = data[page : 2*page]
	}
	list := data[native.Uint64(meta[48:])*page:]
	free := make(map[int]bool)
	for i := range int(native.Uint16(list[10:])) {
		free[int(native.Uint64(list[16+8*i:]))] = true
	}
	for i := int(native.Uint64(meta[56:])); i < len(data)/page; i++ {
		free[i] = true // not in use yet
	}
	return free
}
