package store

import (
	"encoding/binary"
	"errors"
	"os"
	"runtime"
	"testing"

	"github.com/polya-classifier/polya/internal/raced"
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/stored"
)

// A value that is said to have a gigabyte, on a page that a training or a forgetting
// writes anew, is reported and no room made for it.
func TestSizesOfLeaves(t *testing.T) {
	raced.Skip(t)
	shortTails(t)
	fast(t)
	h := newTestFile(t, count.LedgerFull, 400, nil, nil)
	deep := h.pages["log leaf"][0]
	var gone *logged
	list, merged := h.Logged(t)
	for i := range list {
		if l := &list[i]; l.page == deep && l.rec.Op == stored.OpTrain && l.rec.Seq < merged && h.docs[l.rec.Doc.ID].Class == l.class {
			gone = l
		}
	}
	if gone == nil {
		t.Fatal("no document of the first leaf of the log is left")
	}
	for _, kind := range []string{"log leaf", "ledger leaf", "meta leaf", "total leaf"} {
		if len(h.pages[kind]) == 0 {
			continue // it lies in its bucket
		}
		at := h.pages[kind][0]*4096 + 16 + 12 // the value size of the first element
		data := append([]byte(nil), h.bytes...)
		size := binary.NativeEndian.Uint32(data[at:])
		binary.NativeEndian.PutUint32(data[at:], size|1<<30)
		h.write(t, data)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := forgetting(t, h.path, gone.rec.Doc.ID)
		runtime.ReadMemStats(&after)
		var damaged *CorruptError
		if !errors.As(err, &damaged) {
			t.Errorf("%s: %v", kind, err)
		}
		if took := after.TotalAlloc - before.TotalAlloc; took > 64<<20 {
			t.Errorf("%s: it took %d MB", kind, took>>20)
		}
	}
}

// forgetting forgets a document, and learns others.
func forgetting(t *testing.T, path string, id count.DocID) error {
	db, err := Open(path, tuned(t, Options{}))
	if err != nil {
		return err
	}
	defer db.Close()
	var d Delta
	d.Forget(id)
	if _, err := db.Apply(&d); err != nil {
		return err
	}
	for i := range 40 { // rounds of merging, which write the ledger and the log
		var d Delta
		if err := d.Add(sample(10_000+i, "ham")); err != nil {
			return err
		}
		if _, err := db.Apply(&d); err != nil {
			return err
		}
	}
	return nil
}

// A training that enters documents in the ledger that were learned before looks at their leaves first: one
// may have been damaged since.
func TestLeavesOfTheTail(t *testing.T) {
	raced.Skip(t)
	shortTails(t)
	fast(t)
	h := newTestFile(t, count.LedgerFull, 400, nil, nil)
	h.view(t, func(db *DB) {
		if err := db.Compact(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
	native := binary.NativeEndian
	read := func() (leaf []byte) { // opening the file looks at the first leaf
		var err error
		if h.bytes, err = os.ReadFile(h.path); err != nil {
			t.Fatal(err)
		}
		h.find(t)
		return h.bytes[h.pages["ledger leaf"][1]*4096:]
	}
	leaf := read()
	late := count.DocID(leaf[16+native.Uint32(leaf[16+4:]):]) // the first of the leaf
	train := func(id count.DocID, n int) error {
		db, err := Open(h.path, tuned(t, Options{}))
		if err != nil {
			return err
		}
		defer db.Close()
		doc := sample(10_000+n, "ham")
		doc.ID = id
		doc.ID[15] = byte(n)
		var d Delta
		if err := d.Add(doc); err != nil {
			return err
		}
		_, err = db.Apply(&d)
		return err
	}
	late[14]++
	if err := errors.Join(train(late, 1), train(late, 2)); err != nil { // they stay in the tail
		t.Fatal(err)
	}
	size := read()[16+12:]
	native.PutUint32(size, native.Uint32(size)|1<<30)
	h.write(t, h.bytes)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var err error
	for n := 3; n < 40 && err == nil; n++ {
		err = train(count.DocID{255}, n)
	}
	runtime.ReadMemStats(&after)
	if damaged := new(CorruptError); !errors.As(err, &damaged) {
		t.Errorf("a round of merging has ended over a damaged leaf: %v", err)
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > 256<<20 {
		t.Errorf("it took %d MB", took>>20)
	}
}
