package store

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/store/count"
)

// What was added once is not added a second time where its documents would count
// twice, unless that is asked for.
func TestLoadedTwice(t *testing.T) {
	t.Parallel()
	fast(t)
	ctx := context.Background()
	other := open(t, tempDB(t), Options{Ledger: count.LedgerNone})
	for i := range 20 {
		add(t, other, sample(i, []string{"ham", "spam"}[i%2]))
	}
	text := dumpOf(t, other, false)
	for name, do := range map[string]struct{ once, again func(db *DB) (Applied, error) }{
		"load": {
			func(db *DB) (Applied, error) { return db.Load(ctx, false, strings.NewReader(text)) },
			func(db *DB) (Applied, error) { return db.Load(ctx, true, strings.NewReader(text)) },
		},
		"merge": {
			func(db *DB) (Applied, error) { return db.Merge(ctx, MergeOptions{}, other) },
			func(db *DB) (Applied, error) { return db.Merge(ctx, MergeOptions{Again: true}, other) },
		},
	} {
		db := open(t, tempDB(t), Options{})
		learned := func(want int, a Applied, err error) {
			t.Helper()
			if err != nil || a.Learned != want {
				t.Fatalf("%s: %+v, %v", name, a, err)
			}
		}
		a, err := do.once(db)
		learned(20, a, err)
		before := dumpOf(t, db, true)
		must(t, db.Compact(t.Context()))
		if _, err := do.once(db); !errors.Is(err, ErrLoaded) {
			t.Errorf("%s a second time: %v", name, err)
		}
		mustEqualText(t, dumpOf(t, db, true), before)
		mustPrune(t, db, func(term []byte, _ []count.Cell) bool { return false })
		if _, err := do.once(db); !errors.Is(err, ErrLoaded) {
			t.Errorf("%s a third time: %v", name, err)
		}
		a, err = do.again(db)
		learned(20, a, err)
		mustCheck(t, db)
		must(t, db.DeleteClass(context.Background(), "ham"))
		must(t, db.DeleteClass(context.Background(), "spam"))
		a, err = do.once(db) // nothing would count twice
		learned(20, a, err)
		mustCheck(t, db)
	}
	// Documents of a ledger are known one by one.
	db, full := open(t, tempDB(t), Options{}), open(t, tempDB(t), Options{})
	add(t, full, sample(1, "ham"))
	for range 2 {
		if _, err := db.Merge(ctx, MergeOptions{}, full); err != nil {
			t.Error(err)
		}
	}
	if _, err := db.Load(ctx, false, strings.NewReader(dumpOf(t, full, true))); !errors.Is(err, ErrOverlap) {
		t.Error(err)
	}
}

// Neither what a database holds itself nor, after the counts alone, the same counts with
// their ledger are added, unless that is asked for.
func TestLoadedIntoItself(t *testing.T) {
	t.Parallel()
	fast(t)
	ctx := context.Background()
	db, copied := open(t, tempDB(t), Options{}), open(t, tempDB(t), Options{})
	for i := range 20 {
		add(t, db, attributed(i, []string{"ham", "spam"}[i%2]))
	}
	counts, all := dumpOf(t, db, false), dumpOf(t, db, true)
	if _, err := db.Load(ctx, false, strings.NewReader(counts)); !errors.Is(err, ErrLoaded) {
		t.Errorf("its own counts: %v", err)
	}
	if _, err := db.Load(ctx, false, strings.NewReader(all)); !errors.Is(err, ErrOverlap) {
		t.Errorf("its own documents: %v", err)
	}
	if _, err := copied.Load(ctx, false, strings.NewReader(counts)); err != nil {
		t.Fatal(err)
	}
	add(t, copied, sample(100, "ham"))
	if _, err := copied.Load(ctx, false, strings.NewReader(all)); !errors.Is(err, ErrLoaded) {
		t.Errorf("the documents of counts that were loaded: %v", err)
	}
	mustEqualText(t, dumpOf(t, db, true), all)
	a, err := db.Load(ctx, true, strings.NewReader(counts))
	if err != nil || a.Learned != 20 {
		t.Errorf("again: %+v, %v", a, err)
	}
	mustCheck(t, db)
	// One more document, and it is another database.
	add(t, db, sample(101, "ham"))
	if _, err := db.Load(ctx, false, strings.NewReader(dumpOf(t, copied, false))); err != nil {
		t.Error(err)
	}
}

// A dump whose lines a program of Windows has ended in its way loads as it was.
func TestLoadedWithCarriageReturns(t *testing.T) {
	t.Parallel()
	fast(t)
	from, into := open(t, tempDB(t), Options{}), open(t, tempDB(t), Options{})
	for i := range 4 {
		add(t, from, sample(i, []string{"ham", "spam"}[i%2]))
	}
	add(t, from, document(9, "ham", map[string]int{"a\r": 1, "b\r\r": 2}))
	want := dumpOf(t, from, true)
	if _, err := into.Load(t.Context(), false, strings.NewReader(strings.ReplaceAll(want, "\n", "\r\n"))); err != nil {
		t.Fatal(err)
	}
	if got := dumpOf(t, into, true); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
