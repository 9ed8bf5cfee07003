package store

import (
	"bytes"
	"fmt"
	"os"
	"testing"

	"github.com/polya-classifier/polya/internal/raced"
	"github.com/polya-classifier/polya/store/count"
)

// A second compaction does not make a file larger, and each leaves no empty tables after a huge document was
// forgotten.
func TestCompactIsSmaller(t *testing.T) {
	raced.Skip(t)
	if testing.Short() {
		t.Skip("takes seconds of processor time")
	}
	t.Parallel()
	fast(t)
	for _, share := range []bool{false, true} {
		testCompactIsSmaller(t, open(t, tempDB(t), Options{Share: share}))
	}
}

func testCompactIsSmaller(t *testing.T, db *DB) {
	t.Helper()
	compact := func() int64 {
		t.Helper()
		text := dumpOf(t, db, true)
		must(t, db.Compact(t.Context()))
		before, err := db.Size()
		must(t, err)
		must(t, db.Compact(t.Context()))
		after, err := db.Size()
		must(t, err)
		if after > before {
			t.Errorf("%d bytes, and %d before", after, before)
		}
		mustEqualText(t, dumpOf(t, db, true), text)
		return after
	}
	for i := range 5 {
		add(t, db, sample(i, "ham"))
		compact()
	}
	small := compact()
	huge := count.Document{ID: count.DocID{1: 9}, Class: "ham"}
	for i := range 100_000 {
		huge.Terms = append(huge.Terms, count.TermCount{Term: fmt.Appendf(nil, "term%d", i), N: 1})
	}
	add(t, db, huge)
	compact()
	must(t, deltaFor(func(d *Delta) { d.Forget(huge.ID) })(db))
	if after := compact(); after > small+8*4096 {
		t.Errorf("%d bytes after a huge document was forgotten, %d before it", after, small)
	}
}

// A compaction leaves nothing of a forgotten document in the file, also where that gets no smaller.
func TestCompactLeavesNothingForgotten(t *testing.T) {
	t.Parallel()
	fast(t)
	secret := count.Document{ID: count.DocID{15: 9}, Class: "ham", Source: "teacher", Terms: []count.TermCount{{Term: []byte("confidential"), N: 1}}}
	for _, share := range []bool{false, true} {
		path := tempDB(t)
		db := open(t, path, Options{Share: share})
		for i := range 30 {
			add(t, db, sample(i, "ham"))
			add(t, db, secret)
			must(t, db.Compact(t.Context()))
			must(t, deltaFor(func(d *Delta) { d.Forget(secret.ID) })(db))
			must(t, db.Compact(t.Context()))
			content, err := os.ReadFile(path)
			must(t, err)
			if bytes.Contains(content, []byte("confidential")) || bytes.Contains(content, []byte("teacher")) {
				t.Errorf("sharing %t: the file of %d documents still has the one forgotten", share, i+1)
			}
		}
	}
}
