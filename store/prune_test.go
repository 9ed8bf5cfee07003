package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/polya-classifier/polya/internal/raced"
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/layout"
	"github.com/polya-classifier/polya/store/internal/stored"
)

// everyThird says which terms go: one in of, chosen by their bytes alone.
func everyThird(of, which int) func(term []byte, _ []count.Cell) bool {
	return func(term []byte, _ []count.Cell) bool { return int(crc32.ChecksumIEEE(term))%of == which }
}

// prune drops some terms from the database and from the documents of its sim.
// Documents that nobody knows are forgotten first: what they would take later is
// not exact, see TestPruneUntracked.
func (m *machine) prune(t *rapid.T) {
	var away []simOp
	for _, d := range m.untracked {
		away = append(away, simOp{"take", d})
	}
	if len(away) > 0 && !m.pruned {
		m.request(away, 0, 0, false)
	}
	if len(m.untracked) > 0 {
		return // the ledger knows another document of that id, or nobody knows what was dropped
	}
	of := rapid.IntRange(1, 4).Draw(t, "of")
	drop := everyThird(of, rapid.IntRange(0, of-1).Draw(t, "which"))
	next := m.clone()
	want := next.prune(drop)
	tried, err := m.db.Prune(context.Background(), true, drop)
	if err != nil {
		m.t.Fatal(err)
	}
	mustEqualSim(m.t, m.db, m.sim)
	got, err := m.db.Prune(context.Background(), false, drop)
	if err != nil {
		m.t.Fatal(err)
	}
	if got.Terms != want.Terms || got.Tokens != want.Tokens || tried.Terms != got.Terms || tried.Tokens != got.Tokens {
		m.t.Fatalf("pruned %+v, tried %+v, want %+v", got, tried, want)
	}
	if size, err := m.db.Size(); err != nil || got.Terms > 0 && (size != got.After || tried.After != got.After) {
		m.t.Fatalf("pruned to %d bytes, said %d, tried %d: %v", size, got.After, tried.After, err)
	}
	m.sim = next
}

// prune drops terms from all documents, as the definition of Prune says.
func (s *sim) prune(drop func([]byte, []count.Cell) bool) (out Pruned) {
	gone := map[string]bool{}
	for id, d := range s.docs {
		counts := map[uint64]uint64{}
		for _, p := range d.Dropped {
			counts[p.N] = p.Count
		}
		var left []count.TermCount
		for _, t := range d.Terms {
			if !drop(t.Term, nil) {
				left = append(left, t)
				continue
			}
			gone[string(t.Term)] = true
			if t.Term[0] != 1 {
				counts[uint64(t.N)]++
				out.Tokens += uint64(t.N)
			}
		}
		d.Terms, d.Dropped = left, nil
		for _, n := range slices.Sorted(maps.Keys(counts)) {
			d.Dropped = append(d.Dropped, count.Pair{N: n, Count: counts[n]})
		}
		s.docs[id] = d
	}
	out.Terms = uint64(len(gone))
	s.pruned = s.pruned || out.Terms > 0
	return out
}

func mustPrune(t testing.TB, db *DB, drop func([]byte, []count.Cell) bool) Pruned {
	t.Helper()
	out, err := db.Prune(context.Background(), false, drop)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func all([]byte, []count.Cell) bool { return true }

// A term that was dropped and is learned again by new documents: those learned
// before take nothing from its row.
func TestPruneLearnAgainForgetOld(t *testing.T) {
	t.Parallel()
	for _, mode := range []count.Ledger{count.LedgerFull, count.LedgerDigest} {
		for _, bulk := range []bool{false, true} {
			t.Run(fmt.Sprint(mode, bulk), func(t *testing.T) {
				shortTails(t)
				fast(t)
				if bulk {
					tune(t).manySteps = 1
				}
				db := open(t, tempDB(t), Options{Analyzer: "a", Ledger: mode})
				// The same counts of t, so that the rows alone do not tell them apart.
				old := document(1, "ham", map[string]int{"t": 2, "stays": 1, "goes": 3})
				again := document(2, "ham", map[string]int{"t": 2, "other": 7})
				add(t, db, documentCopy(old))
				mustPrune(t, db, func(term []byte, _ []count.Cell) bool { return string(term) != "stays" })
				add(t, db, documentCopy(again))
				mustCheck(t, db)
				var d Delta
				d.Take(documentCopy(old))
				if _, err := db.Apply(&d); err != nil {
					t.Fatal(err)
				}
				mustEqualModel(t, db, &model{docs: map[count.DocID]count.Document{again.ID: again}})
				d = Delta{Keep: d.Keep, OnlyNew: d.OnlyNew}
				d.Take(documentCopy(again))
				if _, err := db.Apply(&d); err != nil {
					t.Fatal(err)
				}
				mustEqualModel(t, db, &model{})
			})
		}
	}
}

// Training, pruning, training on, and forgetting everything in another order
// gives the dump of an empty database.
func TestPruneForgetEverything(t *testing.T) {
	raced.Skip(t)
	t.Parallel()
	for _, mode := range []count.Ledger{count.LedgerFull, count.LedgerDigest} {
		t.Run(mode.String(), func(t *testing.T) {
			shortTails(t)
			fast(t)
			rapid.Check(t, func(rt *rapid.T) {
				dir, err := os.MkdirTemp("", "polya")
				if err != nil {
					rt.Fatal(err)
				}
				defer os.RemoveAll(dir)
				db, err := Open(filepath.Join(dir, "m.polya"), tuned(t, Options{Analyzer: "a", Ledger: mode}))
				if err != nil {
					rt.Fatal(err)
				}
				defer db.Close()
				empty := dumpOf(rt, db, true)
				var docs []count.Document
				for round := range 3 {
					for range rapid.IntRange(1, 30).Draw(rt, "docs") {
						d := sample(len(docs), []string{"ham", "spam"}[len(docs)%2])
						docs = append(docs, d)
						add(rt, db, documentCopy(d))
					}
					if _, err := db.Prune(context.Background(), false, everyThird(2, round%2)); err != nil {
						rt.Fatal(err)
					}
					mustCheck(rt, db)
				}
				for _, d := range rapid.Permutation(docs).Draw(rt, "order") {
					var delta Delta
					delta.Take(documentCopy(d))
					if _, err := db.Apply(&delta); err != nil {
						rt.Fatal(err)
					}
				}
				mustCheck(rt, db)
				mustEqualText(rt, dumpOf(rt, db, true), empty)
			})
		})
	}
}

// Pruning nothing writes nothing, and pruning twice what is the same once.
func TestPruneNothing(t *testing.T) {
	t.Parallel()
	fast(t)
	path := tempDB(t)
	db := open(t, path, Options{})
	for i := range 50 {
		add(t, db, sample(i, "ham"))
	}
	before := dumpOf(t, db, true)
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	out := mustPrune(t, db, func([]byte, []count.Cell) bool { return false })
	if now, _ := os.ReadFile(path); !bytes.Equal(file, now) || out.Terms != 0 || out.Before != out.After {
		t.Errorf("pruning nothing has written something: %+v", out)
	}
	mustEqualText(t, dumpOf(t, db, true), before)
	mustPrune(t, db, everyThird(2, 0))
	pruned := dumpOf(t, db, true)
	if pruned == before {
		t.Fatal("nothing was pruned")
	}
	if out := mustPrune(t, db, everyThird(2, 0)); out.Terms != 0 {
		t.Errorf("pruned again: %+v", out)
	}
	mustEqualText(t, dumpOf(t, db, true), pruned)
	if left, _ := filepath.Glob(path + ".compact*"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// Prune gives drop what Scan gives, each term once.
func TestPruneSeesRows(t *testing.T) {
	t.Parallel()
	shortTails(t)
	fast(t)
	db := open(t, tempDB(t), Options{})
	for i := range 120 {
		add(t, db, sample(i, simClasses[i%4]))
	}
	row := func(term []byte, cells []count.Cell) string { return fmt.Sprintf("%q %v", term, cells) }
	var want, got []string
	db.View(func(s *Snapshot) error {
		return s.Scan(false, func(term []byte, cells []count.Cell) error { want = append(want, row(term, cells)); return nil })
	})
	mustPrune(t, db, func(term []byte, cells []count.Cell) bool { got = append(got, row(term, cells)); return false })
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(want, got) {
		t.Errorf("Prune sees %d rows that differ from the %d of Scan", len(got), len(want))
	}
}

// Two pruned databases merged are what their documents come to.
func TestPruneMerge(t *testing.T) {
	raced.Skip(t)
	t.Parallel()
	for _, mode := range []count.Ledger{count.LedgerFull, count.LedgerDigest} {
		t.Run(mode.String(), func(t *testing.T) {
			shortTails(t)
			fast(t)
			var dbs [2]*DB
			both := newSim(mode)
			for k := range dbs {
				s := newSim(mode)
				dbs[k] = open(t, tempDB(t), Options{Analyzer: "a", Ledger: mode})
				for i := range 60 {
					if i == 40 {
						mustPrune(t, dbs[k], everyThird(3, k))
						s.prune(everyThird(3, k))
					}
					d := sample(100*k+i, []string{"ham", "spam"}[i%2])
					s.apply([]simOp{{"add", d}}, 0)
					add(t, dbs[k], documentCopy(d))
				}
				maps.Copy(both.docs, s.docs)
				maps.Copy(both.keep, s.keep)
				maps.Copy(both.whole, s.whole)
			}
			if _, err := dbs[0].Merge(context.Background(), MergeOptions{}, dbs[1]); err != nil {
				t.Fatal(err)
			}
			mustEqualSim(t, dbs[0], both)
			mustCheck(t, dbs[0])
			lost := 0
			for _, id := range layout.InOrder(both.docs) {
				var d Delta
				d.Take(documentCopy(both.text(id)))
				_, err := dbs[0].Apply(&d)
				if errors.Is(err, ErrNoCounts) {
					mustBeOneLine(t, err, dbs[0].Path())
					lost++
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				delete(both.docs, id)
			}
			// Only the digests of the other database from before it was pruned.
			if want := map[count.Ledger]int{count.LedgerFull: 0, count.LedgerDigest: 40}[mode]; lost != want {
				t.Errorf("%d documents could not be forgotten, want %d", lost, want)
			}
			mustEqualSim(t, dbs[0], both)
			mustCheck(t, dbs[0])
		})
	}
}

// Without a ledger, what a text takes that was learned before a prune is trusted
// as long as the counts allow it; totals come out right, and nothing falls below
// zero.
func TestPruneUntracked(t *testing.T) {
	t.Parallel()
	for _, many := range []int{1, 1000} {
		t.Run(fmt.Sprint(many), func(t *testing.T) {
			shortTails(t)
			fast(t)
			tune(t).manySteps = many
			db := open(t, tempDB(t), Options{Ledger: count.LedgerNone})
			empty := dumpOf(t, db, true)
			take := func(from, to int) (refused int) {
				for i := from; i < to; i++ {
					var d Delta
					d.Take(sample(i, []string{"ham", "spam"}[i%2]))
					if _, err := db.Apply(&d); errors.Is(err, count.ErrNotLearned) {
						refused++
					} else if err != nil {
						t.Fatal(err)
					}
				}
				mustCheck(t, db)
				return refused
			}
			for i := range 60 {
				if i == 30 {
					mustPrune(t, db, everyThird(2, 0))
				}
				add(t, db, sample(i, []string{"ham", "spam"}[i%2]))
			}
			mustCheck(t, db)
			// New ones first, so that nothing is mistaken.
			if refused := take(30, 60); refused > 0 {
				t.Errorf("%d documents were refused", refused)
			}
			if refused := take(0, 30); refused > 0 {
				t.Errorf("%d documents were refused", refused)
			}
			mustEqualText(t, dumpOf(t, db, true), empty)
			for i := range 60 {
				if i == 30 {
					mustPrune(t, db, everyThird(2, 0))
				}
				add(t, db, sample(i, []string{"ham", "spam"}[i%2]))
			}
			refused := take(0, 60)
			t.Logf("%d of 60 documents were refused", refused)
			if refused > 30 {
				t.Errorf("%d of 60 documents were refused", refused)
			}
		})
	}
}

// In a class of which the ledger knows some documents, one that it does not know
// takes nothing of theirs.
func TestPruneLooseAmongOthers(t *testing.T) {
	t.Parallel()
	for _, many := range []int{1, 1000} {
		fast(t)
		shortTails(t)
		tune(t).manySteps = many
		db := open(t, tempDB(t), Options{})
		one, two := document(1, "ham", map[string]int{"a": 1, "b": 1}), document(2, "ham", map[string]int{"a": 1, "b": 1})
		three, four := document(3, "ham", map[string]int{"b": 1}), document(4, "ham", map[string]int{"a": 1, "c": 2})
		untracked := Delta{Keep: count.LedgerNone}
		untracked.Add(documentCopy(one))
		untracked.Add(documentCopy(three))
		if _, err := db.Apply(&untracked); err != nil {
			t.Fatal(err)
		}
		add(t, db, four)
		mustPrune(t, db, func(term []byte, _ []count.Cell) bool { return term[0] == 'a' })
		add(t, db, documentCopy(two))
		before := dumpOf(t, db, true)
		take := func(doc count.Document) error {
			var d Delta
			d.Take(documentCopy(doc))
			_, err := db.Apply(&d)
			return err
		}
		err := take(one)
		if !errors.Is(err, ErrNoCounts) {
			t.Errorf("taking a document of which a term was dropped and learned again: %v", err)
		}
		mustBeOneLine(t, err, db.Path())
		mustEqualText(t, dumpOf(t, db, true), before)
		// What was never dropped is sure.
		for _, doc := range []count.Document{three, two, one, four} {
			if err := take(doc); err != nil {
				t.Fatal(err)
			}
			mustCheck(t, db)
		}
		mustEqualModel(t, db, &model{})
	}
}

// A prune that cannot write its file, or is cancelled, changes nothing.
func TestPruneCancelled(t *testing.T) {
	t.Parallel()
	fast(t)
	path := tempDB(t)
	db := open(t, path, Options{})
	for i := range 50 {
		add(t, db, sample(i, "ham"))
	}
	before := dumpOf(t, db, true)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := db.Prune(ctx, false, all)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	mustBeOneLine(t, err, path)
	mustEqualText(t, dumpOf(t, db, true), before)
	if left, _ := filepath.Glob(path + ".compact*"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	readOnly := open(t, filepath.Join(t.TempDir(), "other"), Options{})
	readOnly.Close()
	again, err := Open(readOnly.Path(), tuned(t, Options{ReadOnly: true}))
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if _, err := again.Prune(context.Background(), false, all); !errors.Is(err, ErrReadOnly) {
		t.Errorf("pruning a read-only database: %v", err)
	}
}

// A pruned database is refused by a program that does not know of the flag, one
// that never was is not marked.
func TestPruneFlag(t *testing.T) {
	t.Parallel()
	fast(t)
	db := open(t, tempDB(t), Options{})
	add(t, db, plain(1, "ham"))
	flags := func(db *DB) uint32 {
		again, err := Open(db.Path(), tuned(t, Options{ReadOnly: true}))
		if err != nil {
			t.Fatal(err)
		}
		defer again.Close()
		return again.header.Flags
	}
	mustPrune(t, db, func([]byte, []count.Cell) bool { return false })
	db.Close()
	if f := flags(db); f != 0 {
		t.Errorf("a database that was not pruned has flags %x", f)
	}
	db = open(t, db.Path(), Options{})
	mustPrune(t, db, all)
	text := dumpOf(t, db, true)
	var doc count.Document
	db.View(func(s *Snapshot) error {
		return s.Learned(nil, func(d *count.Document) error { doc = *d; return nil })
	})
	db.Close()
	if f := flags(db); f != stored.FlagPruned {
		t.Errorf("a pruned database has flags %x", f)
	}
	loaded := open(t, tempDB(t), Options{})
	if _, err := loaded.Load(context.Background(), false, strings.NewReader(text)); err != nil {
		t.Fatal(err)
	}
	loaded.Close()
	if f := flags(loaded); f != stored.FlagPruned|stored.FlagPacked {
		t.Errorf("one loaded from its dump has flags %x", f)
	}
	taught := open(t, tempDB(t), Options{})
	add(t, taught, doc)
	taught.Close()
	if f := flags(taught); f != stored.FlagPruned {
		t.Errorf("one that learned a pruned document has flags %x", f)
	}
}
