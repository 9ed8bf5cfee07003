package engine

import (
	"bytes"
	"context"
	"errors"
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
	entries [][]byte
	engines []*Engine
	applied []uint64 // by engine
	away    error
	refusal error // of whatever is published
	late    bool
}

// follower is the log as one engine sees it.
type follower struct {
	log *sharedLog
	at  int
}

func (f *follower) Publish(ctx context.Context, d *store.Delta) (applied store.Applied, err error) {
	l := f.log
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.away != nil {
		return applied, l.away
	}
	if l.refusal != nil {
		return store.Applied{Refused: l.refusal}, nil
	}
	data, err := d.MarshalBinary()
	if err != nil {
		return applied, err
	}
	l.entries = append(l.entries, data)
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
	var list []store.Logged
	for n, data := range l.entries[l.applied[i]:] {
		d := new(store.Delta)
		if err := d.UnmarshalBinary(data); err != nil {
			return last, err
		}
		list = append(list, store.Logged{Delta: d, Position: l.applied[i] + uint64(n) + 1})
	}
	l.applied[i] = uint64(len(l.entries))
	err = e.Use(ctx, "", func(c *classify.Classifier) error {
		all, err := c.ApplyLog(ctx, list)
		if err == nil {
			last = all[len(all)-1]
		}
		return err
	})
	return last, err
}

// followers returns engines whose databases follow one log.
func followers(t *testing.T, n int) *sharedLog {
	l := &sharedLog{applied: make([]uint64, n)}
	for i := range n {
		path := t.TempDir() + "/polya.db"
		c, err := classify.Open(path, classify.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(c.Store().Follow(store.Stream{Name: "log", Created: time.Unix(1, 0)}, 0), c.Close()); err != nil {
			t.Fatal(err)
		}
		l.engines = append(l.engines, newEngine(t, Options{Path: path, Publisher: &follower{l, i}}))
	}
	return l
}

func dumped(t *testing.T, e *Engine) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := e.Use(t.Context(), "", func(c *classify.Classifier) error { return c.Store().Dump(t.Context(), &b, true) }); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
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
	if got, err := a.Forget(t.Context(), request("spam", 7)); got != backend.Forgotten || err != nil {
		t.Errorf("Forget: %v, %v", got, err)
	}
	if got, err := b.Forget(t.Context(), request("spam", 7)); got != backend.Unchanged || err != nil {
		t.Errorf("Forget again: %v, %v", got, err)
	}
	gone, err := b.Undo(t.Context(), "", classify.Query{Class: "ham"}, false)
	if err != nil || gone.Documents != 80 {
		t.Errorf("Undo: %+v, %v", gone, err)
	}
	teach(t, a, "ham", request("ham", 300), backend.Learned)
	if x, y := dumped(t, a), dumped(t, b); !bytes.Equal(x, y) || len(x) == 0 {
		t.Errorf("dumps of %d and %d bytes differ", len(x), len(y))
	}
	if x, y := ask(t, a, request("spam", 500)), ask(t, b, request("spam", 500)); x.Probability != y.Probability || x.Class != "spam" {
		t.Errorf("answers %+v and %+v", x, y)
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
	if got, err := b.Forget(t.Context(), request("ham", 0)); got != backend.Forgotten || err != nil {
		t.Errorf("Forget: %v, %v", got, err)
	}
	teach(t, a, "spam", request("ham", 1), backend.Moved)
	teach(t, b, "ham", request("ham", 1), backend.Moved) // b has it as ham until it has looked
	teach(t, a, "spam", request("ham", 1), backend.Moved)
	if got, err := b.Relabel(t.Context(), "", idOf(t, b), "ham", "me"); got != backend.Moved || err != nil {
		t.Errorf("Relabel: %v, %v", got, err)
	}
	l.late = false
	teach(t, a, "ham", request("ham", 1), backend.Unchanged)
	if x, y := dumped(t, a), dumped(t, b); !bytes.Equal(x, y) {
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
	if _, err := e.Relabel(t.Context(), "", idOf(t, e), "spam", "me"); !errors.Is(err, count.ErrNotLearned) {
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
	before := dumped(t, e)
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
	if !bytes.Equal(before, dumped(t, e)) {
		t.Error("the database has changed")
	}
}

func TestPublisherExcludes(t *testing.T) {
	t.Parallel()
	for _, o := range []Options{{Users: Users{Path: "%u"}}, {Auto: new(Auto)}} {
		o.Path, o.Publisher = "x", &follower{}
		if _, err := New(o); err == nil {
			t.Errorf("%+v is taken", o)
		}
	}
}
