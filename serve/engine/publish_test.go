package engine

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// sharedLog is a log of several engines, which apply all of it whenever one publishes; or, if
// it is late, each when it publishes itself.
type sharedLog struct {
	mu      sync.Mutex
	entries []entry
	engines []*Engine
	applied []uint64 // by engine
	away    error
	refusal error // of whatever is published
	late    bool
}

// entry is a Delta, or without data a fit.
type entry struct {
	user string
	data []byte
}

var stream = store.Stream{Name: "log", Created: time.Unix(1, 0)}

// follower is the log as one engine sees it.
type follower struct {
	log *sharedLog
	at  int
}

func (f *follower) Ready() error { return nil }

func (f *follower) Publish(ctx context.Context, user string, d *store.Delta) (applied store.Applied, err error) {
	l := f.log
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.away != nil {
		return applied, l.away
	}
	if l.refusal != nil {
		return store.Applied{Refused: l.refusal}, nil
	}
	var data []byte
	if d != nil {
		if data, err = d.MarshalBinary(); err != nil {
			return applied, err
		}
	}
	l.entries = append(l.entries, entry{user, data})
	for i, e := range l.engines {
		if l.late && i != f.at {
			continue
		}
		one, err := l.apply(ctx, i, e)
		if err != nil {
			return applied, err
		}
		if i == f.at {
			applied = one
		}
	}
	return applied, nil
}

func (l *sharedLog) apply(ctx context.Context, i int, e *Engine) (last store.Applied, err error) {
	for ; l.applied[i] < uint64(len(l.entries)); l.applied[i]++ {
		this := l.entries[l.applied[i]]
		one := store.Logged{Delta: new(store.Delta), Position: l.applied[i] + 1}
		if this.data == nil {
			if err := e.FitAt(ctx, this.user, one.Position); err != nil {
				return last, err
			}
		} else if err := one.Delta.UnmarshalBinary(this.data); err != nil {
			return last, err
		}
		if this.user != "" {
			if err := e.Follow(ctx, this.user, true, func(c *classify.Classifier) error {
				if err := c.Store().Follow(stream, 0); err != nil {
					return err
				}
				all, err := c.Store().ApplyLog(ctx, []store.Logged{one})
				last = all[0]
				return err
			}); err != nil {
				return last, err
			}
			one.Delta = new(store.Delta)
		}
		if err := e.Follow(ctx, "", false, func(c *classify.Classifier) error {
			all, err := c.ApplyLog(ctx, []store.Logged{one})
			if this.user == "" {
				last = all[0]
			}
			return err
		}); err != nil {
			return last, err
		}
	}
	return last, nil
}

// followers returns engines whose databases follow one log.
func followers(t *testing.T, n int, users ...string) *sharedLog {
	l := &sharedLog{applied: make([]uint64, n)}
	for i := range n {
		path := t.TempDir() + "/polya.db"
		c, err := classify.Open(path, classify.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(c.Store().Follow(stream, 0), c.Close()); err != nil {
			t.Fatal(err)
		}
		l.engines = append(l.engines, newEngine(t, Options{Path: path, Publisher: &follower{l, i}, FitAfter: 10 * time.Millisecond, Auto: &Auto{Slack: 20, Error: .1}, Users: Users{
			Path: filepath.Join(filepath.Dir(path), "users", "%u.polya"), MaxOpen: 2, Names: map[bool][]string{true: users}[i == 0],
		}}))
	}
	return l
}

// Engines that follow one log learn what any of them is taught, and answer equally.
func TestEnginesFollowALog(t *testing.T) {
	t.Parallel()
	l := followers(t, 2)
	var all sync.WaitGroup
	for i, e := range l.engines {
		for k := range 4 {
			all.Go(func() {
				for n := k; n < 40; n += 4 {
					teach(t, e, "ham", request("ham", 100*i+n), backend.Learned)
					teach(t, e, "spam", request("spam", 100*i+n), backend.Learned)
				}
			})
		}
	}
	all.Wait()
	a, b := l.engines[0], l.engines[1]
	teach(t, b, "spam", request("spam", 7), backend.Unchanged) // a was taught it
	teach(t, b, "ham", request("spam", 7), backend.Moved)
	if got, err := a.Learn(t.Context(), request("spam", 7), ""); got != backend.Forgotten || err != nil {
		t.Errorf("Forget: %v, %v", got, err)
	}
	if got, err := b.Learn(t.Context(), request("spam", 7), ""); got != backend.Unchanged || err != nil {
		t.Errorf("Forget again: %v, %v", got, err)
	}
	gone, err := b.Undo(t.Context(), "", classify.Query{Class: "ham"}, false)
	if err != nil || gone.Documents != 80 {
		t.Errorf("Undo: %+v, %v", gone, err)
	}
	teach(t, a, "ham", request("ham", 300), backend.Learned)
	if x, y := dump(t, a), dump(t, b); x != y || len(x) == 0 {
		t.Errorf("dumps of %d and %d bytes differ", len(x), len(y))
	}
	if x, y := ask(t, a, request("spam", 500)), ask(t, b, request("spam", 500)); x.Probability != y.Probability || x.Class != "spam" {
		t.Errorf("answers %+v and %+v", x, y)
	}
}

// fitsOf returns the calibration and the weights of a user's database.
func fitsOf(t *testing.T, e *Engine, user string) (all string) {
	t.Helper()
	if err := e.Use(t.Context(), user, func(c *classify.Classifier) error {
		k, err := c.Calibration()
		if k != nil {
			data, _ := k.Marshal()
			all = string(data)
		}
		return cmp.Or(err, c.Store().View(func(s *store.Snapshot) error { all += string(s.State("serve/blend")); return nil }))
	}); err != nil {
		t.Fatal(err)
	}
	return all
}

// Users whom any engine teaches, more than may be open at a time, are learned by all that follow the
// log, also where nobody knows them, and answered equally; what the shared database has stays as it is.
func TestUsersFollowALog(t *testing.T) {
	t.Parallel()
	names := []string{"ann", "bob", "cleo", "dan"}
	l := followers(t, 2, names...)
	a, b := l.engines[0], l.engines[1]
	for n := range 40 {
		teach(t, a, "ham", request("ham", n), backend.Learned)
		teach(t, b, "spam", request("spam", n), backend.Learned)
	}
	shared := dump(t, a)
	var all sync.WaitGroup
	for i, name := range names {
		all.Go(func() {
			for n := range 30 {
				// They file what the base has the other way.
				teach(t, a, "spam", of(name, request("ham", 1000*i+100+n)), backend.Learned)
				teach(t, a, "ham", of(name, request("spam", 1000*i+100+n)), backend.Learned)
			}
		})
	}
	all.Wait()
	teach(t, b, "spam", of("ann", request("spam", 100)), backend.Moved)
	if got, err := b.Learn(t.Context(), of("ann", request("ham", 101)), ""); got != backend.Forgotten || err != nil {
		t.Errorf("Forget: %v, %v", got, err)
	}
	gone, err := b.Undo(t.Context(), "bob", classify.Query{Class: "ham"}, false)
	if err != nil || gone.Documents != 30 {
		t.Errorf("Undo: %+v, %v", gone, err)
	}
	eventually(t, "models are not fitted", func() bool {
		l.mu.Lock()
		defer l.mu.Unlock()
		unfitted := make(map[string]bool)
		for _, e := range l.entries {
			unfitted[e.user] = e.user != "" && e.data != nil
		}
		return !slices.Contains(slices.Collect(maps.Values(unfitted)), true)
	})
	for _, name := range names {
		if x, y := dumpOf(t, a, name), dumpOf(t, b, name); x != y || len(x) < 1000 {
			t.Errorf("%s: dumps of %d and %d bytes differ", name, len(x), len(y))
		}
		if x, y := fitsOf(t, a, name), fitsOf(t, b, name); x != y || name == "cleo" && strings.Index(x, `{"Weights":{"Sum":`) < 100 {
			t.Errorf("%s: fits %s and %s", name, x, y)
		}
		for n := range 20 {
			r := of(name, request([]string{"ham", "spam"}[n%2], 5000+n))
			x, y := ask(t, a, r), ask(t, b, r)
			if x.Probability != y.Probability || x.Class != y.Class || name == "cleo" && x.Class != []string{"spam", "ham"}[n%2] {
				t.Errorf("%s, %d: answers %+v and %+v", name, n, x, y)
			}
		}
	}
	if x, y := dump(t, a), dump(t, b); x != shared || y != shared {
		t.Error("users teach everybody")
	}
	for _, bad := range []string{"Ann", "..", "a/b", "/", "\u212a", "../users/ann", "a\x00"} {
		if err := b.Follow(t.Context(), bad, true, func(*classify.Classifier) error { return nil }); !errors.Is(err, backend.ErrUser) {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if err := a.Change(t.Context(), "dan", func(*classify.Classifier) error { panic("called") }); !errors.Is(err, store.ErrFollows) {
		t.Errorf("Change: %v", err)
	}
}

// What another engine was taught a moment ago is taken back, moved and told from what is new,
// though this one has not applied it yet.
func TestTaughtElsewhere(t *testing.T) {
	t.Parallel()
	l := followers(t, 2)
	l.late = true
	a, b := l.engines[0], l.engines[1]
	for n := range 2 {
		teach(t, a, "ham", request("ham", n), backend.Learned)
	}
	if got, err := b.Learn(t.Context(), request("ham", 0), ""); got != backend.Forgotten || err != nil {
		t.Errorf("Forget: %v, %v", got, err)
	}
	teach(t, a, "spam", request("ham", 1), backend.Moved)
	teach(t, b, "ham", request("ham", 1), backend.Moved) // b has it as ham until it has looked
	teach(t, a, "spam", request("ham", 1), backend.Moved)
	if got, err := b.Relabel(t.Context(), "", idOf(t, b).String(), "ham", "me"); got != backend.Moved || err != nil {
		t.Errorf("Relabel: %v, %v", got, err)
	}
	l.late = false
	teach(t, a, "ham", request("ham", 1), backend.Unchanged)
	if x, y := dump(t, a), dump(t, b); x != y {
		t.Errorf("dumps of %d and %d bytes differ", len(x), len(y))
	}
}

// What the log refuses is the error of the one training that it refuses.
func TestRefusedByTheLog(t *testing.T) {
	t.Parallel()
	l := followers(t, 1)
	e := l.engines[0]
	teach(t, e, "ham", request("ham", 1), backend.Learned)
	// Somebody else forgets it between the look into the ledger and the log.
	l.refusal = count.ErrNotLearned
	if _, err := e.Relabel(t.Context(), "", idOf(t, e).String(), "spam", "me"); !errors.Is(err, count.ErrNotLearned) {
		t.Errorf("Relabel: %v", err)
	}
}

// idOf returns the id of the document that was learned.
func idOf(t *testing.T, e *Engine) (id count.DocID) {
	t.Helper()
	if err := e.Use(t.Context(), "", func(c *classify.Classifier) error {
		return c.Store().View(func(s *store.Snapshot) error {
			return s.Entries(func(entry *store.Entry) error { id = entry.ID; return nil })
		})
	}); err != nil {
		t.Fatal(err)
	}
	return id
}

// Without its log an engine answers, learns nothing, and lets nobody else change the database.
func TestLogIsAway(t *testing.T) {
	t.Parallel()
	l := followers(t, 1)
	e := l.engines[0]
	for n := range 20 {
		teach(t, e, "ham", request("ham", n), backend.Learned)
		teach(t, e, "spam", request("spam", n), backend.Learned)
	}
	before := dump(t, e)
	l.away = errors.New("the log is away")
	if _, err := e.Learn(t.Context(), request("ham", 50), "ham"); !errors.Is(err, l.away) {
		t.Errorf("Learn: %v", err)
	}
	if a := ask(t, e, request("spam", 60)); a.Class != "spam" {
		t.Errorf("answer %+v", a)
	}
	if err := e.Change(t.Context(), "", func(*classify.Classifier) error { panic("called") }); !errors.Is(err, store.ErrFollows) {
		t.Errorf("Change: %v", err)
	}
	if before != dump(t, e) {
		t.Error("the database has changed")
	}
}

// What an engine learns automatically, for all or for a user, the others learn, and it counts where
// they limit what they learn so.
func TestAutoFollowsALog(t *testing.T) {
	t.Parallel()
	l := followers(t, 2, "ann")
	a, b := l.engines[0], l.engines[1]
	for n := range 60 {
		teach(t, a, "ham", request("ham", n), backend.Learned)
		teach(t, b, "spam", request("spam", n), backend.Learned)
		teach(t, a, "ham", of("ann", request("ham", 100+n)), backend.Learned)
		teach(t, a, "spam", of("ann", request("spam", 100+n)), backend.Learned)
	}
	for n := range 60 {
		for i, e := range l.engines {
			if out, err := e.Learn(t.Context(), request("spam", 5000), ""); out != backend.Unchanged || err != nil { // and then it counts anew
				t.Fatal(out, err)
			}
			ask(t, e, request("spam", 1000+100*i+n))
			quiet(t, e)
		}
		ask(t, b, of("ann", request("ham", 2000+n)))
		quiet(t, b)
	}
	if x, y := dump(t, a), dump(t, b); x != y {
		t.Errorf("dumps of %d and %d bytes differ", len(x), len(y))
	}
	shared := func() (n int) {
		l.mu.Lock()
		defer l.mu.Unlock()
		for _, e := range l.entries {
			if e.user == "" {
				n++
			}
		}
		return n
	}
	before := shared()
	ask(t, a, request("spam", 4000))
	quiet(t, a)
	if n := shared() - before; n != 0 {
		t.Errorf("%d entries of what is not learned", n)
	}
	// 20 more than the share of people, who have taught ham no less; the last may come from each.
	if got := sources(t, b)[[2]string{"spam", backend.AutoSource}]; got < 20 || got > 42 {
		t.Errorf("%d are learned automatically", got)
	}
	if x, y := dumpOf(t, a, "ann"), dumpOf(t, b, "ann"); x != y || !strings.Contains(x, backend.AutoSource) {
		t.Errorf("ann: dumps of %d and %d bytes differ", len(x), len(y))
	}
}
