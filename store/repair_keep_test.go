package store

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	bolt "go.etcd.io/bbolt"

	"github.com/polya-classifier/polya/internal/raced"
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/stored"
)

// TestRepairDigest leaves a file as it is whose ledger does not keep the counts.
func TestRepairDigest(t *testing.T) {
	t.Parallel()
	shortTails(t)
	fast(t)
	for _, mode := range []count.Ledger{count.LedgerDigest, count.LedgerNone} {
		h := newTestFile(t, mode, 60, nil, nil)
		h.zero(t, h.pages["table leaf"][0])
		if _, err := h.repair(t); !errors.Is(err, ErrNotRepaired) || !strings.Contains(err.Error(), "whose counts the ledger keeps") {
			t.Errorf("%s: %v", mode, err)
		}
	}
}

// TestRepairMixed zeroes tables of a file whose ledger keeps the counts of some documents,
// digests of others, and nothing of the rest: the first are there again, and the others are
// said to be lost.
func TestRepairMixed(t *testing.T) {
	raced.Skip(t)
	t.Parallel()
	shortTails(t)
	fast(t)
	h := newTestFile(t, count.LedgerFull, 120, func(db *DB) {
		for i := range 40 {
			d := Delta{Keep: count.LedgerDigest + count.Ledger(i%2)}
			must(t, d.Add(sample(1000+i, "ham")))
			_, err := db.Apply(&d)
			must(t, err)
		}
	}, nil)
	want := h.without(t, func(count.DocID) bool { return false })
	for _, id := range h.pages["table leaf"] {
		h.zero(t, id)
		out := h.mustRepair(t, "20 documents of which the ledger keeps only a digest", "20 documents of which nothing is left in the ledger")
		mustEqualText(t, h.dumped(t), want)
		if len(out.Missing) != 20 || out.Documents != uint64(len(h.docs)) {
			t.Errorf("%d documents missing, %d there", len(out.Missing), out.Documents)
		}
	}
}

// TestRepairValues changes a byte of one value of a bucket.
func TestRepairValues(t *testing.T) {
	raced.Skip(t)
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
		bucket, key []byte
		refused     string // why, "" if it is repaired
	}{
		{stored.BucketMeta, stored.KeyHeader, ""},
		{stored.BucketMeta, stored.KeyAnalyzer, "its analyzer is lost"},
		{stored.BucketMeta, stored.KeyCorpus, ""},
		{stored.BucketTotal, stored.ClassKey(2), ""},
	} {
		h := newTestFile(t, count.LedgerFull, 60, nil, nil)
		change(h, test.bucket, test.key)
		_, err := h.repair(t)
		switch {
		case test.refused == "" && err != nil:
			t.Errorf("%s %q: %v", test.bucket, test.key, err)
		case test.refused != "" && (!errors.Is(err, ErrNotRepaired) || !strings.Contains(err.Error(), test.refused)):
			t.Errorf("%s %q: %v, want %s", test.bucket, test.key, err, test.refused)
		case err == nil:
			mustEqualText(t, h.dumped(t), h.dump)
		}
	}
	h := newTestFile(t, count.LedgerFull, 60, nil, nil)
	change(h, stored.BucketClass, stored.ClassKey(2))
	h.mustRepair(t, `the name of class 2; it is called "class 2" now`)
}
