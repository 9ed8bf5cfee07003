package store

import (
	"testing"

	"github.com/polya-classifier/polya/store/count"
)

// TestVersion2Attributes is TestVersion2 for a database whose documents have
// attributes:
//
//	go test ./store -run TestVersion2Attributes -update
func TestVersion2Attributes(t *testing.T) {
	t.Parallel()
	db := keptDatabase(t, "v2attributes", fillVersion2Attributes, 37, 36)
	// It takes back what it learned, and learns on.
	d := take(t, addAttributes(3, plain(3, "spam")), addAttributes(24, plain(24, "ham")), addAttributes(28, plain(28, "ham")))
	d.Forget(addAttributes(11, plain(11, "")).ID)
	d.Add(addAttributes(1, plain(1, "spam")))
	d.Add(addAttributes(50, plain(50, "new")))
	if _, err := db.Apply(d); err != nil {
		t.Error(err)
	}
}

// fillVersion2Attributes fills a database with attributes of all kinds in
// tables, in the tail of the log, pruned and forgotten, in every ledger mode.
func fillVersion2Attributes(t *testing.T, db *DB) {
	learn := func(keep count.Ledger, from, to int) {
		d := Delta{Keep: keep}
		for i := from; i < to; i++ {
			d.Add(addAttributes(i, plain(i, []string{"ham", "spam"}[i%2])))
		}
		if _, err := db.Apply(&d); err != nil {
			t.Fatal(err)
		}
	}
	learn(count.LedgerFull, 0, 15)
	learn(count.LedgerDigest, 16, 20)
	mustPrune(t, db, everyThird(5, 1))
	learn(count.LedgerFull, 20, 24)
	learn(count.LedgerDigest, 24, 30)
	learn(count.LedgerNone, 30, 31)
	learn(count.LedgerFull, 31, 40)
	if _, err := db.Apply(take(t, addAttributes(0, plain(0, "ham")), addAttributes(33, plain(33, "spam")))); err != nil {
		t.Fatal(err)
	}
}
