package store

import (
	"fmt"
	"testing"

	"github.com/polya-classifier/polya/internal/raced"
	"github.com/polya-classifier/polya/store/count"
)

// A compaction without Options.Share never makes a file larger, and each leaves no empty tables after a huge
// document was forgotten.
func TestCompactIsSmaller(t *testing.T) {
	raced.Skip(t)
	if testing.Short() {
		t.Skip("takes seconds of processor time")
	}
	t.Parallel()
	fast(t)
	for _, share := range []bool{false, true} {
		testCompactIsSmaller(t, open(t, tempDB(t), Options{Share: share}), share)
	}
}

func testCompactIsSmaller(t *testing.T, db *DB, share bool) {
	t.Helper()
	compact := func() int64 {
		t.Helper()
		text := dumpOf(t, db, true)
		before, err := db.Size()
		must(t, err)
		must(t, db.Compact(t.Context()))
		after, err := db.Size()
		must(t, err)
		if after > before && !share { // what was in the log alone is in the tables then

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
