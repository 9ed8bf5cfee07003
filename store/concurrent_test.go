package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/polya-classifier/polya/store/count"
)

// twin is a document of twin terms: a and b of each pair occur equally often in
// every document, so that whoever sees half a document sees a difference.
func twin(i int, class string) count.Document {
	counts := map[string]int{"always": 1}
	for k := range 8 {
		n := (i*31+k*k*17)%37 + 40*(k%2)
		counts[fmt.Sprintf("a%d", n)] = 1 + (i+k)%3
		counts[fmt.Sprintf("b%d", n)] = 1 + (i+k)%3
	}
	return document(i, class, counts)
}

var twinTerms = func() (terms []count.TermCount) {
	for n := range 80 {
		terms = append(terms, count.TermCount{Term: []byte(fmt.Sprintf("a%d", n)), N: 1}, count.TermCount{Term: []byte(fmt.Sprintf("b%d", n)), N: 1})
	}
	return append(terms, count.TermCount{Term: []byte("always"), N: 1})
}()

// look reads a snapshot in every way and says what does not fit together. It
// returns the number of documents.
func look(s *Snapshot) (uint64, error) {
	type look struct{ df, tf uint64 }
	rows := make(map[string][3]look)
	err := s.Rows(twinTerms, true, func(i int, cells []count.Cell) error {
		var c [3]look
		for _, cell := range cells {
			id := s.Classes()[cell.Class].ID
			c[id%3] = look{cell.DF, cell.TF}
		}
		rows[string(twinTerms[i].Term)] = c
		return nil
	})
	if err != nil {
		return 0, err
	}
	for _, c := range s.Classes() {
		if always := rows["always"][c.ID%3]; always != (look{c.Docs, c.Docs}) {
			return 0, fmt.Errorf("%d documents of class %s, but %d have the term of all", c.Docs, c.Name, always)
		}
	}
	for term, c := range rows {
		if term[0] == 'a' && term != "always" && rows["b"+term[1:]] != c {
			return 0, fmt.Errorf("%s %v, its twin %v", term, c, rows["b"+term[1:]])
		}
	}
	n, tokens := 0, uint64(0)
	err = s.Scan(false, func(term []byte, cells []count.Cell) error {
		n++
		var c [3]look
		for _, cell := range cells {
			c[s.Classes()[cell.Class].ID%3] = look{cell.DF, cell.TF}
			tokens += cell.TF
		}
		if rows[string(term)] != c {
			return fmt.Errorf("%s: Scan %v, Rows %v", term, c, rows[string(term)])
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	want := uint64(0)
	for _, c := range s.Classes() {
		want += c.Tokens - c.Dropped
	}
	if n != len(rows) || uint64(n) != s.Vocabulary() || tokens != want {
		return 0, fmt.Errorf("Scan has %d terms, Rows %d, totals %d; %d tokens, totals %d", n, len(rows), s.Vocabulary(), tokens, want)
	}
	return s.Documents(), nil
}

// While many learn, move and forget, every snapshot is of whole documents, and
// what one reader sees never goes back.
func TestConcurrentReadersAndTrainers(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds of processor time")
	}
	t.Parallel()
	for _, compact := range []bool{false, true} {
		t.Run(fmt.Sprintf("compact=%t", compact), func(t *testing.T) {
			shortTails(t)
			fast(t)
			db := open(t, tempDB(t), Options{})
			const trainers, each, readers = 6, 35, 4
			var done atomic.Bool
			var all, learners sync.WaitGroup
			for r := range readers {
				all.Go(func() {
					last := uint64(0)
					for !done.Load() {
						err := db.View(func(s *Snapshot) error {
							n, err := look(s)
							if again, err2 := look(s); err == nil && (err2 != nil || again != n) {
								err = fmt.Errorf("a second look: %d documents after %d, %v", again, n, err2)
							}
							if err == nil && n < last {
								err = fmt.Errorf("%d documents after %d", n, last)
							}
							last = n
							return err
						})
						if err != nil {
							t.Errorf("reader %d: %v", r, err)
							return
						}
					}
				})
			}
			for k := range trainers {
				learners.Go(func() {
					for i := range each {
						var d Delta
						doc := twin(k*1000000+i, []string{"ham", "spam"}[i%2])
						d.Add(doc)
						switch {
						case i%7 == 3:
							d.Relabel(doc.ID, "work")
						case i%31 == 30:
							for n := range 25 {
								d.Add(twin(k*1000000+1000*i+n, "work"))
							}
						}
						if _, err := db.Apply(&d); err != nil {
							t.Errorf("trainer %d: %v", k, err)
							return
						}
						// A transaction without a record, as a fit makes it.
						if err := db.PutState(map[string][]byte{"k": {byte(i)}}); err != nil {
							t.Errorf("trainer %d: %v", k, err)
							return
						}
					}
				})
			}
			if compact {
				all.Go(func() {
					for !done.Load() {
						if err := db.Compact(t.Context()); err != nil {
							t.Errorf("compact: %v", err)
							return
						}
						time.Sleep(5 * time.Millisecond)
					}
				})
			}
			learners.Wait()
			done.Store(true)
			all.Wait()
			want := uint64(trainers * (each + each/31*25))
			if r := mustCheck(t, db); r.Documents != want {
				t.Errorf("%d documents, want %d", r.Documents, want)
			}
		})
	}
}

// Check, Dump and Backup while others learn see one moment, and disturb nobody.
func TestConcurrentCheckDumpBackup(t *testing.T) {
	t.Parallel()
	shortTails(t)
	fast(t)
	db := open(t, tempDB(t), Options{})
	var done atomic.Bool
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := 0; !done.Load(); i++ {
			var d Delta
			d.Add(twin(i, []string{"ham", "spam"}[i%2]))
			if i > 20 && i%2 == 0 {
				d.Forget(twin(i-20, "").ID)
			}
			if _, err := db.Apply(&d); err != nil {
				t.Error(err)
				return
			}
		}
	})
	for range 15 {
		mustCheck(t, db)
		var b bytes.Buffer
		if _, err := db.Backup(t.Context(), &b); err != nil {
			t.Error(err)
		}
		path := tempDB(t)
		if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		copied, err := Open(path, tuned(t, Options{}))
		if err != nil {
			t.Fatal(err)
		}
		mustCheck(t, copied)
		other := open(t, tempDB(t), Options{})
		if _, err := other.Load(context.Background(), false, bytes.NewBufferString(dumpOf(t, db, true))); err != nil {
			t.Error(err)
		}
		copied.Close()
		other.Close()
	}
	done.Store(true)
	wg.Wait()
}

// A snapshot that stays open while the tables are merged again and again sees
// its own state, and when it has gone, the rows kept for it go too.
func TestLongSnapshot(t *testing.T) {
	t.Parallel()
	shortTails(t)
	fast(t)
	db := open(t, tempDB(t), Options{})
	for i := range 30 {
		add(t, db, twin(i, "ham"))
	}
	db.View(func(*Snapshot) error { return nil })
	var before string
	err := db.View(func(s *Snapshot) error {
		first, err := look(s)
		if err != nil {
			return err
		}
		before = scanText(t, s)
		for i := 30; i < 200; i++ {
			add(t, db, twin(i, []string{"spam", "new"}[i%2]))
			if i%10 == 0 {
				if n, err := look(s); err != nil || n != first {
					return fmt.Errorf("%d documents, then %d, %v", first, n, err)
				}
				if now := scanText(t, s); now != before {
					return fmt.Errorf("what a snapshot sees has changed")
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := 200; i < 260; i++ {
		add(t, db, twin(i, "spam"))
	}
	if n := len(db.memory.versions); n > 3 {
		t.Errorf("%d versions of the totals are kept for no reader", n)
	}
}

// What a long reader held back of the overlay is dropped soon after it ends, and no training
// takes the time for all of it.
func TestPurgesInParts(t *testing.T) {
	t.Parallel()
	shortTails(t)
	fast(t)
	tune(t).spare = 1 << 30 // a copy begins without an overlay
	db := open(t, tempDB(t), Options{})
	add(t, db, twin(0, "ham"))
	db.View(func(*Snapshot) error { return nil })
	held := 0
	err := db.View(func(*Snapshot) error {
		for i := 1; i < 200; i++ {
			add(t, db, twin(i, "spam"))
		}
		held = len(db.memory.stale)
		return nil
	})
	if err != nil || held < 10*purgedAtOnce {
		t.Fatalf("a reader held back %d ranges, %v", held, err)
	}
	left := held
	for i := 200; left > purgedAtOnce; i++ {
		add(t, db, twin(i, "spam"))
		before := left
		if left = len(db.memory.stale); left < before-purgedAtOnce || i > 200+2*held {
			t.Fatalf("of %d ranges %d are left, and before one training %d", held, left, before)
		}
	}
}

func scanText(t rapid.TB, s *Snapshot) string {
	t.Helper()
	rows := map[string]string{}
	err := s.Scan(true, func(term []byte, cells []count.Cell) error {
		rows[string(term)] = fmt.Sprint(cells)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(rows)
}

// With somebody always reading, rows that the tables have still leave memory.
func TestOverlayShrinksUnderReaders(t *testing.T) {
	t.Parallel()
	shortTails(t)
	fast(t)
	tune(t).spare = 1 << 30 // a copy begins without an overlay
	db := open(t, tempDB(t), Options{})
	db.View(func(*Snapshot) error { return nil })
	// A reader goes when the next one has come, so that one is always there.
	last := func() {}
	defer func() { last() }()
	const docs = 500
	most := 0
	for i := range docs {
		begun, release, ended := make(chan bool), make(chan bool), make(chan bool)
		go func() {
			defer close(ended)
			db.View(func(*Snapshot) error { close(begun); <-release; return nil })
		}()
		<-begun
		last()
		last = func() { close(release); <-ended }
		doc := document(i, "ham", map[string]int{})
		for k := range 10 {
			doc.Terms = append(doc.Terms, count.TermCount{Term: []byte(fmt.Sprintf("rare%d", i*10+k)), N: 1})
		}
		add(t, db, doc)
		most = max(most, db.memory.overlay.Terms)
	}
	if most > docs {
		t.Errorf("the overlay grew to %d rows of %d, although the tables had them", most, 10*docs)
	}
}

// Trainers that come while another writes share the next commit, however quick the disk
// is: the lock of whoever writes is held until all of them wait.
func TestGroupCommit(t *testing.T) {
	t.Parallel()
	db := open(t, tempDB(t), Options{})
	add(t, db, twin(0, "ham"))
	const n = 64
	before := transactions(db)
	db.commit.Lock()
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			var d Delta
			d.Add(twin(1+i, "spam"))
			if a, err := db.Apply(&d); err != nil || a.Learned != 1 {
				t.Error(a, err)
			}
		})
	}
	for waiting := 0; waiting < n; runtime.Gosched() {
		db.queue.mu.Lock()
		waiting = len(db.queue.waiting)
		db.queue.mu.Unlock()
	}
	db.commit.Unlock()
	wg.Wait()
	if took := transactions(db) - before; took != 1 {
		t.Errorf("%d trainers who waited together took %d transactions", n, took)
	}
}

func transactions(db *DB) int {
	tx, seq, err := db.file.Begin(lastSeq)
	if err != nil {
		return 0
	}
	defer db.file.End(tx, seq)
	return tx.ID()
}

// A lone trainer waits for the disk and for nothing else.
func TestLoneTrainerWaitsForNobody(t *testing.T) {
	fast(t)
	db := open(t, tempDB(t), Options{})
	add(t, db, twin(0, "ham"), twin(1, "spam"))
	best := time.Hour
	for i := range 50 {
		start := time.Now()
		add(t, db, twin(2+i, "ham"))
		best = min(best, time.Since(start))
	}
	if best > 2*time.Millisecond {
		t.Errorf("the quickest of 50 trainings without waiting for the disk took %v", best)
	}
}

// One request of a shared commit that fails takes nobody with it.
func TestGroupWithFailures(t *testing.T) {
	t.Parallel()
	shortTails(t)
	fast(t)
	db := open(t, tempDB(t), Options{})
	m := &model{docs: map[count.DocID]count.Document{}}
	for i := range 10 {
		m.docs[twin(i, "").ID] = twin(i, "ham")
		add(t, db, twin(i, "ham"))
	}
	for round := range 40 {
		const n = 12
		errs := make([]error, n)
		var wg sync.WaitGroup
		db.commit.Lock()
		for i := range n {
			wg.Go(func() {
				var d Delta
				d.Add(twin(1000+round*100+i, []string{"spam", fmt.Sprint("class ", round, " ", i)}[i%2]))
				d.Relabel(twin(1000+round*100+i, "").ID, "moved")
				if i%3 == 1 {
					d.Forget(count.DocID{0xff, byte(i)})
				}
				_, errs[i] = db.Apply(&d)
			})
		}
		for waiting := 0; waiting < n; time.Sleep(time.Microsecond) {
			db.queue.mu.Lock()
			waiting = len(db.queue.waiting)
			db.queue.mu.Unlock()
		}
		db.commit.Unlock()
		wg.Wait()
		for i, err := range errs {
			if i%3 == 1 {
				if !errors.Is(err, count.ErrNotLearned) {
					t.Fatalf("request %d: %v", i, err)
				}
				continue
			}
			if err != nil {
				t.Fatalf("request %d: %v", i, err)
			}
			doc := twin(1000+round*100+i, "moved")
			m.docs[doc.ID] = doc
		}
		mustEqualModel(t, db, m)
	}
	mustCheck(t, db)
	db.View(func(s *Snapshot) error {
		for _, c := range s.Classes() {
			if c.Docs == 0 && c.Name != "spam" {
				var round, i int
				fmt.Sscanf(c.Name, "class %d %d", &round, &i)
				if i%3 == 1 {
					t.Errorf("class %q is left of a request that failed", c.Name)
				}
			}
		}
		return nil
	})
}

// Close waits for who is at work, and whoever comes later is told.
func TestCloseDuringUse(t *testing.T) {
	t.Parallel()
	fast(t)
	shortTails(t)
	rounds := 20
	if testing.Short() {
		rounds = 5
	}
	for range rounds {
		path := tempDB(t)
		db, err := Open(path, tuned(t, Options{}))
		if err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		var learned atomic.Int64
		some, many := make(chan struct{}), 1+rand.Int64N(40) // closed when so many are learned
		for k := range 4 {
			wg.Go(func() {
				for i := 0; ; i++ {
					var d Delta
					d.Add(twin(k*1000+i, "ham"))
					if _, err := db.Apply(&d); err != nil {
						if !errors.Is(err, ErrClosed) {
							t.Error(err)
						}
						mustBeOneLine(t, err, path)
						return
					}
					if learned.Add(1) == many {
						close(some)
					}
				}
			})
			wg.Go(func() {
				for {
					err := db.View(func(s *Snapshot) error { _, err := look(s); return err })
					if errors.Is(err, ErrClosed) {
						mustBeOneLine(t, err, path)
						return
					}
					if err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		<-some
		if err := db.Close(); err != nil {
			t.Error(err)
		}
		wg.Wait()
		if err := db.Close(); err != nil {
			t.Errorf("closing twice: %v", err)
		}
		for name, f := range map[string]func() error{
			"compact": func() error { return db.Compact(t.Context()) },
			"rename":  func() error { return db.RenameClass("ham", "x") },
			"delete":  func() error { return db.DeleteClass(context.Background(), "ham") },
			"state":   func() error { return db.PutState(map[string][]byte{"x": nil}) },
			"check":   func() error { _, err := db.Check(context.Background(), func(error) {}); return err },
			"backup":  func() error { _, err := db.Backup(t.Context(), &bytes.Buffer{}); return err },
		} {
			if err := f(); !errors.Is(err, ErrClosed) {
				t.Errorf("%s of a closed database: %v", name, err)
			} else {
				mustBeOneLine(t, err, path)
			}
		}
		again, err := Open(path, tuned(t, Options{}))
		if err != nil {
			t.Fatal(err)
		}
		if r := mustCheck(t, again); int64(r.Documents) != learned.Load() {
			t.Errorf("%d documents, %d were acknowledged", r.Documents, learned.Load())
		}
		again.Close()
	}
}

// A snapshot finds the ledger's entry of a document that was in the tail when it began, although a round
// of merging has put it into the ledger since.
func TestEntryOfLongSnapshot(t *testing.T) {
	t.Parallel()
	shortTails(t)
	fast(t)
	db := open(t, tempDB(t), Options{})
	for i := range 5 {
		add(t, db, sample(i, "ham"))
	}
	err := db.View(func(s *Snapshot) error {
		if base, err := s.tx.Corpus(); err != nil || base.Merged >= s.seq {
			t.Fatalf("nothing is in the tail: %+v, %v", base, err)
		}
		for i := 5; i < 100; i++ {
			add(t, db, sample(i, "ham"))
		}
		for i := range 5 {
			if e, err := s.Entry(sample(i, "ham").ID); e == nil || err != nil {
				t.Errorf("document %d: %v, %v", i, e, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
