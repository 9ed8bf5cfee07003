package store

import (
	"testing"

	"github.com/polya-classifier/polya/store/count"
)

// TestVersion2Pruned is TestVersion2 for a database of which terms have been
// dropped:
//
//	go test ./store -run TestVersion2Pruned -update
func TestVersion2Pruned(t *testing.T) {
	t.Parallel()
	db := keptDatabase(t, "v2pruned", fillVersion2Pruned, 30, 29)
	// It takes back what it learned before and after.
	var d Delta
	for _, i := range []int{3, 4, 12, 13, 22, 25} {
		d.Take(plain(i, "ham"))
	}
	if _, err := db.Apply(&d); err != nil {
		t.Error(err)
	}
}

// fillVersion2Pruned fills a database with documents of every ledger mode from
// before and after a prune.
func fillVersion2Pruned(t *testing.T, db *DB) {
	learn := func(keep count.Ledger, from, to int) {
		d := Delta{Keep: keep}
		for i := from; i < to; i++ {
			d.Add(plain(i, "ham"))
		}
		if _, err := db.Apply(&d); err != nil {
			t.Fatal(err)
		}
	}
	learn(count.LedgerFull, 0, 10)
	learn(count.LedgerDigest, 10, 19)
	learn(count.LedgerNone, 19, 20)
	mustPrune(t, db, everyThird(3, 1))
	learn(count.LedgerFull, 20, 24)
	learn(count.LedgerDigest, 24, 28)
	learn(count.LedgerFull, 28, 30)
}
