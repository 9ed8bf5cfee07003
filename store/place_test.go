package store

import (
	"fmt"
	"math/rand/v2"
	"testing"

	bolt "go.etcd.io/bbolt"

	"github.com/polya-classifier/polya/internal/raced"
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/stored"
)

// sized returns documents whose records have the sizes of mail: from .5 to 4 KB, some of them larger.
func sized(n int) (docs []count.Document) {
	r := rand.New(rand.NewPCG(1, 2))
	for i := range n {
		terms := 20 + r.IntN(200)
		if i%20 == 0 {
			terms *= 4
		}
		counts := make(map[string]int)
		for range terms {
			counts[fmt.Sprintf("term%09d", r.IntN(1e9))] = 1
		}
		docs = append(docs, document(i+1, []string{"ham", "spam"}[i%2], counts))
	}
	return docs
}

// A bulk training leaves less than an eighth of the log's pages empty: in the order of the Delta
// it would be a quarter.
func TestBulkFillsLog(t *testing.T) {
	raced.Skip(t)
	t.Parallel()
	fast(t)
	db := open(t, tempDB(t), Options{})
	var d Delta
	for _, doc := range sized(600) {
		_ = d.Add(doc)
	}
	if _, err := db.Apply(&d); err != nil {
		t.Fatal(err)
	}
	mustCheck(t, db)
	err := db.file.View(func(tx *bolt.Tx) error {
		s := tx.Bucket(stored.BucketLog).Stats()
		if fill := float64(s.LeafInuse) / float64(s.LeafAlloc); fill < 7./8 || s.KeyN != 600 {
			t.Errorf("%d records fill %.3f of the log", s.KeyN, fill)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A document that a Delta learns and then moves, forgets or learns with other counts, before its record
// has a place in the log, is what it is in a database that learns singly.
func TestWaitingDocuments(t *testing.T) {
	raced.Skip(t)
	t.Parallel()
	fast(t)
	shortTails(t)
	var d Delta
	docs := sized(100)
	singly := open(t, tempDB(t), Options{})
	step := func(f func(*Delta)) {
		f(&d)
		var one Delta
		f(&one)
		if _, err := singly.Apply(&one); err != nil {
			t.Fatal(err)
		}
	}
	for i, doc := range docs {
		step(func(d *Delta) { _ = d.Add(doc) })
		switch other := doc; i % 10 {
		case 1:
			other.Class = "other"
			step(func(d *Delta) { _ = d.Add(other) })
		case 2:
			step(func(d *Delta) { d.Forget(doc.ID) })
		case 3:
			other.Terms = append(other.Terms[:len(other.Terms):len(other.Terms)], count.TermCount{Term: []byte("zzz"), N: 2})
			step(func(d *Delta) { _ = d.Add(other) })
		case 4:
			step(func(d *Delta) { _ = d.Relabel(docs[i-4].ID, "third") })
		case 5:
			step(func(d *Delta) { _ = d.Add(doc) })
		}
	}
	db := open(t, tempDB(t), Options{})
	if _, err := db.Apply(&d); err != nil {
		t.Fatal(err)
	}
	mustCheck(t, db)
	if got, want := dumpOf(t, db, true), dumpOf(t, singly, true); got != want {
		t.Error("the dump differs from that of single trainings")
	}
}
