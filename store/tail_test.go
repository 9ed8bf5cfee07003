package store

import (
	"fmt"
	"testing"

	"github.com/polya-classifier/polya/internal/raced"
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/layout"
)

// In a process that stays the tail grows with the tables, so that no training has much more
// to merge than another, and the next process finds a short one.
func TestTailOfOneThatStays(t *testing.T) {
	raced.Skip(t)
	t.Parallel()
	fast(t)
	u := tune(t)
	u.stays = standard.stays
	path := tempDB(t)
	db := open(t, path, Options{})
	longest := uint64(0)
	for i := range 2000 {
		doc := document(i, []string{"ham", "spam"}[i%2], map[string]int{})
		for k := range 60 {
			doc.Terms = append(doc.Terms, count.TermCount{Term: fmt.Appendf(nil, "a term of document %d: %d", i*(k%4), k), N: 1})
		}
		add(t, db, doc)
		m := db.memory
		longest = max(longest, m.newest().Seq-m.merged)
		if bytes := m.newest().TailBytes; bytes > max(tableBytes(t, db), 4*u.minMerge) {
			t.Fatalf("after %d documents the tail has %d bytes", i+1, bytes)
		}
	}
	if longest < 2*uint64(u.minTail) {
		t.Errorf("the tail never had more than %d documents", longest)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db = open(t, path, Options{})
	mustCheck(t, db)
	if n := db.memory.newest().Seq - db.memory.merged; n > uint64(u.minTail) {
		t.Errorf("the next process finds a tail of %d documents", n)
	}
}

func tableBytes(t testing.TB, db *DB) int {
	t.Helper()
	var dir layout.Directory
	if err := db.View(func(s *Snapshot) error { return dir.Load(s.tx) }); err != nil {
		t.Fatal(err)
	}
	return dir.Bytes
}
