package store

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	bolt "go.etcd.io/bbolt"

	"github.com/polya-classifier/polya/internal/raced"
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/stored"
)

// testFile is a database to damage: what it has learned, and where what lies.
type testFile struct {
	path  string
	bytes []byte // of the sound file
	dump  string // of the sound file, with its ledger
	docs  map[count.DocID]count.Document
	gone  map[count.DocID]bool // learned and forgotten

	pages map[string][]int // by kind: "log leaf", "log branch", "root", "free", …
}

// newTestFile makes a database of n documents in three classes, of which some were
// moved, and some were forgotten, the last ones only in the log.
func newTestFile(t testing.TB, mode count.Ledger, n int, change func(db *DB), document func(i int, class string) count.Document) *testFile {
	t.Helper()
	if document == nil {
		document = sample
	}
	h := &testFile{path: filepath.Join(t.TempDir(), "test.polya"), docs: make(map[count.DocID]count.Document), gone: make(map[count.DocID]bool)}
	db, err := Open(h.path, tuned(t, Options{Ledger: mode, Analyzer: "words v1"}))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for i := 0; i < n; i++ {
		doc := document(i, []string{"ham", "spam", "news"}[i%3])
		add(t, db, doc)
		h.docs[doc.ID] = doc
		if change != nil && i == n/2 {
			change(db)
		}
		var d Delta
		switch old := document(i-3, []string{"ham", "spam", "news"}[i%3]); {
		case i < 3 || h.docs[old.ID].Class != old.Class:
			continue
		case i%7 == 0:
			_ = d.Take(old)
			delete(h.docs, old.ID)
			h.gone[old.ID] = true
		case i%11 == 0 && old.Class != "ham" && mode != count.LedgerNone:
			old.Class = "ham"
			_ = d.Move(old)
			h.docs[old.ID] = old
		default:
			continue
		}
		if _, err := db.Apply(&d); err != nil {
			t.Fatal(err)
		}
	}
	h.dump = dumpOf(t, db, true)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if h.bytes, err = os.ReadFile(h.path); err != nil {
		t.Fatal(err)
	}
	h.find(t)
	return h
}

// find asks bbolt which page is what.
func (h *testFile) find(t testing.TB) {
	t.Helper()
	b, err := bolt.Open(h.path, 0o600, &bolt.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	h.pages = map[string][]int{"meta": {0, 1}}
	err = b.View(func(tx *bolt.Tx) error {
		root := int(binary.NativeEndian.Uint64(h.bytes[(tx.ID()%2)*4096+32:]))
		h.pages["root"] = []int{root}
		h.pages["free"] = []int{int(binary.NativeEndian.Uint64(h.bytes[(tx.ID()%2)*4096+48:]))}
		for _, name := range slices.Concat(stored.Buckets, stored.AttributeBuckets) {
			if b := tx.Bucket(name); b != nil && b.Root() != 0 {
				h.below(string(name), int(b.Root()))
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func (h *testFile) below(name string, id int) {
	page := h.bytes[id*4096:]
	native := binary.NativeEndian
	if native.Uint16(page[8:]) == 2 {
		h.pages[name+" leaf"] = append(h.pages[name+" leaf"], id)
		return
	}
	h.pages[name+" branch"] = append(h.pages[name+" branch"], id)
	for i := range int(native.Uint16(page[10:])) {
		h.below(name, int(native.Uint64(page[16+16*i+8:])))
	}
}

// zero writes the file with these pages zeroed.
func (h *testFile) zero(t testing.TB, pages ...int) {
	t.Helper()
	data := bytes.Clone(h.bytes)
	for _, id := range pages {
		clear(data[id*4096 : (id+1)*4096])
	}
	h.write(t, data)
}

func (h *testFile) write(t testing.TB, data []byte) {
	t.Helper()
	for _, aside := range h.aside(t) {
		os.Remove(aside)
	}
	if err := os.WriteFile(h.path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// aside are the files beside the database.
func (h *testFile) aside(t testing.TB) []string {
	t.Helper()
	list, err := filepath.Glob(h.path + ".*")
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// repair repairs the file, which must be sound then, and the damaged one must lie
// beside it, or it must be as it was.
func (h *testFile) repair(t testing.TB) (Repaired, error) {
	t.Helper()
	before, err := os.ReadFile(h.path)
	if err != nil {
		t.Fatal(err)
	}
	out, err := Repair(context.Background(), h.path, tuned(t, Options{}))
	after, err2 := os.ReadFile(h.path)
	if err2 != nil {
		t.Fatal(err2)
	}
	if err != nil || out.Damaged == "" {
		if !bytes.Equal(before, after) || len(h.aside(t)) > 0 {
			t.Fatalf("%v, but the file is another, or %v lie beside it", err, h.aside(t))
		}
		return out, err
	}
	if kept, err := os.ReadFile(out.Damaged); err != nil || !bytes.Equal(kept, before) || len(h.aside(t)) != 1 {
		t.Fatalf("the damaged file is not %s, or there are others: %v, %v", out.Damaged, h.aside(t), err)
	}
	h.view(t, func(db *DB) { mustCheck(t, db) })
	return out, nil
}

func (h *testFile) view(t testing.TB, f func(db *DB)) {
	t.Helper()
	db, err := Open(h.path, tuned(t, Options{MustExist: true}))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	f(db)
}

func (h *testFile) dumped(t testing.TB) (text string) {
	t.Helper()
	h.view(t, func(db *DB) { text = dumpOf(t, db, true) })
	return text
}

// without is the dump of a new database that has learned the documents but for
// those for which lost says yes.
func (h *testFile) without(t testing.TB, lost func(id count.DocID) bool) string {
	t.Helper()
	db, err := Open(filepath.Join(t.TempDir(), "fresh.polya"), tuned(t, Options{Analyzer: "words v1"}))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for id, doc := range h.docs {
		if !lost(id) {
			add(t, db, doc)
		}
	}
	return dumpOf(t, db, true)
}

// mustRepair repairs what must lose nothing but what lost names.
func (h *testFile) mustRepair(t testing.TB, lost ...string) Repaired {
	t.Helper()
	out, err := h.repair(t)
	if err != nil {
		t.Fatal(err)
	}
	if len(out.Lost) != len(lost) || out.Damaged == "" {
		t.Fatalf("lost %q, want %q", out.Lost, lost)
	}
	for i, want := range lost {
		if !strings.Contains(out.Lost[i], want) {
			t.Errorf("lost %q, want %q", out.Lost[i], want)
		}
	}
	return out
}

// TestRepairSound leaves a sound file alone.
func TestRepairSound(t *testing.T) {
	t.Parallel()
	shortTails(t)
	fast(t)
	h := newTestFile(t, count.LedgerFull, 50, nil, nil)
	out, err := h.repair(t)
	if err != nil || out.Damaged != "" {
		t.Fatalf("%+v, %v", out, err)
	}
}

// TestRepairTables zeroes each page that a full ledger does not need: nothing is
// lost.
func TestRepairTables(t *testing.T) {
	raced.Skip(t)
	t.Parallel()
	shortTails(t)
	fast(t)
	for name, h := range map[string]*testFile{
		"plain":      newTestFile(t, count.LedgerFull, 150, nil, nil),
		"pruned":     newTestFile(t, count.LedgerFull, 150, func(db *DB) { mustPrune(t, db, everyThird(3, 1)) }, nil),
		"attributes": newTestFile(t, count.LedgerFull, 150, nil, withFour),
	} {
		t.Run(name, func(t *testing.T) {
			tried := 0
			for kind, pages := range h.pages {
				if kind == "meta" || kind == "root" || strings.HasPrefix(kind, "log") {
					continue
				}
				for i, id := range pages {
					if testing.Short() && i%4 > 0 {
						continue
					}
					tried++
					h.zero(t, id)
					h.mustRepair(t)
					mustEqualText(t, h.dumped(t), h.dump)
				}
			}
			if tried < 10 && !testing.Short() || len(h.pages["table branch"]) == 0 || len(h.pages["ledger leaf"]) == 0 {
				t.Fatalf("%d pages, of %v", tried, h.pages)
			}
		})
	}
}

// TestRepairGrows repairs a file that is larger than what was mapped of it at first, so that the
// transaction in which its documents are learned is run again.
func TestRepairGrows(t *testing.T) {
	t.Parallel()
	fast(t)
	tune(t).MapSpace = 0
	h := newTestFile(t, count.LedgerFull, 600, nil, nil)
	h.zero(t, h.pages["table leaf"]...)
	if out := h.mustRepair(t); out.Documents != uint64(len(h.docs)) {
		t.Errorf("%d documents of %d", out.Documents, len(h.docs))
	}
	mustEqualText(t, h.dumped(t), h.dump)
}

// TestRepairHeaders flips bytes in each page that the tree has. A header, which says nothing that its
// elements do not say, costs nothing, unless it has the number of another page then, which might have
// been written over this one. Another byte of the log costs a document, or the news of one.
func TestRepairHeaders(t *testing.T) {
	raced.Skip(t)
	t.Parallel()
	fast(t)
	h := newTestFile(t, count.LedgerFull, 43, nil, func(i int, class string) count.Document {
		doc := sample(i, class)
		for k := range i % 20 / 19 * 1200 { // more than fit in a page
			doc.Terms = append(doc.Terms, count.TermCount{Term: fmt.Appendf(nil, "own%dof%d", k*7919, i*31), N: 1})
		}
		return doc
	})
	flip := func(at int) (documents, losses int) {
		t.Helper()
		data := bytes.Clone(h.bytes)
		data[at] ^= 0xff
		h.write(t, data)
		out, err := h.repair(t)
		if err != nil {
			t.Fatalf("byte %d of page %d: %v", at%4096, at/4096, err)
		}
		if out.Damaged == "" {
			return len(h.docs), 0 // nothing needs that byte
		}
		return int(out.Documents), len(out.Lost)
	}
	step := 1
	if testing.Short() {
		step = 8 // another two bytes of each page
	}
	for kind, pages := range h.pages {
		if kind == "meta" || kind == "free" {
			continue
		}
		for i, id := range pages {
			for at := i % step; at < 16; at += step {
				if n, losses := flip(id*4096 + at); n != len(h.docs) || losses > 0 {
					t.Errorf("%s, page %d, byte %d: %d of %d documents, %d losses", kind, id, at, n, len(h.docs), losses)
				}
			}
		}
	}
	for _, id := range h.pages["log leaf"] {
		for at := 16; at < 4096; at += 389 {
			if n, losses := flip(id*4096 + at); n < len(h.docs)-1 || n < len(h.docs) && losses == 0 {
				t.Errorf("log, page %d, byte %d: %d of %d documents, %d losses", id, at, n, len(h.docs), losses)
			}
		}
	}
}

// withFour is sample with attributes of each kind, many enough to fill pages.
func withFour(i int, class string) count.Document {
	doc := sample(i, class)
	doc.Attributes = []count.Attribute{categoryOf(fmt.Sprintf("category %040d", i%90)), realOf(float64(i) / 7), uniformOf(float64(i % 100)), yesNoOf(float64(i % 2))}
	return doc
}

// TestRepairBranches zeroes pages that only lead to others: those are found, as
// long as the list of free pages says which they are.
func TestRepairBranches(t *testing.T) {
	raced.Skip(t)
	t.Parallel()
	shortTails(t)
	fast(t)
	h := newTestFile(t, count.LedgerFull, 400, nil, nil)
	if len(h.pages["log branch"]) == 0 || len(h.pages["root"]) == 0 {
		t.Fatalf("no such pages: %v", h.pages)
	}
	h.zero(t, h.pages["log branch"]...)
	h.mustRepair(t)
	mustEqualText(t, h.dumped(t), h.dump)

	h.zero(t, slices.Concat(h.pages["log branch"], h.pages["table branch"], h.pages["ledger branch"])...)
	h.mustRepair(t)
	mustEqualText(t, h.dumped(t), h.dump)

	h.zero(t, h.pages["log branch"][0], h.pages["free"][0])
	if _, err := h.repair(t); err == nil {
		text := h.dumped(t)
		for id := range h.gone {
			if strings.Contains(text, id.String()) {
				t.Errorf("document %s, which was forgotten, is back", id)
			}
		}
	}
}

// TestRepairStale forgets documents in one go, whose records then stand on free pages
// alone: they are not taken for lost ones.
func TestRepairStale(t *testing.T) {
	t.Parallel()
	shortTails(t)
	fast(t)
	h := newTestFile(t, count.LedgerFull, 200, nil, nil)
	h.view(t, func(db *DB) {
		var d Delta
		for id := range h.docs {
			if d.Len() < 2*tune(t).manySteps {
				d.Forget(id)
				delete(h.docs, id)
				h.gone[id] = true
			}
		}
		_, err := db.Apply(&d)
		if err == nil {
			h.bytes, err = os.ReadFile(h.path) // closing it may cut what is free
		}
		if err != nil {
			t.Fatal(err)
		}
	})
	h.write(t, h.bytes)
	h.find(t)
	stale := 0
	for id := range h.gone {
		if bytes.Contains(h.bytes, id[:]) {
			stale++
		}
	}
	if stale < 10 || len(h.pages["log branch"]) == 0 {
		t.Fatalf("%d forgotten documents are still in the file, with pages %v", stale, h.pages)
	}
	for _, zeroed := range [][]int{h.pages["log branch"], {h.pages["log branch"][0], h.pages["free"][0]}, {h.pages["root"][0], h.pages["free"][0]}, {h.pages["root"][0]}} {
		h.zero(t, zeroed...)
		if _, err := h.repair(t); err != nil {
			if !errors.Is(err, ErrNotRepaired) {
				t.Error(err)
			}
			continue
		}
		text := h.dumped(t)
		for id := range h.gone {
			if strings.Contains(text, id.String()) {
				t.Fatalf("pages %v: document %s, which was forgotten, is back", zeroed, id)
			}
		}
	}
}

// TestRepairRoot zeroes the page that leads to all buckets and holds the small ones.
func TestRepairRoot(t *testing.T) {
	t.Parallel()
	shortTails(t)
	fast(t)
	h := newTestFile(t, count.LedgerFull, 150, nil, nil)
	h.zero(t, h.pages["root"]...)
	out, err := Repair(context.Background(), h.path, tuned(t, Options{Analyzer: "words v1"}))
	if err != nil || len(out.Missing) > 0 || out.Documents != uint64(len(h.docs)) {
		t.Fatalf("%+v of %d documents, %v", out, len(h.docs), err)
	}
	h.view(t, func(db *DB) { mustCheck(t, db) })

	if len(out.Lost) == 0 {
		t.Error("that the end of the log is not known is not said")
	}
}

// TestRepairMeta damages one of the two pages at the start of the file that say where all
// others are, or both, when no newest state is known.
func TestRepairMeta(t *testing.T) {
	raced.Skip(t)
	t.Parallel()
	shortTails(t)
	fast(t)
	for n := 60; n < 70; n++ {
		h := newTestFile(t, count.LedgerFull, n, nil, nil)
		newer := 0
		if tx := func(id int) uint64 { return binary.NativeEndian.Uint64(h.bytes[id*4096+64:]) }; tx(1) > tx(0) {
			newer = 1
		}
		h.zero(t, 1-newer)
		h.mustRepair(t, "perhaps the last change")
		mustEqualText(t, h.dumped(t), h.dump)

		data := bytes.Clone(h.bytes) // all but the checksum is left
		data[(1-newer)*4096+73] ^= 1
		h.write(t, data)
		h.mustRepair(t)
		mustEqualText(t, h.dumped(t), h.dump)

		data = bytes.Clone(h.bytes)
		data[73] ^= 1
		data[4096+73] ^= 1
		h.write(t, data)
		if _, err := h.repair(t); !errors.Is(err, ErrNotRepaired) {
			t.Errorf("both damaged: %v", err)
		}
	}
}

// logged says of each record of the sound file on which page it lies.
type logged struct {
	rec   stored.Record
	class string
	page  int
}

func (h *testFile) Logged(t testing.TB) (list []logged, merged uint64) {
	t.Helper()
	h.write(t, h.bytes)
	h.view(t, func(db *DB) {
		_ = db.View(func(s *Snapshot) error {
			base, _ := s.tx.Corpus()
			merged = base.Merged
			c := s.tx.Bucket(stored.BucketLog).Cursor()
			for k, v := c.First(); k != nil; k, v = c.Next() {
				rec, err := stored.DecodeRecord(bytes.Clone(k), bytes.Clone(v))
				if err != nil {
					t.Fatal(err)
				}
				list = append(list, logged{rec: rec, class: s.className(rec.Class)})
				for _, id := range h.pages["log leaf"] {
					if bytes.Contains(h.bytes[id*4096:id*4096+4096], append(bytes.Clone(k), v[:20]...)) {
						list[len(list)-1].page = id
					}
				}
				if list[len(list)-1].page == 0 {
					t.Fatalf("record %d lies nowhere", rec.Seq)
				}
			}
			return nil
		})
	})
	return list, merged
}

// TestRepairLost zeroes pages of the log: the documents are those of a database
// that has learned all others.
func TestRepairLost(t *testing.T) {
	raced.Skip(t)
	t.Parallel()
	shortTails(t)
	fast(t)
	h := newTestFile(t, count.LedgerFull, 400, nil, nil)
	list, merged := h.Logged(t)
	pages, step := h.pages["log leaf"], 1
	if testing.Short() {
		step = 4
	}
	for i := 0; i < len(pages); i += step {
		zeroed := []int{pages[i], pages[(i+i%3)%len(pages)]}
		want := make(map[count.DocID]count.Document)
		missing, tail := make(map[count.DocID]bool), 0
		for _, r := range list {
			switch lost := slices.Contains(zeroed, r.page); {
			case lost && r.rec.Seq > merged:
				tail++
			case lost:
				missing[r.rec.Doc.ID] = true
			case r.rec.Op == stored.OpUntrain:
				delete(want, r.rec.Doc.ID)
				delete(missing, r.rec.Doc.ID)
			default:
				delete(missing, r.rec.Doc.ID)
				want[r.rec.Doc.ID] = r.rec.Doc.Decode(r.class)
			}
		}
		h.zero(t, zeroed...)
		out, err := h.repair(t)
		if err != nil {
			t.Fatal(err)
		}
		if len(out.Missing) != len(missing) {
			t.Errorf("%d documents are missing, want %d", len(out.Missing), len(missing))
		}
		for _, id := range out.Missing {
			if !missing[id] {
				t.Errorf("document %s is not missing", id)
			}
		}
		if told := strings.Contains(strings.Join(out.Lost, "\n"), "not yet in the tables"); told != (tail > 0) {
			t.Errorf("%d records of the tail are lost: %q", tail, out.Lost)
		}
		truth := testFile{docs: want}
		mustEqualText(t, h.dumped(t), truth.without(t, func(count.DocID) bool { return false }))
	}
}

// TestRepairWithoutLog zeroes all of the log: no document can be learned again.
func TestRepairWithoutLog(t *testing.T) {
	t.Parallel()
	shortTails(t)
	fast(t)
	h := newTestFile(t, count.LedgerFull, 150, nil, nil)
	h.zero(t, h.pages["log leaf"]...)
	if _, err := h.repair(t); !errors.Is(err, ErrNotRepaired) {
		t.Error(err)
	}
}

// TestRepairUncounted loses documents with their ledger entries, and the totals that would tell how
// many: that some may be lost is said.
func TestRepairUncounted(t *testing.T) {
	t.Parallel()
	shortTails(t)
	fast(t)
	h := newTestFile(t, count.LedgerFull, 140, nil, nil)
	var pair []byte
	h.view(t, func(db *DB) {
		_ = db.file.View(func(tx *bolt.Tx) error {
			pair = append(stored.ClassKey(2), tx.Bucket(stored.BucketTotal).Get(stored.ClassKey(2))...)
			return nil
		})
	})
	broken := bytes.Clone(pair)
	broken[len(broken)/2] ^= 4
	data := bytes.ReplaceAll(h.bytes, pair, broken)
	for _, id := range []int{h.pages["log leaf"][0], h.pages["ledger leaf"][0]} {
		clear(data[id*4096:][:4096])
	}
	h.write(t, data)
	out, err := h.repair(t)
	if err != nil || out.Documents == uint64(len(h.docs)) {
		t.Fatalf("%d of %d documents, %v", out.Documents, len(h.docs), err)
	}
	if !strings.Contains(strings.Join(out.Lost, "\n"), "perhaps documents of which nothing is left") {
		t.Errorf("lost %q", out.Lost)
	}
}
