package store

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/internal/raced"
	"github.com/polya-classifier/polya/store/count"
)

// shardsOf learns the documents 0 to n-1 into so many databases, and every eighth into the
// next one too, under another class where it is to move.
func shardsOf(t *testing.T, n, shards int, keep func(i, shard int) count.Ledger, moves bool) (list []*DB, posted int) {
	t.Helper()
	for k := range shards {
		db := open(t, tempDB(t), Options{Ledger: count.LedgerDigest})
		for i := range n {
			cross := i%8 == 0 && (i+1)%shards == k
			if i%shards != k && !cross {
				continue
			}
			doc := attributed(i, []string{"ham", "spam"}[i%2])
			if cross {
				if posted++; moves {
					doc.Class = "moved"
				}
			}
			d := Delta{Keep: keep(i, k)}
			must(t, d.Add(doc))
			_, err := db.Apply(&d)
			must(t, err)
		}
		list = append(list, db)
	}
	return list, posted
}

// Databases that share documents, of which the one ledger or the other keeps the counts, come
// to what learning all of their documents one after the other does, ledger included.
func TestMergeShards(t *testing.T) {
	raced.Skip(t)
	for _, moves := range []bool{false, true} {
		t.Run(fmt.Sprint("moves ", moves), func(t *testing.T) {
			shortTails(t)
			const n, shards = 120, 4
			// Of a document that both have one shard at least keeps the counts.
			keep := func(i, shard int) count.Ledger {
				if (i/8+shard)%2 == 0 || i%8 == 0 && i%16 > 0 {
					return count.LedgerFull
				}
				return count.LedgerDigest
			}
			list, posted := shardsOf(t, n, shards, keep, moves)
			want := open(t, tempDB(t), Options{Ledger: count.LedgerDigest})
			for k := range shards {
				for i := range n {
					cross := i%8 == 0 && (i+1)%shards == k
					if i%shards != k && !cross {
						continue
					}
					doc := attributed(i, []string{"ham", "spam"}[i%2])
					if cross && moves {
						doc.Class = "moved"
					}
					d := Delta{Keep: keep(i, k)}
					must(t, d.Add(doc))
					_, err := want.Apply(&d)
					must(t, err)
				}
			}
			one, each := open(t, tempDB(t), Options{Ledger: count.LedgerDigest}), open(t, tempDB(t), Options{Ledger: count.LedgerDigest})
			a, err := one.Merge(t.Context(), MergeOptions{}, list...)
			if err != nil || a.Learned != n || a.Already+a.Moved != posted || (a.Moved > 0) != moves || a.Twice != 0 || len(a.Conflicts) != 0 {
				t.Fatalf("%+v of %d twice: %v", a, posted, err)
			}
			for _, other := range list {
				_, err := each.Merge(t.Context(), MergeOptions{}, other)
				must(t, err)
			}
			for _, db := range []*DB{one, each} {
				mustEqualText(t, dumpBody(dumpOf(t, db, true)), dumpBody(dumpOf(t, want, true)))
			}
			// And each can be forgotten, so that nothing is left.
			var d Delta
			for i := range n {
				doc := attributed(i, "")
				must(t, d.Take(doc))
			}
			_, err = one.Apply(&d)
			must(t, err)
			must(t, one.View(func(s *Snapshot) error {
				if s.Documents() != 0 || s.Vocabulary() != 0 {
					t.Errorf("%d documents and %d terms are left", s.Documents(), s.Vocabulary())
				}
				return nil
			}))
		})
	}
}

// Where both ledgers keep but a digest, the documents are refused, all of them told, or count
// twice on request; and a second time only on another.
func TestMergeDigestsTwice(t *testing.T) {
	shortTails(t)
	ctx := context.Background()
	const n, shards = 64, 2
	list, posted := shardsOf(t, n, shards, func(int, int) count.Ledger { return count.LedgerDigest }, false)
	db := open(t, tempDB(t), Options{Ledger: count.LedgerDigest})
	_, err := db.Merge(ctx, MergeOptions{}, list...)
	if !errors.Is(err, ErrOverlap) || !strings.Contains(err.Error(), fmt.Sprintf(" %d of which", posted)) {
		t.Fatalf("%d documents are in both: %v", posted, err)
	}
	mustBeOneLine(t, err, db.Path())
	if r := mustCheck(t, db); r.Documents != 0 {
		t.Fatalf("refused, and it holds %d documents", r.Documents)
	}
	a, err := db.Merge(ctx, MergeOptions{Twice: true}, list...)
	if err != nil || a.Twice != posted || a.Learned != n {
		t.Fatalf("%+v: %v", a, err)
	}
	if r := mustCheck(t, db); int(r.Documents) != n+posted {
		t.Errorf("%d documents, want %d", r.Documents, n+posted)
	}
	// Both copies are counted: each is taken away by its text.
	before := dumpOf(t, db, false)
	for range 2 {
		var d Delta
		must(t, d.Take(attributed(8, "ham")))
		_, err := db.Apply(&d)
		must(t, err)
	}
	for range 2 {
		d := Delta{Keep: count.LedgerNone}
		must(t, d.Add(attributed(8, "ham")))
		_, err := db.Apply(&d)
		must(t, err)
	}
	mustEqualText(t, dumpOf(t, db, false), before)
	if _, err := db.Merge(ctx, MergeOptions{Twice: true}, list[1]); !errors.Is(err, ErrLoaded) {
		t.Errorf("all of them twice more: %v", err)
	}
	if a, err := db.Merge(ctx, MergeOptions{Twice: true, Again: true}, list[1]); err != nil || a.Twice == 0 {
		t.Errorf("asked for: %+v, %v", a, err)
	}
}

// Databases with whole ledgers, digests and none, in one pass or one by one, in one order.
func TestMergeManyKinds(t *testing.T) {
	raced.Skip(t)
	for seed := range uint64(3) {
		shortTails(t)
		rng := rand.New(rand.NewPCG(seed, 2))
		var list []*DB
		for k := range 6 {
			db := open(t, tempDB(t), Options{Ledger: []count.Ledger{count.LedgerFull, count.LedgerDigest, count.LedgerNone}[k%3]})
			for i := range 30 {
				id := k*30 + i
				if k%3 == 0 && rng.IntN(3) == 0 {
					id = rng.IntN(180) // of another one too, which may keep but a digest
				}
				add(t, db, attributed(id, []string{"ham", "spam", "list"}[rng.IntN(3)]))
			}
			list = append(list, db)
		}
		one, each := open(t, tempDB(t), Options{}), open(t, tempDB(t), Options{})
		all, err := one.Merge(t.Context(), MergeOptions{Twice: true}, list...)
		must(t, err)
		var sum Applied
		for _, other := range list {
			a, err := each.Merge(t.Context(), MergeOptions{Twice: true}, other)
			must(t, err)
			sum.Add(a)
		}
		mustEqualText(t, dumpBody(dumpOf(t, one, true)), dumpBody(dumpOf(t, each, true)))
		if fmt.Sprint(all) != fmt.Sprint(sum) {
			t.Errorf("in one pass %+v, one by one %+v", all, sum)
		}
	}
}

// Databases of many documents of which each has greater ids than those before add their counts, a
// later one that shares documents with them moves those, and all leave what learning the documents does.
func TestMergeRanges(t *testing.T) {
	t.Parallel()
	const n, each = 1200, 400
	want := open(t, tempDB(t), Options{})
	var list []*DB
	learn := func(from, to int, class func(i int) string) {
		var d Delta
		for i := from; i < to; i++ {
			doc := attributed(i, class(i))
			doc.ID = count.DocID{byte(i >> 8), byte(i), 1}
			must(t, d.Add(doc))
		}
		db := open(t, tempDB(t), Options{})
		for _, to := range []*DB{db, want} {
			_, err := to.Apply(&d)
			must(t, err)
		}
		list = append(list, db)
	}
	for from := 0; from < n; from += each {
		learn(from, from+each, func(i int) string { return []string{"ham", "spam"}[(i+from/each)%2] })
	}
	learn(n-each/2, n+each, func(int) string { return "moved" })
	for _, order := range [][]int{{0, 1, 2, 3}, {1, 0, 2, 3}} {
		db, moved := open(t, tempDB(t), Options{}), each/2
		var others []*DB
		for _, i := range order {
			others = append(others, list[i])
		}
		a, err := db.Merge(t.Context(), MergeOptions{}, others...)
		if err != nil || a.Learned != n+each || a.Moved != moved || a.Already != 0 {
			t.Errorf("%+v, want %d and %d moved: %v", a, n+each, moved, err)
		}
		mustCheck(t, db)
		mustEqualText(t, dumpOf(t, db, true), dumpOf(t, want, true))
	}
}
