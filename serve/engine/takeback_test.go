package engine

import (
	"bytes"
	"context"
	"errors"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/mail"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/engine/learn"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// calibrated waits until the models are fitted to about as many documents as there are.
func calibrated(t *testing.T, e *Engine) {
	t.Helper()
	eventually(t, "it is not calibrated", func() bool {
		k, err := e.shared.Current().Calibration()
		return err == nil && k != nil && k.Documents > 180 && k.Documents < 220
	})
}

func dump(t *testing.T, e *Engine) string { return dumpOf(t, e, "") }

func dumpOf(t *testing.T, e *Engine, user string) string {
	t.Helper()
	var b bytes.Buffer
	err := e.Use(context.Background(), user, func(c *classify.Classifier) error {
		return c.Store().Dump(context.Background(), &b, true)
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// poisoned selects what poison has taught since a moment.
func poisoned(since time.Time) classify.Query {
	return classify.Query{Source: new("poison"), Since: since}
}

// TestUndoAll holds that what poison has taught the databases of users, more than are
// open at a time, is taken back in all of them at once, since a moment or all, and that
// each has then the dump of before.
func TestUndoAll(t *testing.T) {
	t.Parallel()
	e := withUsers(t, 2)
	ctx := context.Background()
	users := []string{"", "u1", "u2", "u3"}
	for _, user := range users[1:] {
		teach(t, e, "ham", of(user, request("ham", 100)), backend.Learned)
	}
	dumps := func() (all []string) {
		for _, user := range users {
			all = append(all, dumpOf(t, e, user))
		}
		return all
	}
	stream := func(first int) {
		for i := range 10 {
			for _, user := range users {
				poison := of(user, request("spam", first+i))
				poison.Source = "poison"
				teach(t, e, "ham", poison, backend.Learned)
			}
		}
	}
	before := dumps()
	stream(1000)
	// The ledger has seconds.
	moment := time.Now().Truncate(time.Second).Add(time.Second)
	time.Sleep(time.Until(moment))
	between := dumps()
	stream(2000)
	after := dumps()
	for i, user := range users {
		if before[i] == between[i] || between[i] == after[i] {
			t.Fatalf("%q: nothing is learned", user)
		}
	}
	for _, c := range []struct {
		since time.Time
		want  []string
	}{{time.Now().Add(time.Hour), after}, {moment, between}, {time.Time{}, before}} {
		u, err := e.UndoAll(ctx, poisoned(c.since), false)
		if got := dumps(); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("since %v: %+v, %v: the dumps are not those of then", c.since, u, err)
		}
	}
	if u, err := e.UndoAll(ctx, poisoned(time.Time{}), false); u.Documents != 0 || err != nil {
		t.Errorf("once more: %+v, %v", u, err)
	}
}

// TestByID holds that documents are moved and forgotten by their ids in the order in which
// all else is learned, and that a document is then who moved it's.
func TestByID(t *testing.T) {
	t.Parallel()
	e := withUsers(t, 0)
	ctx := context.Background()
	for _, user := range []string{"", "u1"} {
		d, release, err := e.of(ctx, user)
		if err != nil {
			t.Fatal(err)
		}
		defer release()
		teach(t, e, "spam", of(user, request("spam", 500)), backend.Learned)
		c, err := d.Open(ctx, false)
		if err != nil {
			t.Fatal(err)
		}
		before := dumpOf(t, e, user)
		doc := mail.Document(c, request("spam", 600).Message)
		doc.Source = "poison"
		poison := func() {
			t.Helper()
			if err := e.trainEach(ctx, d, []*learn.Training{{Doc: doc, Class: "spam"}}); err != nil {
				t.Fatal(err)
			}
		}
		entry := func() (entry *store.Entry) {
			t.Helper()
			err := c.Store().View(func(s *store.Snapshot) (err error) { entry, err = s.Entry(doc.ID); return err })
			if err != nil {
				t.Fatal(err)
			}
			return entry
		}
		for _, class := range []string{"ham", "spam"} {
			poison()
			want := map[string]backend.Outcome{"ham": backend.Moved, "spam": backend.Unchanged}[class]
			for range 2 {
				if out, err := e.Relabel(ctx, user, doc.ID.String(), class, "admin"); out != want || err != nil {
					t.Errorf("%q: %s: %v, %v", user, class, out, err)
				}
				want = backend.Unchanged
			}
			if got := entry(); got == nil || got.Class != class || got.Source != map[string]string{"ham": "admin", "spam": "poison"}[class] {
				t.Errorf("%q: %+v", user, got)
			}
			if out, err := e.ForgetID(ctx, user, doc.ID.String()); out != backend.Forgotten || err != nil {
				t.Errorf("%q: %v, %v", user, out, err)
			}
			if dumpOf(t, e, user) != before {
				t.Errorf("%q: %s: the dump is not that of before", user, class)
			}
		}
		if _, err := e.ForgetID(ctx, user, doc.ID.String()); !errors.Is(err, count.ErrNotLearned) {
			t.Errorf("%q: %v", user, err)
		}
		if _, err := e.Relabel(ctx, user, doc.ID.String(), "ham", "admin"); !errors.Is(err, count.ErrNotLearned) {
			t.Errorf("%q: %v", user, err)
		}
		if _, err := e.Relabel(ctx, user, doc.ID.String(), "werbung", "admin"); !errors.Is(err, backend.ErrClass) {
			t.Errorf("%q: %v", user, err)
		}
	}
	if _, err := e.ForgetID(ctx, "eve", count.DocID{}.String()); !errors.Is(err, backend.ErrUser) {
		t.Errorf("%v", err)
	}
}

// TestByIDDigest holds that a ledger without counts refuses one document and not those
// that are learned with it.
func TestByIDDigest(t *testing.T) {
	t.Parallel()
	e := newEngine(t, Options{Classify: classify.Options{Store: store.Options{Ledger: count.LedgerDigest}}})
	teach(t, e, "spam", request("spam", 1), backend.Learned)
	id := mail.Document(e.shared.Current(), request("spam", 1).Message).ID
	for range 2 {
		if _, err := e.Relabel(context.Background(), "", id.String(), "ham", "admin"); !errors.Is(err, store.ErrNoCounts) {
			t.Errorf("%v", err)
		}
		if _, err := e.ForgetID(context.Background(), "", id.String()); !errors.Is(err, store.ErrNoCounts) {
			t.Errorf("%v", err)
		}
	}
	teach(t, e, "spam", request("spam", 1), backend.Unchanged)
}

// entryOf returns the entry of a document in the shared ledger, nil if it has none.
func entryOf(t *testing.T, e *Engine, id count.DocID) (entry *store.Entry) {
	t.Helper()
	err := e.shared.Current().Store().View(func(s *store.Snapshot) (err error) { entry, err = s.Entry(id); return err })
	if err != nil {
		t.Fatal(err)
	}
	return entry
}

// calls is a context that calls f when it is looked at for the n-th time.
type calls struct {
	context.Context
	n int
	f func()
}

func (c *calls) Err() error {
	if c.n--; c.n == 0 {
		c.f()
	}
	return nil
}

// TestUndoLeavesCorrected holds that a document that somebody corrects while
// Undo is in progress stays.
func TestUndoLeavesCorrected(t *testing.T) {
	t.Parallel()
	e := newEngine(t, Options{})
	ctx := context.Background()
	if _, err := e.shared.Open(ctx, true); err != nil {
		t.Fatal(err)
	}
	var ids []count.DocID
	for i := range 4 {
		doc := mail.Document(e.shared.Current(), request("spam", i).Message)
		doc.Source = "poison"
		if err := e.trainEach(ctx, e.shared, []*learn.Training{{Doc: doc, Class: "spam"}}); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, doc.ID)
	}
	search := &calls{Context: ctx}
	if found, err := e.Undo(search, "", poisoned(time.Time{}), true); err != nil || found.Documents != 4 {
		t.Fatalf("dry run: %+v, %v", found, err)
	}
	got, err := e.Undo(&calls{ctx, 1 - search.n, func() {
		teach(t, e, "ham", request("spam", 1), backend.Moved)
	}}, "", poisoned(time.Time{}), false)
	if want := (classify.Undone{Documents: 3, Classes: map[string]int{"spam": 3}}); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v, want %+v", got, err, want)
	}
	for i, want := range []string{"", "ham", "", ""} {
		if entry := entryOf(t, e, ids[i]); entry == nil && want != "" || entry != nil && (entry.Class != want || entry.Source != "test") {
			t.Errorf("document %d: %+v, want class %q", i, entry, want)
		}
	}
}
