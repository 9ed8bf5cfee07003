package store

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/polya-classifier/polya/internal/raced"
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/stored"
)

// badLog returns n Deltas of a log, with gaps between their positions. Some of one document
// and some of many cannot be carried out, at their first step or after others.
func badLog(t *testing.T, n int) []Logged {
	t.Helper()
	rng := rand.New(rand.NewPCG(19, uint64(n)))
	classes := []string{"ham", "spam", "bulk"}
	var log []Logged
	position := uint64(0)
	for i := range n {
		d := new(Delta)
		steps := 1
		if i%9 == 4 {
			steps = 30
		}
		for range steps {
			doc := attributed(rng.IntN(n), classes[rng.IntN(3)])
			switch rng.IntN(30 * steps) {
			case 0:
				d.Forget(doc.ID) // of a digest: no counts
			case 1:
				must(t, d.Move(doc)) // often never learned
			case 2:
				doc.Attributes = []count.Attribute{{Name: "size", Kind: count.Category, Category: "of another kind"}}
				must(t, d.Add(doc))
			case 3:
				doc.Terms = append(doc.Terms, count.TermCount{Term: []byte("nobody learned this"), N: 1})
				must(t, d.Take(doc))
			case 4:
				must(t, d.Relabel(doc.ID, fmt.Sprintf("new %d", i))) // a class that a refusal must not leave
			default:
				must(t, d.Add(doc))
			}
		}
		position += 1 + uint64(rng.IntN(3))
		log = append(log, Logged{d, position})
	}
	return log
}

func positionOf(t testing.TB, db *DB) (position uint64) {
	t.Helper()
	if err := db.View(func(s *Snapshot) (err error) { position, err = s.Position(); return err }); err != nil {
		t.Fatal(err)
	}
	return position
}

// A log leaves the same, however it is grouped, cut and delivered again, and the Deltas in
// it that cannot be carried out are those that Apply refuses.
func TestApplyLogGrouped(t *testing.T) {
	raced.Skip(t)
	if testing.Short() {
		t.Skip("takes seconds of processor time")
	}
	for _, keep := range []count.Ledger{count.LedgerFull, count.LedgerDigest, count.LedgerNone} {
		t.Run(keep.String(), func(t *testing.T) {
			shortTails(t)
			log := badLog(t, 200)
			plain := open(t, tempDB(t), Options{Ledger: keep})
			refused := 0
			var want []string
			for _, l := range log {
				_, err := plain.Apply(l.Delta)
				if err != nil {
					refused++
				}
				want = append(want, strings.TrimPrefix(fmt.Sprint(err), plain.Path()+": "))
			}
			if refused < 10 || refused > 150 {
				t.Fatalf("%d of %d refused: little is tried", refused, len(log))
			}
			for seed := range uint64(3) {
				rng := rand.New(rand.NewPCG(seed, 1))
				o := tuned(t, Options{Ledger: keep})
				path := tempDB(t)
				db, err := Open(path, o)
				must(t, err)
				must(t, db.Follow(Stream{Name: "log", Created: time.Unix(7, 0)}, 0))
				for at := 0; at < len(log); {
					from, to := max(0, at-rng.IntN(5)), min(len(log), at+1+rng.IntN(40))
					applied, err := db.ApplyLog(context.Background(), log[from:to])
					if err != nil || len(applied) != to-from {
						t.Fatalf("%d of %d applied: %v", len(applied), to-from, err)
					}
					for i, a := range applied {
						got := fmt.Sprint(a.Refused)
						if a.Skipped != (from+i < at) || !a.Skipped && got != want[from+i] {
							t.Fatalf("position %d: skipped %v, refused %s, want %s", log[from+i].Position, a.Skipped, got, want[from+i])
						}
					}
					at = to
					if p := positionOf(t, db); p != log[at-1].Position {
						t.Fatalf("position %d after %d", p, log[at-1].Position)
					}
					if rng.IntN(3) == 0 {
						must(t, db.Close())
						db, err = Open(path, o)
						must(t, err)
					}
				}
				mustEqualText(t, dumpBody(dumpOf(t, db, true)), dumpBody(dumpOf(t, plain, true)))
				mustCheck(t, db)
				must(t, db.Close())
			}
		})
	}
}

// A transaction that fails leaves the position before it, and nothing after it is applied.
func TestApplyLogStops(t *testing.T) {
	shortTails(t)
	db := open(t, tempDB(t), Options{})
	log := badLog(t, 60)
	ctx, cancel := context.WithCancel(context.Background())
	cancel() // a Delta of many documents heeds it
	many := slices.IndexFunc(log, func(l Logged) bool { return l.Delta.Len() > 20 })
	applied, err := db.ApplyLog(ctx, log)
	if !errors.Is(err, context.Canceled) || len(applied) != many {
		t.Fatalf("%d applied, want %d: %v", len(applied), many, err)
	}
	if p := positionOf(t, db); p != log[many-1].Position {
		t.Errorf("position %d, want %d", p, log[many-1].Position)
	}
	if applied, err = db.ApplyLog(context.Background(), log); err != nil || len(applied) != len(log) || applied[many].Skipped {
		t.Errorf("%d applied again: %v", len(applied), err)
	}
	for _, bad := range [][]Logged{{{new(Delta), 0}}, {log[1], log[0]}, {log[0], log[0]}, {{&Delta{Keep: 9}, 1 << 20}}} {
		if _, err := db.ApplyLog(context.Background(), bad); !errors.Is(err, count.ErrInvalid) {
			t.Errorf("a log out of order: %v", err)
		}
	}
	if applied, err := db.ApplyLog(context.Background(), nil); applied != nil || err != nil {
		t.Errorf("nothing: %v, %v", applied, err)
	}
}

// Callers that share a transaction: a Delta that is refused fails no other.
func TestApplyAtRefusedTogether(t *testing.T) {
	t.Parallel()
	db := open(t, tempDB(t), Options{})
	var wg sync.WaitGroup
	db.commit.Lock() // until all wait
	for i := range 20 {
		wg.Go(func() {
			var d Delta
			if i%2 == 0 {
				d.Forget(count.DocID{byte(i)})
			} else {
				d.Add(attributed(i, "ham"))
			}
			if _, err := db.Apply(&d); (err != nil) != (i%2 == 0) || err != nil && !errors.Is(err, count.ErrNotLearned) {
				t.Errorf("%d: %v", i, err)
			}
		})
	}
	for db.queue.size() < 20 {
		time.Sleep(time.Millisecond)
	}
	db.commit.Unlock()
	wg.Wait()
	if r := mustCheck(t, db); r.Documents != 10 {
		t.Errorf("%d documents", r.Documents)
	}
}

func (q *queue) size() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.waiting)
}

func TestFollow(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	db, other := open(t, tempDB(t), Options{}), open(t, tempDB(t), Options{Ledger: count.LedgerNone})
	var one, two Delta
	must(t, one.Add(attributed(1, "ham")))
	must(t, two.Add(attributed(2, "spam")))
	_, err := db.Apply(&one)
	must(t, err)
	_, err = db.Apply(&two)
	must(t, err)
	_, err = other.Apply(&two)
	must(t, err)
	dump := dumpOf(t, other, true)
	made := time.Unix(1_700_000_000, 123456789)
	s := Stream{Name: "polya", Created: made}
	must(t, db.Follow(s, 40))
	must(t, db.PutState(map[string][]byte{"fit": []byte("is derived")}))
	before := dumpOf(t, db, true)
	for name, change := range map[string]func() error{
		"apply":  func() error { _, err := db.Apply(&one); return err },
		"many":   func() error { _, err := db.Apply(manyOf(t, 400)); return err },
		"rename": func() error { return db.RenameClass("ham", "good") },
		"delete": func() error { return db.DeleteClass(ctx, "ham") },
		"join":   func() error { return db.MergeClass(ctx, "ham", "spam") },
		"merge":  func() error { _, err := db.Merge(ctx, MergeOptions{}, other); return err },
		"load":   func() error { _, err := db.Load(ctx, false, strings.NewReader(dump)); return err },
		"prune": func() error {
			_, err := db.Prune(ctx, false, func([]byte, []count.Cell) bool { return true })
			return err
		},
	} {
		if err := change(); !errors.Is(err, ErrFollows) {
			t.Errorf("%s: %v", name, err)
		} else {
			mustBeOneLine(t, err, db.Path())
		}
	}
	if now := dumpOf(t, db, true); now != before {
		t.Error("refused, and changed all the same")
	}
	must(t, db.Compact(ctx))

	stream := func(want *Stream) {
		t.Helper()
		must(t, db.View(func(snap *Snapshot) error {
			got, err := snap.Stream()
			if err != nil || (got == nil) != (want == nil) || got != nil && (got.Name != want.Name || !got.Created.Equal(want.Created)) {
				t.Errorf("follows %v, want %v; %v", got, want, err)
			}
			return nil
		}))
	}
	stream(&s)
	must(t, db.Follow(s, 0)) // as each process does that begins
	if p := positionOf(t, db); p != 40 {
		t.Errorf("position %d, want 40", p)
	}
	if a, err := db.applyAt(&one, 40); err != nil || !a.Skipped {
		t.Errorf("applied before: %+v, %v", a, err)
	}
	if a, err := db.applyAt(&one, 41); err != nil || a.Already != 1 {
		t.Errorf("the next: %+v, %v", a, err)
	}
	for _, wrong := range []Stream{{Name: "polya", Created: made.Add(1)}, {Name: "Polya", Created: made}, {Name: "polya ", Created: made}} {
		if err := db.Follow(wrong, 0); !errors.Is(err, errOtherLog) {
			t.Errorf("%v: %v", wrong, err)
		} else {
			mustBeOneLine(t, err, db.Path())
		}
	}
	for _, wrong := range []string{"", strings.Repeat("x", 256)} {
		if err := db.Follow(Stream{Name: wrong, Created: made}, 0); !errors.Is(err, count.ErrInvalid) {
			t.Errorf("a name of %d bytes: %v", len(wrong), err)
		}
	}
	stream(&s)
	mustCheck(t, db)

	copied := backupOf(t, db) // what a new node begins with
	must(t, copied.Follow(s, 0))
	if p := positionOf(t, copied); p != 41 {
		t.Errorf("a backup is at position %d, want 41", p)
	}

	must(t, db.Follow(Stream{}, 0))
	must(t, db.Follow(Stream{}, 0))
	stream(nil)
	if _, err := db.Apply(manyOf(t, 3)); err != nil {
		t.Error(err)
	}
	anew := Stream{Name: "polya", Created: made.Add(time.Hour)}
	must(t, db.Follow(anew, 2))
	stream(&anew)
	if a, err := db.applyAt(&two, 3); err != nil || a.Skipped {
		t.Errorf("of a log made anew: %+v, %v", a, err)
	}
	if h := headerOf(t, db); h.Flags&stored.FlagFollows == 0 {
		t.Error("an older program would change it")
	}
}

func manyOf(t *testing.T, n int) *Delta {
	d := new(Delta)
	for i := range n {
		must(t, d.Add(attributed(1000+i, "ham")))
	}
	return d
}

func headerOf(t *testing.T, db *DB) (h stored.Header) {
	must(t, db.View(func(s *Snapshot) (err error) { h, err = s.tx.Header(); return err }))
	return h
}

func backupOf(t *testing.T, db *DB) *DB {
	t.Helper()
	path := tempDB(t)
	f, err := os.Create(path)
	must(t, err)
	_, err = db.Backup(context.Background(), f)
	must(t, err)
	must(t, f.Close())
	out, err := Open(path, tuned(t, Options{}))
	must(t, err)
	t.Cleanup(func() { out.Close() })
	return out
}

// killedLog is the log that a process follows until it is killed.
const killedLog = 4000

// followUntilKilled applies the log of TestFollowKilled in groups, and prints the position
// of each when it is on the disk.
func followUntilKilled(path string) {
	log := badLog(new(testing.T), killedLog)
	u := small
	u.minTail, u.minMerge, u.minTable, u.manySteps, u.spare = 16, 1, 2<<10, 20, 0
	db, err := Open(path, Options{Ledger: count.LedgerDigest, tuning: &u})
	if err == nil {
		err = db.Follow(Stream{Name: "log", Created: time.Unix(7, 0)}, 0)
	}
	for at := 0; at < len(log) && err == nil; {
		to := min(len(log), at+1+rand.IntN(60))
		if _, err = db.ApplyLog(context.Background(), log[at:to]); err == nil {
			fmt.Println(log[to-1].Position)
		}
		at = to
	}
	fmt.Println("end", err)
}

// A process that follows a log and is killed at any moment has applied each Delta once or
// not at all, up to its position, those that are refused too.
func TestFollowKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds of processor time")
	}
	raced.Skip(t)
	t.Parallel()
	self, err := os.Executable()
	must(t, err)
	path, log := tempDB(t), badLog(t, killedLog)
	plain := open(t, tempDB(t), Options{Ledger: count.LedgerDigest})
	lives := 12
	if testing.Short() {
		lives = 4
	}
	next := 0
	for range lives {
		cmd := exec.Command(self)
		cmd.Env = append(os.Environ(), "POLYA_STORE_FOLLOW="+path)
		out, err := cmd.StdoutPipe()
		must(t, err)
		must(t, cmd.Start())
		acknowledged, first := uint64(0), true
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if first {
				first = false
				time.AfterFunc(time.Duration(rand.IntN(150))*time.Millisecond, func() { cmd.Process.Kill() })
			}
			if p, err := strconv.ParseUint(lines.Text(), 10, 64); err == nil {
				acknowledged = p
			} else if lines.Text() != "end <nil>" {
				t.Fatal(lines.Text())
			}
		}
		cmd.Wait()
		db, err := Open(path, tuned(t, Options{}))
		must(t, err)
		position := positionOf(t, db)
		if position < acknowledged {
			t.Fatalf("position %d, acknowledged %d", position, acknowledged)
		}
		for ; next < len(log) && log[next].Position <= position; next++ {
			plain.Apply(log[next].Delta)
		}
		mustCheck(t, db)
		mustEqualText(t, dumpBody(dumpOf(t, db, true)), dumpBody(dumpOf(t, plain, true)))
		must(t, db.Close())
	}
	if next < lives {
		t.Errorf("%d Deltas in %d lives: nothing was tried", next, lives)
	}
}

// applyAt is Apply for a Delta at a position of a log, or at 0.
func (db *DB) applyAt(d *Delta, position uint64) (a Applied, err error) {
	if position == 0 {
		return db.Apply(d)
	}
	list, err := db.ApplyLog(context.Background(), []Logged{{d, position}})
	if len(list) > 0 {
		a = list[0]
	}
	return a, err
}

// A Delta that no database with the same header can apply is refused at its position, and does not stop
// the log.
func TestApplyLogRefusesInvalid(t *testing.T) {
	t.Parallel()
	fast(t)
	db := open(t, tempDB(t), Options{Tags: true})
	var classes, tags Delta
	must(t, classes.Add(sample(1, "ham")))
	must(t, tags.Add(sample(2, ",ham")))
	applied, err := db.ApplyLog(context.Background(), []Logged{{&classes, 1}, {&tags, 2}})
	must(t, err)
	if !errors.Is(applied[0].Refused, count.ErrInvalid) || applied[1].Learned != 1 || positionOf(t, db) != 2 {
		t.Errorf("%+v", applied)
	}
}
