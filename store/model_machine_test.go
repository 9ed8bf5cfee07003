package store

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"sync"

	"pgregory.net/rapid"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/layout"
)

// machine drives a database and its sim.
type machine struct {
	*sim
	t    rapid.TB
	db   *DB
	path string
	dirs int
	o    Options
}

func (m *machine) open() {
	db, err := Open(m.path, tuned(m.t, m.o))
	if err != nil {
		m.t.Fatal(err)
	}
	m.db = db
}

// goOnWith leaves the file, which stays as it is, for another one of that content.
func (m *machine) goOnWith(content []byte) {
	old := m.db
	m.dirs++
	m.path = fmt.Sprintf("%s.%d", m.path, m.dirs)
	if err := os.WriteFile(m.path, content, 0o600); err != nil {
		m.t.Fatal(err)
	}
	m.open()
	old.Close()
	os.Remove(old.Path())
}

func (m *machine) close() {
	if err := m.db.Close(); err != nil {
		m.t.Fatal(err)
	}
}

// request applies ops to both, at a position unless that is 0.
func (m *machine) request(ops []simOp, keep count.Ledger, position uint64, wire bool) {
	d := Delta{Keep: keep}
	for _, o := range ops {
		if err := o.addTo(&d); err != nil {
			m.t.Fatal(err)
		}
	}
	if wire {
		d = *throughWire(m.t, &d)
	}
	next := m.clone()
	var want Applied
	var wantErr error
	if position > 0 && position <= m.position {
		want.Skipped = true
	} else if want, wantErr = next.apply(ops, keep); wantErr == nil && position > 0 {
		next.position = position
	}
	got, err := m.db.applyAt(&d, position)
	wantErr = firstMet(d.Len(), cmp.Or(err, got.Refused), wantErr)
	if position > 0 && err == nil {
		err, got.Refused = got.Refused, nil
	} else if position > 0 {
		m.t.Fatalf("%v: not refused but failed: %v", ops, err)
	}
	if !sameError(err, wantErr) {
		m.t.Fatalf("%v: error %v, want %v", ops, err, wantErr)
	}
	if err != nil {
		if position > 0 {
			m.sim.position = position // the refusal is all that there is to it
		} else {
			mustBeOneLine(m.t, err, m.path)
		}
		want = Applied{}
	} else {
		m.sim = next
	}
	if !reflect.DeepEqual(got, want) {
		m.t.Fatalf("%v: applied %+v, want %+v", ops, got, want)
	}
}

// firstMet is got in place of want, if each says that a step is impossible: of several
// steps the store may meet another of those first.
func firstMet(steps int, got, want error) error {
	var kind *count.AttributeError
	if want != nil && (errors.Is(got, count.ErrNotLearned) || errors.Is(got, ErrNoCounts) || errors.As(got, &kind) && steps > 1) {
		return got
	}
	return want
}

func (m *machine) fresh(o Options) *DB {
	m.dirs++
	db, err := Open(fmt.Sprintf("%s.%d", m.path, m.dirs), tuned(m.t, o))
	if err != nil {
		m.t.Fatal(err)
	}
	return db
}

// group applies several requests at once, of which some fail.
func (m *machine) group(t *rapid.T) {
	n := rapid.IntRange(2, 5).Draw(t, "requests")
	type job struct {
		d    Delta
		want error
		app  Applied
		got  error
		gapp Applied
	}
	jobs := make([]*job, n)
	next := m.clone()
	used := map[count.DocID]bool{}
	for i := range jobs {
		j := &job{}
		jobs[i] = j
		var ops []simOp
		for range rapid.IntRange(1, 4).Draw(t, "ops") {
			o := drawOp(t, next)
			if _, known := next.docs[o.doc.ID]; used[o.doc.ID] || o.kind == "take" && !known {
				continue
			}
			if hasChanging(o.doc) || hasChanging(next.docs[o.doc.ID]) {
				continue // who comes first decides
			}
			ops = append(ops, o)
		}
		for _, o := range ops {
			used[o.doc.ID] = true
			if err := o.addTo(&j.d); err != nil {
				m.t.Fatal(err)
			}
		}
		trial := next.clone()
		if j.app, j.want = trial.apply(ops, 0); j.want == nil {
			next = trial
		} else {
			j.app = Applied{}
		}
	}
	// All of them wait while the lock is held, so that they share a commit.
	m.db.commit.Lock()
	var wg sync.WaitGroup
	for _, j := range jobs {
		wg.Go(func() { j.gapp, j.got = m.db.Apply(&j.d) })
	}
	for waiting := 0; waiting < n; {
		m.db.queue.mu.Lock()
		waiting = len(m.db.queue.waiting)
		m.db.queue.mu.Unlock()
	}
	m.db.commit.Unlock()
	wg.Wait()
	for _, j := range jobs {
		j.want = firstMet(j.d.Len(), j.got, j.want)
		if !errors.Is(j.got, j.want) || (j.got == nil) != (j.want == nil) || !reflect.DeepEqual(j.gapp, j.app) {
			m.t.Fatalf("in a group: %+v, %v, want %+v, %v", j.gapp, j.got, j.app, j.want)
		}
	}
	m.sim = next
}

func (m *machine) class(name string) (has bool) {
	m.db.View(func(s *Snapshot) error { has = count.ClassNamed(s.Classes(), name) >= 0; return nil })
	return has
}

func (m *machine) rename(from, to string) {
	hasFrom, hasTo := m.class(from), m.class(to)
	err := m.db.RenameClass(from, to)
	switch {
	case !hasFrom && !errors.Is(err, ErrNoClass), hasFrom && hasTo && from != to && !errors.Is(err, ErrClassExists), hasFrom && (!hasTo || from == to) && err != nil:
		m.t.Fatal(err)
	case err != nil:
		mustBeOneLine(m.t, err, m.path)
		return
	}
	m.relabel(from, to)
}

// relabel makes all documents of from documents of to.
func (m *machine) relabel(from, to string) {
	for id, d := range m.docs {
		if d.Class == from {
			d.Class = to
			m.docs[id] = d
		}
	}
	m.untracked = slices.Clone(m.untracked)
	for i := range m.untracked {
		if m.untracked[i].Class == from {
			m.untracked[i].Class = to
		}
	}
}

// mergeClass: every document of from is one of into, and nothing else changes.
func (m *machine) mergeClass(from, into string) {
	has := m.class(from) && m.class(into)
	err := m.db.MergeClass(context.Background(), from, into)
	switch {
	case !has && !errors.Is(err, ErrNoClass), has && from == into && !errors.Is(err, count.ErrInvalid), has && from != into && err != nil:
		m.t.Fatal(err)
	case err != nil:
		mustBeOneLine(m.t, err, m.path)
		return
	}
	if m.class(from) {
		m.t.Fatalf("class %q is still there", from)
	}
	m.relabel(from, into)
}

func (m *machine) deleteClass(name string) {
	has := m.class(name)
	err := m.db.DeleteClass(context.Background(), name)
	if has != (err == nil) || !has && !errors.Is(err, ErrNoClass) {
		m.t.Fatal(err)
	}
	for id, d := range m.docs {
		if d.Class == name {
			delete(m.docs, id)
			delete(m.keep, id)
		}
	}
	m.untracked = slices.DeleteFunc(slices.Clone(m.untracked), func(d count.Document) bool { return d.Class == name })
}

// merge adds another database: all of its documents by id if its ledger is
// whole, its sums otherwise.
func (m *machine) merge(t *rapid.T) {
	mode := rapid.SampledFrom([]count.Ledger{count.LedgerFull, count.LedgerFull, count.LedgerDigest, count.LedgerNone}).Draw(t, "other mode")
	db := m.fresh(Options{Analyzer: "a", Ledger: mode})
	defer db.Close()
	other := &machine{sim: newSim(mode), t: m.t, db: db, path: db.Path()}
	for range rapid.IntRange(0, 3).Draw(t, "requests") {
		keep := drawKeep(t)
		other.request(drawOps(t, other.sim, rapid.IntRange(1, 25).Draw(t, "n"), keep), keep, 0, false)
	}
	twice := rapid.Bool().Draw(t, "twice")
	whole, overlap := len(other.untracked) == 0, false
	for id, k := range other.keep {
		whole = whole && k == count.LedgerFull
		overlap = overlap || m.keep[id] != 0
	}
	var ops []simOp
	for _, id := range layout.InOrder(other.docs) {
		ops = append(ops, simOp{"add", other.docs[id]})
	}
	next := m.clone()
	var want Applied
	var wantErr error
	switch {
	case whole:
		want, wantErr = next.apply(ops, 0)
	case m.kindConflict(other.sim) != nil:
		wantErr = m.kindConflict(other.sim)
	default:
		if overlap && (m.pruned || other.pruned) {
			return // whether a digest says enough depends on when terms were dropped
		}
		want, wantErr = next.merge(other.sim, twice)
	}
	got, err := m.db.Merge(context.Background(), MergeOptions{Twice: twice}, db)
	if !sameError(err, wantErr) {
		m.t.Fatalf("merging: error %v, want %v", err, wantErr)
	}
	if err != nil {
		mustBeOneLine(m.t, err, m.path)
		return
	}
	m.sim = next
	slices.SortFunc(got.Conflicts, func(a, b count.DocID) int { return bytes.Compare(a[:], b[:]) }) // it came in the order of the other log
	if !reflect.DeepEqual(got, want) {
		m.t.Fatalf("merging: %+v, want %+v", got, want)
	}
	mustEqualSim(m.t, db, other.sim)
	if whole && m.mode != count.LedgerNone {
		if a, err := m.db.Merge(context.Background(), MergeOptions{}, db); err != nil || a.Already+len(a.Conflicts) != len(ops) {
			m.t.Fatalf("merging again: %+v, %v", a, err)
		}
	}
}
