package store

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"

	bolt "go.etcd.io/bbolt"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/layout"
	"github.com/polya-classifier/polya/store/internal/stored"
)

// termLines are the rows of a dump, by term.
func termLines(text string) map[string]string {
	lines := make(map[string]string)
	for line := range strings.SplitSeq(text, "\n") {
		if f := strings.SplitN(line, "\t", 3); f[0] == "term" {
			counts := f[2]
			if epoch, rest, ok := strings.Cut(counts, "\t"); ok && strings.HasPrefix(epoch, "@") {
				counts = rest
			}
			lines[f[1]] = counts
		}
	}
	return lines
}

// classLines are the classes of a dump with their lengths.
func classLines(text string) string {
	var out []string
	for line := range strings.SplitSeq(text, "\n") {
		if strings.HasPrefix(line, "class\t") || strings.HasPrefix(line, "lengths\t") {
			out = append(out, line)
		}
	}
	return strings.Join(out, "\n")
}

// mustKeep repairs a file without a full ledger: what is left of the rows is what
// it was, and the classes are.
func (h *testFile) mustKeep(t *testing.T) (out Repaired, left int) {
	t.Helper()
	out, err := h.repair(t)
	if err != nil {
		t.Fatal(err)
	}
	text := h.dumped(t)
	if got, want := classLines(text), classLines(h.dump); got != want {
		t.Errorf("classes\n%s\nwant\n%s", got, want)
	}
	healthy := termLines(h.dump)
	rows := termLines(text)
	for term, counts := range rows {
		if healthy[term] != counts {
			t.Errorf("term %q: %q, want %q", term, counts, healthy[term])
		}
	}
	return out, len(rows)
}

// mustForgetAll takes away every document by its text, those that the ledger knows
// first: nothing must be left. Some may be refused, and then stay.
func (h *testFile) mustForgetAll(t *testing.T) (refused int) {
	t.Helper()
	h.view(t, func(db *DB) {
		for _, untracked := range []bool{false, true} {
			for id, doc := range h.docs {
				known := false
				_ = db.View(func(s *Snapshot) error {
					e, err := s.Entry(id)
					known = e != nil
					return err
				})
				if known == untracked {
					continue
				}
				var d Delta
				_ = d.Take(doc)
				if _, err := db.Apply(&d); errors.Is(err, ErrNoCounts) && untracked {
					refused++
				} else if err != nil {
					t.Errorf("document %s, untracked %v: %v", id, untracked, err)
				} else {
					delete(h.docs, id)
				}
			}
		}
		mustCheck(t, db)
		if text := dumpOf(t, db, true); len(h.docs) == 0 && (strings.Contains(text, "\nterm\t") || strings.Contains(text, "\nclass\t")) {
			t.Errorf("all documents are forgotten, and this is left:\n%.500s", text)
		}
	})
	return refused
}

// TestRepairDigest zeroes pages of a file that keeps digests.
func TestRepairDigest(t *testing.T) {
	t.Parallel()
	shortTails(t)
	fast(t)
	fresh := func() *testFile { return newTestFile(t, count.LedgerDigest, 150, nil, nil) }
	h := fresh()
	all := len(termLines(h.dump))
	for kind, pages := range h.pages {
		for _, id := range pages {
			h.zero(t, id)
			switch {
			case kind == "root" || kind == "meta" || strings.HasPrefix(kind, "log"):
			case strings.HasSuffix(kind, "branch"), kind == "free":
				h.mustRepair(t)
				mustEqualText(t, h.dumped(t), h.dump)
			case kind == "ledger leaf":
				if _, left := h.mustKeep(t); left != all {
					t.Errorf("%s %d: %d terms are left of %d", kind, id, left, all)
				}
			case kind == "table leaf":
				if _, left := h.mustKeep(t); left < all/3 || left == all {
					t.Errorf("%s %d: %d terms are left of %d", kind, id, left, all)
				}
			default:
				t.Errorf("what of %s?", kind)
			}
		}
	}
	h = fresh()
	h.zero(t, h.pages["ledger leaf"][0])
	h.mustKeep(t)
	if refused := h.mustForgetAll(t); refused > 0 {
		t.Errorf("%d documents are refused", refused)
	}
	h = fresh()
	h.zero(t, h.pages["table leaf"][1])
	h.mustKeep(t)
	if refused := h.mustForgetAll(t); refused > 0 {
		t.Errorf("%d documents are refused", refused)
	}
	h = fresh()
	h.zero(t, h.pages["table leaf"][0], h.pages["ledger leaf"][0])
	h.mustKeep(t)
	h.mustForgetAll(t)
}

// TestRepairDigestLog zeroes pages of the log of a file that keeps digests: either
// it says which record it needs, or what it makes is sound.
func TestRepairDigestLog(t *testing.T) {
	skipRaced(t)
	t.Parallel()
	shortTails(t)
	fast(t)
	tune(t).minTail = 80
	for _, mode := range []count.Ledger{count.LedgerDigest, count.LedgerNone} {
		refused, made := 0, 0
		for n := 100; n < 200; n += 7 {
			h := newTestFile(t, mode, n, nil, nil)
			for _, id := range h.pages["log leaf"] {
				h.zero(t, id)
				out, err := h.repair(t)
				switch {
				case err == nil:
					made++
					if !strings.Contains(strings.Join(out.Lost, "\n"), "not yet in the tables") {
						t.Errorf("lost %q", out.Lost)
					}
				case errors.Is(err, ErrNotRepaired):
					refused++
					t.Log(err)
				default:
					t.Error(err)
				}
			}
		}
		if t.Logf("%s: %d made, %d refused", mode, made, refused); made == 0 {
			t.Error("none is made")
		}
	}
}

// TestRepairDigestTail zeroes records that neither the totals nor all tables have:
// classes and rows are those of the documents that the records before leave.
func TestRepairDigestTail(t *testing.T) {
	t.Parallel()
	shortTails(t)
	fast(t)
	tune(t).minTail = 80
	tried, dropped := 0, 0
	enough := func() bool { return tried >= 5 && dropped > 0 && dropped < tried }
	for n := 100; n < 200 || n < 400 && !enough(); n += 9 { // where pages end differs by the file's key
		h := newTestFile(t, count.LedgerDigest, n, nil, nil)
		list, _ := h.Logged(t)
		seq := uint64(0)
		h.view(t, func(db *DB) {
			_ = db.file.View(func(tx *bolt.Tx) error {
				c, err := layout.Tx{Tx: tx}.Corpus()
				seq = c.Seq
				return err
			})
		})
		for _, id := range h.pages["log leaf"] {
			first := uint64(math.MaxUint64)
			for _, r := range list {
				if r.page == id {
					first = min(first, r.rec.Seq)
				}
			}
			if first <= seq {
				continue
			}
			tried++
			truth := testFile{docs: make(map[count.DocID]count.Document)}
			for i, doc := range h.history {
				_, known := truth.docs[doc.ID]
				switch {
				case uint64(i+1) >= first:
				case doc.Class == "":
					delete(truth.docs, doc.ID)
				case !known:
					truth.docs[doc.ID] = doc
				}
			}
			h.zero(t, id)
			if _, err := h.repair(t); err != nil {
				t.Fatal(err)
			}
			text, want := h.dumped(t), truth.without(t, func(count.DocID) bool { return false })
			if got, want := classLines(text), classLines(want); got != want {
				t.Errorf("classes\n%s\nwant\n%s", got, want)
			}
			rows, wanted := termLines(text), termLines(want)
			if len(rows) < len(wanted) {
				dropped++
			}
			for term, counts := range rows {
				if wanted[term] != counts {
					t.Fatalf("term %q: %q, want %q", term, counts, wanted[term])
				}
			}
		}
	}
	if !enough() {
		t.Errorf("%d tried, %d lost rows", tried, dropped)
	}
}

// TestRepairMixed zeroes tables of a file whose ledger keeps the counts of some
// documents, digests of others, and nothing of the rest.
func TestRepairMixed(t *testing.T) {
	t.Parallel()
	shortTails(t)
	fast(t)
	mixed := func(pruned bool) *testFile {
		return newTestFile(t, count.LedgerFull, 120, func(db *DB) {
			for i := range 40 {
				doc := sample(1000+i, "ham")
				d := Delta{Keep: count.LedgerDigest + count.Ledger(i%2)}
				_ = d.Add(doc)
				if _, err := db.Apply(&d); err != nil {
					t.Fatal(err)
				}
			}
			if pruned {
				mustPrune(t, db, everyThird(3, 1))
			}
		}, nil)
	}
	for _, pruned := range []bool{false, true} {
		h := mixed(pruned)
		for _, id := range h.pages["table leaf"] {
			h.zero(t, id)
			h.mustKeep(t)
		}
		for i := range 40 {
			doc := sample(1000+i, "ham")
			h.docs[doc.ID] = doc
		}
		if refused := h.mustForgetAll(t); refused > 20 {
			t.Errorf("%d documents are refused", refused)
		}
	}
}

// TestRepairValues changes a byte of one value of a bucket.
func TestRepairValues(t *testing.T) {
	t.Parallel()
	shortTails(t)
	fast(t)
	change := func(h *testFile, bucket, key []byte) {
		value := []byte(nil)
		h.write(t, h.bytes)
		h.view(t, func(db *DB) {
			_ = db.file.View(func(tx *bolt.Tx) error { value = bytes.Clone(tx.Bucket(bucket).Get(key)); return nil })
		})
		data := bytes.Clone(h.bytes)
		root := data[h.pages["root"][0]*4096:][:4096]
		at := bytes.Index(root, append(bytes.Clone(key), value...))
		if len(value) == 0 || at < 0 {
			t.Fatalf("%s %q is not there", bucket, key)
		}
		root[at+len(key)+len(value)/2] ^= 4
		h.write(t, data)
	}
	for _, test := range []struct {
		bucket, key  []byte
		full, digest string // why a database with such a ledger is refused, "" if it is repaired
	}{
		{stored.BucketMeta, stored.KeyHeader, "", "the header, with the key of all hashes, is lost"},
		{stored.BucketMeta, stored.KeyAnalyzer, "its analyzer is lost", "its analyzer is lost"},
		{stored.BucketMeta, stored.KeyCorpus, "", "the corpus totals are lost"},
		{stored.BucketTotal, stored.ClassKey(2), "", "the totals of class \"spam\" are lost"},
	} {
		for ledger, refused := range map[count.Ledger]string{count.LedgerFull: test.full, count.LedgerDigest: test.digest} {
			h := newTestFile(t, ledger, 60, nil, nil)
			change(h, test.bucket, test.key)
			_, err := h.repair(t)
			switch {
			case refused == "" && err != nil:
				t.Errorf("%s %q, %s: %v", test.bucket, test.key, ledger, err)
			case refused != "" && (!errors.Is(err, ErrNotRepaired) || !strings.Contains(err.Error(), refused)):
				t.Errorf("%s %q, %s: %v, want %s", test.bucket, test.key, ledger, err, refused)
			case err == nil:
				mustEqualText(t, h.dumped(t), h.dump)
			}
		}
	}
	for _, ledger := range []count.Ledger{count.LedgerFull, count.LedgerDigest} {
		h := newTestFile(t, ledger, 60, nil, nil)
		change(h, stored.BucketClass, stored.ClassKey(2))
		h.mustRepair(t, `the name of class 2; it is called "class 2" now`)
	}
}

// TestRepairAttributes zeroes pages of attributes that no ledger can give again.
func TestRepairAttributes(t *testing.T) {
	t.Parallel()
	shortTails(t)
	fast(t)
	h := newTestFile(t, count.LedgerDigest, 150, nil, withFour)
	for _, id := range h.pages["value leaf"] {
		h.zero(t, id)
		out, _ := h.mustKeep(t)
		if !strings.Contains(strings.Join(out.Lost, "\n"), "what was counted of attribute") {
			t.Errorf("lost %q", out.Lost)
		}
	}
	if len(h.pages["value leaf"]) < 2 {
		t.Errorf("no values: %v", h.pages)
	}
}
