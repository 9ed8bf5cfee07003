package store

import (
	"context"
	"os"
	"path/filepath"
	"testing"
)

// TestVersion1Pruned is TestVersion1 for a database of which terms have been
// dropped:
//
//	go test ./store -run TestVersion1Pruned -update
func TestVersion1Pruned(t *testing.T) {
	db := keptDatabase(t, "v1pruned", writeVersion1Pruned, 30, 29)
	// It takes back what it learned before and after.
	var d Delta
	for _, i := range []int{3, 4, 12, 13, 22, 25} {
		d.Take(sample(i, "ham"))
	}
	if _, err := db.Apply(&d); err != nil {
		t.Error(err)
	}
}

// writeVersion1Pruned writes a database with documents of every ledger mode from
// before and after a prune.
func writeVersion1Pruned(t *testing.T, path string) {
	shortTails(t)
	os.Remove(path)
	db, err := Open(path, Options{Analyzer: "version 1"})
	if err != nil {
		t.Fatal(err)
	}
	learn := func(keep Ledger, from, to int) {
		d := Delta{Keep: keep}
		for i := from; i < to; i++ {
			d.Add(sample(i, "ham"))
		}
		if _, err := db.Apply(&d); err != nil {
			t.Fatal(err)
		}
	}
	learn(LedgerFull, 0, 10)
	learn(LedgerDigest, 10, 19)
	learn(LedgerNone, 19, 20)
	mustPrune(t, db, everyThird(3, 1))
	learn(LedgerFull, 20, 24)
	learn(LedgerDigest, 24, 28)
	learn(LedgerFull, 28, 30)
	f, err := os.Create(filepath.Join(filepath.Dir(path), "v1pruned.dump"))
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Dump(context.Background(), f, true); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}
