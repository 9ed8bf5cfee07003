package store

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polya-classifier/polya/internal/raced"
	"github.com/polya-classifier/polya/store/count"
)

// A program that is started for every message opens, trains once and exits:
// it never makes the overlay but to merge. The counts are the same.
func TestOneShotProcesses(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds of processor time")
	}
	raced.Skip(t)
	t.Parallel()
	for _, mode := range []count.Ledger{count.LedgerFull, count.LedgerDigest, count.LedgerNone} {
		for seed := range uint64(3) {
			t.Run(fmt.Sprint(mode, seed), func(t *testing.T) {
				shortTails(t)
				fast(t)
				oneShots(t, mode, seed)
			})
		}
	}
}

func oneShots(t *testing.T, mode count.Ledger, seed uint64) {
	random := rand.New(rand.NewPCG(seed, 1))
	m := &machine{sim: newSim(mode), t: t, path: tempDB(t), o: Options{Analyzer: "a", Ledger: mode}}
	tail := uint64(0)
	for i := range 300 {
		class := simClasses[random.IntN(len(simClasses))]
		doc := simDocument(random.IntN(simDocs), 0, class)
		_, known := m.docs[doc.ID]
		old := m.text(doc.ID)
		ops := []simOp{{"add", doc}}
		switch k := random.IntN(6); {
		case k == 0 && mode == count.LedgerNone && len(m.untracked) > 0:
			ops = []simOp{{"take", m.untracked[random.IntN(len(m.untracked))]}}
		case k == 1 && known:
			ops = []simOp{{"take", old}}
		case k == 2 && known && mode == count.LedgerFull:
			ops = []simOp{{"forget", old}}
		case k == 3 && known && mode == count.LedgerFull:
			ops = []simOp{{"relabel", doc}}
		case k == 4:
			ops = append(ops, simOp{"add", simDocument(random.IntN(simDocs), 0, class)}, simOp{"add", simDocument(random.IntN(simDocs), 0, class)})
		}
		m.open()
		m.request(ops, 0, 0, false)
		tail = max(tail, m.db.memory.newest().Seq-m.db.memory.merged)
		m.close()
		if i%60 == 59 && mode != count.LedgerNone {
			drop := everyThird(3, i/60%3)
			m.open()
			if _, err := m.db.Prune(context.Background(), false, drop); err != nil {
				t.Fatal(err)
			}
			m.sim.prune(drop)
			m.close()
		}
		if i%10 == 0 {
			m.o.ReadOnly = true
			m.open()
			mustEqualSim(t, m.db, m.sim)
			m.close()
			m.o.ReadOnly = false
		}
		if i%25 == 0 {
			m.open()
			mustCheck(t, m.db)
			mustHoldNoOrphans(t, m.db)
			m.close()
		}
	}
	if tail > 64 {
		t.Errorf("the tail of the log grew to %d records: processes that train once do not merge", tail)
	}
}

// Processes that only ever relabel write two records each, so that a position
// that is a multiple of anything may never be their last.
func TestOneShotRelabels(t *testing.T) {
	raced.Skip(t)
	t.Parallel()
	for _, first := range []int{1, 2, 3} {
		t.Run(fmt.Sprint(first), func(t *testing.T) {
			shortTails(t)
			fast(t)
			tune(t).mergeEvery = 4
			m := &machine{sim: newSim(count.LedgerFull), t: t, path: tempDB(t), o: Options{Analyzer: "a"}}
			m.open()
			for i := range first {
				m.request([]simOp{{"add", simDocument(i, 0, "ham")}}, 0, 0, false)
			}
			m.close()
			tail := uint64(0)
			rounds := 100
			if testing.Short() {
				rounds = 40 // more records than the tail may have
			}
			for i := range rounds {
				class := []string{"spam", "ham"}[i/first%2]
				m.open()
				m.request([]simOp{{"relabel", simDocument(i%first, 0, class)}}, 0, 0, false)
				tail = max(tail, m.db.memory.newest().Seq-m.db.memory.merged)
				m.close()
				m.open()
				mustEqualSim(t, m.db, m.sim)
				mustCheck(t, m.db)
				m.close()
			}
			if tail > 32 {
				t.Errorf("the tail of the log grew to %d records", tail)
			}
		})
	}
}

// A document that was learned with a ledger, and again without one, with other
// terms: forgetting must look at the terms of the first.
func TestOneShotSameIDOutsideLedger(t *testing.T) {
	t.Parallel()
	shortTails(t)
	fast(t)
	tune(t).minTail = 1000
	m := &machine{sim: newSim(count.LedgerFull), t: t, path: tempDB(t), o: Options{Analyzer: "a"}}
	m.open()
	first := document(1, "ham", map[string]int{"apple": 2, "pear": 1})
	second := document(1, "ham", map[string]int{"plum": 2})
	third := document(2, "ham", map[string]int{"apple": 1})
	m.request([]simOp{{"add", first}}, 0, 0, false)
	if err := m.db.Compact(t.Context()); err != nil { // first is in the tables
		t.Fatal(err)
	}
	m.request([]simOp{{"add", second}}, count.LedgerNone, 0, false)
	m.request([]simOp{{"add", third}}, 0, 0, false)
	m.close()
	m.open()
	m.request([]simOp{{"forget", first}}, 0, 0, false)
	m.close()
	m.open()
	defer m.close()
	mustEqualSim(t, m.db, m.sim)
	mustCheck(t, m.db)
}

// Without a ledger the text given is trusted as long as the counts allow it;
// whatever it leaves must be counts that documents give, or the database could
// not be read again.
func TestTrustedForgettingLeavesSoundRows(t *testing.T) {
	t.Parallel()
	fast(t)
	path := tempDB(t)
	db := open(t, path, Options{Ledger: count.LedgerNone})
	long := map[string]int{}
	for i := range 50 {
		long[fmt.Sprintf("t%02d", i)] = 1
	}
	// x weighs 1 in a document of its own, and little in a long one.
	long["x"] = 1
	add(t, db, document(1, "ham", map[string]int{"x": 1}), document(2, "ham", map[string]int{"x": 1}), document(3, "ham", long))
	delete(long, "x")
	long["y"] = 1
	add(t, db, document(4, "ham", long))
	delete(long, "y")
	long["x"] = 1
	var d Delta
	for range 2 {
		// The second has the terms, but leaves an x that weighs too much.
		long := documentCopy(document(3, "ham", long))
		if err := d.Take(long); err != nil {
			t.Fatal(err)
		}
		db.Apply(&d)
		d = Delta{Keep: d.Keep, OnlyNew: d.OnlyNew}
	}
	db.Close()
	again, err := Open(path, tuned(t, Options{}))
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	for range 2 {
		if err := again.View(func(s *Snapshot) error { return s.Scan(true, func([]byte, []count.Cell) error { return nil }) }); err != nil {
			t.Fatalf("the database cannot be read any more: %v", err)
		}
	}
	mustCheck(t, again)
}

func documentCopy(d count.Document) count.Document {
	d.Terms = slices.Clone(d.Terms)
	return d
}

// Processes that each learn one document merge from half a full tail on, and do not wait until it
// is full.
func TestOneShotMergesInTurn(t *testing.T) {
	t.Parallel()
	fast(t)
	u := tune(t)
	u.minTail, u.minMerge, u.minTable, u.mergeEvery = 64, 1, 1<<10, 8
	path := tempDB(t)
	longest := uint64(0)
	for i := range 200 {
		db := open(t, path, Options{})
		add(t, db, document(i, []string{"ham", "spam"}[i%2], map[string]int{fmt.Sprint("word", i%50): 1, "all": 1}))
		longest = max(longest, db.memory.newest().Seq-db.memory.merged)
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if longest > 60 {
		t.Errorf("the tail grew to %d records, want it merged before it has the full 64", longest)
	}
}
