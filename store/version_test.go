package store

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"testing"
)

// TestVersion1 reads the database of format version 1 that is kept in testdata,
// with the dump that it must give. The program that wrote both is writeVersion1:
//
//	go test ./store -run TestVersion1 -update
//
// Until release 1.0 the format may still change; then they are written anew.
var update = flag.Bool("update", false, "write the kept database and its dump anew")

func TestVersion1(t *testing.T) {
	kept := filepath.Join("testdata", "v1.polya")
	if *update {
		writeVersion1(t, kept)
	}
	data, err := os.ReadFile(kept)
	if err != nil {
		t.Fatal(err)
	}
	path := tempDB(t)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	db := open(t, path, Options{Analyzer: "version 1", MustExist: true})
	if r := mustCheck(t, db); r.Documents != 32 || r.Records == 0 || r.Entries != 31 {
		t.Errorf("it holds %+v", r)
	}
	want, err := os.ReadFile(filepath.Join("testdata", "v1.dump"))
	if err != nil {
		t.Fatal(err)
	}
	if dump(t, db, true) != string(want) {
		t.Error("its dump is not testdata/v1.dump")
	}
	// It goes on learning, and takes back what it learned then.
	add(t, db, sample(0, "spam"))
	var d Delta
	d.Forget(sample(3, "").ID)
	if _, err := db.Apply(&d); err != nil {
		t.Error(err)
	}
}

// writeVersion1 writes a database with documents in tables, in the tail of the
// log, moved and forgotten ones, in every ledger mode.
func writeVersion1(t *testing.T, path string) {
	shortTails(t)
	os.Remove(path)
	db, err := Open(path, Options{Analyzer: "version 1"})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 27 {
		add(t, db, sample(i, []string{"ham", "spam"}[i%2]))
	}
	if err := db.Compact(); err != nil {
		t.Fatal(err)
	}
	add(t, db, sample(0, "spam"))
	var d Delta
	d.Forget(sample(1, "").ID)
	d.Keep = LedgerDigest
	for i := 30; i < 33; i++ {
		d.Add(sample(i, "ham"))
	}
	if _, err := db.ApplyAt(&d, 17); err != nil {
		t.Fatal(err)
	}
	for i := 33; i < 35; i++ {
		add(t, db, sample(i, "ham"))
	}
	loose := Delta{Keep: LedgerNone}
	loose.Add(sample(40, "ham"))
	if _, err := db.Apply(&loose); err != nil {
		t.Fatal(err)
	}
	if err := db.PutState(map[string][]byte{"key": []byte("value")}); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(filepath.Join(filepath.Dir(path), "v1.dump"))
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
