package store

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/stored"
)

// TestVersion2 reads the database of format version 2 that is kept in testdata,
// with the dump that it must give. The program that filled it is fillVersion2:
//
//	go test ./store -run TestVersion2 -update
//
// Until release 1.0 the format may still change; then they are written anew.
var update = flag.Bool("update", false, "write the kept database and its dump anew")

func TestVersion2(t *testing.T) {
	t.Parallel()
	db := keptDatabase(t, "v2", fillVersion2, 32, 31)
	// It goes on learning, and takes back what it learned then.
	add(t, db, plain(0, "spam"))
	var d Delta
	d.Forget(plain(3, "").ID)
	if _, err := db.Apply(&d); err != nil {
		t.Error(err)
	}
}

// TestVersion2Packed reads one with documents of a bulk training, one of which it forgets, and one
// moves; and those of older trainings beside them.
func TestVersion2Packed(t *testing.T) {
	t.Parallel()
	db := keptDatabase(t, "v2packed", fillVersion2Packed, 50, 50)
	if f := headerOf(t, db).Flags; f != stored.FlagPacked {
		t.Errorf("it has flags %x", f)
	}
	add(t, db, plain(3, "spam"))
	var d Delta
	d.Forget(plain(4, "").ID)
	if _, err := db.Apply(&d); err != nil {
		t.Error(err)
	}
	mustCheck(t, db)
	before := packedIn(t, db)
	if err := db.MergeClass(t.Context(), "spam", "ham"); err != nil {
		t.Error(err)
	}
	mustCheck(t, db)
	if after := packedIn(t, db); before == 0 || after != before {
		t.Errorf("%d packed documents, %d when their class was merged", before, after)
	}
}

// packedIn returns the number of packed documents in the log.
func packedIn(t *testing.T, db *DB) (n int) {
	t.Helper()
	if err := db.View(func(s *Snapshot) error {
		return s.tx.Bucket(stored.BucketLog).ForEach(func(_, record []byte) error {
			if record[0]&4 != 0 { // as FORMAT.md says
				n++
			}
			return nil
		})
	}); err != nil {
		t.Fatal(err)
	}
	return n
}

// fillVersion2Packed learns documents one by one, and then many at once.
func fillVersion2Packed(t *testing.T, db *DB) {
	for i := range 10 {
		add(t, db, plain(i, "ham"))
	}
	var d Delta
	for i := 10; i < 50; i++ {
		d.Add(plain(i, []string{"ham", "spam"}[i%2]))
	}
	d.Forget(plain(1, "").ID)
	d.Add(plain(1, "spam"))
	if err := db.rewrite(t.Context(), func(b *bulk) error {
		b.begin(&d, new(Applied))
		return b.steps(&d)
	}); err != nil {
		t.Fatal(err)
	}
}

// keptDatabase opens a copy of testdata/name.polya, which must hold what it is
// said to and give testdata/name.dump. With -update, fill fills a new one for both
// first.
func keptDatabase(t *testing.T, name string, fill func(*testing.T, *DB), documents uint64, entries int) *DB {
	t.Helper()
	kept := filepath.Join("testdata", name+".polya")
	if *update {
		writeKept(t, name, fill)
	}
	data, err := os.ReadFile(kept)
	if err != nil {
		t.Fatal(err)
	}
	path := tempDB(t)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	db := open(t, path, Options{Analyzer: "version 2", MustExist: true})
	if r := mustCheck(t, db); r.Documents != documents || r.Records == 0 || int(r.Entries) != entries {
		t.Errorf("it holds %+v", r)
	}
	want, err := os.ReadFile(filepath.Join("testdata", name+".dump"))
	if err != nil {
		t.Fatal(err)
	}
	if dumpOf(t, db, true) != string(want) {
		t.Errorf("its dump is not testdata/%s.dump", name)
	}
	return db
}

// writeKept makes testdata/name.polya and its dump anew.
func writeKept(t *testing.T, name string, fill func(*testing.T, *DB)) {
	shortTails(t)
	path := filepath.Join("testdata", name+".polya")
	os.Remove(path)
	db, err := Open(path, tuned(t, Options{Analyzer: "version 2"}))
	if err != nil {
		t.Fatal(err)
	}
	fill(t, db)
	if err := os.WriteFile(filepath.Join("testdata", name+".dump"), []byte(dumpOf(t, db, true)), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// fillVersion2 fills a database with documents in tables, in the tail of the
// log, moved and forgotten ones, in every ledger mode.
func fillVersion2(t *testing.T, db *DB) {
	for i := range 27 {
		// Rows of few cells and of many are written in different ways.
		add(t, db, plain(i, []string{"ham", "spam", "news", "lists", "bills"}[i%5]))
	}
	if err := db.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	add(t, db, plain(0, "spam"))
	var d Delta
	d.Forget(plain(1, "").ID)
	d.Keep = count.LedgerDigest
	for i := 30; i < 33; i++ {
		d.Add(plain(i, "ham"))
	}
	if _, err := db.applyAt(&d, 17); err != nil {
		t.Fatal(err)
	}
	for i := 33; i < 35; i++ {
		add(t, db, plain(i, "ham"))
	}
	untracked := Delta{Keep: count.LedgerNone}
	untracked.Add(plain(40, "ham"))
	if _, err := db.Apply(&untracked); err != nil {
		t.Fatal(err)
	}
	if err := db.PutState(map[string][]byte{"key": []byte("value")}); err != nil {
		t.Fatal(err)
	}
}
