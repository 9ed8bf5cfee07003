package engine

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/decisions"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// TestTeach holds that an answer is corrected by its id, with the same counts as by the
// message.
func TestTeach(t *testing.T) {
	t.Parallel()
	e := newEngine(t, Options{Decisions: &decisions.Options{}})
	ctx := context.Background()
	for i := range 20 {
		teach(t, e, "ham", request("ham", i), backend.Learned)
		teach(t, e, "spam", request("spam", i), backend.Learned)
	}
	r := request("spam", 100)
	ask(t, e, r)
	ask(t, e, request("ham", 101))
	list := e.Decisions("", 10)
	if len(list) != 2 || list[0].Class != "ham" || list[1].Class != "spam" {
		t.Fatalf("%+v", list)
	}
	if d := list[1]; d.Sender != "spam0@example.org" || d.Subject != "winner" || d.Source != "test" {
		t.Errorf("%+v", d)
	}
	for _, want := range []backend.Outcome{backend.Learned, backend.Unchanged} {
		if out, _, err := decide(ctx, e, "", list[1].ID[:12], "ham", "admin"); out != want || err != nil {
			t.Errorf("%v, %v, want %v", out, err, want)
		}
	}
	teach(t, e, "ham", r, backend.Unchanged) // the same document
	if out, _, err := decide(ctx, e, "", list[1].ID, "spam", "admin"); out != backend.Moved || err != nil {
		t.Errorf("%v, %v", out, err)
	}
	if _, _, err := decide(ctx, e, "", list[1].ID, "werbung", "admin"); !errors.Is(err, backend.ErrClass) {
		t.Errorf("an unknown class: %v", err)
	}
	if _, _, err := decide(ctx, e, "", "0123456789", "ham", "admin"); !errors.Is(err, backend.ErrDecision) {
		t.Errorf("an unknown id: %v", err)
	}
	err := e.Use(ctx, "", func(c *classify.Classifier) error {
		return c.Store().View(func(s *store.Snapshot) error {
			all := 0
			return errors.Join(s.Entries(func(entry *store.Entry) error {
				all++
				if entry.ID.String() == list[1].ID && (entry.Source != "admin" || entry.Class != "spam") {
					t.Errorf("%+v", entry)
				}
				return nil
			}), func() error {
				if all != 41 {
					t.Errorf("%d documents", all)
				}
				return nil
			}())
		})
	})
	if err != nil {
		t.Error(err)
	}
	// Forgotten by the message: the counts were the same, or the ledger would know it.
	if out, err := e.Learn(ctx, r, ""); out != backend.Forgotten || err != nil {
		t.Errorf("%v, %v", out, err)
	}
}

// TestRemember holds what is kept where nothing was learned, for users, and where the
// switch is off.
func TestRemember(t *testing.T) {
	t.Parallel()
	off := newEngine(t, Options{})
	teach(t, off, "ham", request("ham", 1), backend.Learned)
	ask(t, off, request("ham", 2))
	if _, err := os.Stat(off.options.Path + ".decisions"); err == nil {
		t.Error("decisions are kept though switched off")
	}
	if list := off.Decisions("", 10); len(list) != 0 {
		t.Errorf("%v", list)
	}
	e := withUsers(t, 0)
	o := e.options
	e.Close()
	o.Decisions = &decisions.Options{}
	e = newEngine(t, o)
	ask(t, e, of("Ute", request("spam", 200)))
	ask(t, e, of("eve", request("spam", 201)))
	list := e.Decisions("UTE", 10)
	if len(list) != 1 || list[0].User != "ute" {
		t.Fatalf("%+v", list)
	}
	if out, _, err := decide(context.Background(), e, "ute", list[0].ID, "ham", "ute"); out != backend.Learned || err != nil {
		t.Errorf("%v, %v", out, err)
	}
	if _, _, err := decide(context.Background(), e, "eve", list[0].ID, "ham", "eve"); !errors.Is(err, backend.ErrDecision) {
		t.Errorf("another's: %v", err)
	}
	if names := files(t, e); len(names) != 1 {
		t.Errorf("%v", names)
	}
}

// TestTeachUser holds that what is taught by the id of an answer is learned where the user
// of the answer learns: his answer changes, the others' answers do not.
func TestTeachUser(t *testing.T) {
	t.Parallel()
	e := withUsers(t, 0)
	o := e.options
	e.Close()
	o.Decisions = &decisions.Options{}
	e = newEngine(t, o)
	ctx := context.Background()
	var ids []string
	for i := range 40 {
		for _, user := range []string{"Ute", "eve"} {
			ask(t, e, of(user, request("spam", 1000+i)))
			ask(t, e, of(user, request("ham", 1000+i)))
			if user == "Ute" {
				continue
			}
			// Both had it, and who is meant is to be said.
			list := e.Decisions(user, 1)
			if len(list) != 1 {
				t.Fatal(list)
			}
			if _, _, err := decide(ctx, e, "", list[0].ID, "ham", "admin"); !errors.Is(err, backend.ErrRecipients) {
				t.Fatalf("%v", err)
			}
		}
	}
	list := e.Decisions("ute", 80)
	if len(list) != 80 {
		t.Fatal(len(list))
	}
	for _, d := range list {
		class := map[string]string{"spam": "ham", "ham": "spam"}[d.Class]
		if out, from, err := decide(ctx, e, "ute", d.ID, class, "admin"); out != backend.Learned || from != "" || err != nil {
			t.Errorf("%v, %v", out, err)
		}
		ids = append(ids, d.ID)
	}
	eventually(t, "she is not answered as she taught", func() bool {
		return ask(t, e, of("ute", request("spam", 2000))).Class == "ham"
	})
	if a := ask(t, e, of("eve", request("spam", 2000))); a.Class != "spam" {
		t.Errorf("eve: %+v", a)
	}
	for user, want := range map[string]int{"": 0, "ute": len(ids)} {
		n := 0
		err := e.Use(ctx, user, func(c *classify.Classifier) error {
			return c.Store().View(func(s *store.Snapshot) error {
				return s.Entries(func(entry *store.Entry) error {
					if entry.Source == "admin" && slices.Contains(ids, entry.ID.String()) {
						n++
					}
					return nil
				})
			})
		})
		if n != want || err != nil {
			t.Errorf("%q: %d in the ledger, want %d: %v", user, n, want, err)
		}
	}
	// Named or not, one who is alone is meant, and the shared database is for who has none.
	ask(t, e, of("uwe", request("spam", 3000)))
	ask(t, e, of("eve", request("spam", 3001)))
	list = e.Decisions("", 2)
	if len(list) != 2 {
		t.Fatal(list)
	}
	for _, d := range list {
		if out, _, err := decide(ctx, e, "", d.ID, "ham", "admin"); out != backend.Learned || err != nil {
			t.Errorf("%v, %v", out, err)
		}
	}
	if _, _, err := decide(ctx, e, "eve", list[0].ID, "ham", "admin"); !errors.Is(err, backend.ErrUser) {
		t.Errorf("one without a database teaches that of all: %v", err)
	}
	if names := files(t, e); len(names) != 2 {
		t.Errorf("%v", names)
	}
}

// decide revises the decision whose id begins so, as the API does.
func decide(ctx context.Context, e *Engine, user, id, class, by string) (backend.Outcome, string, error) {
	id, err := e.Find(user, id)
	if err != nil {
		return "", "", err
	}
	out, err := e.Revise(ctx, user, []backend.Revision{{ID: id, Class: class}}, by)
	if err != nil {
		return "", "", err
	}
	return out[0].Outcome, out[0].From, nil
}

// TestLongNames has a decision be found after its file was read again although the name of its user is cut
// within a character, and a source that is cut so be text.
func TestLongNames(t *testing.T) {
	t.Parallel()
	o := Options{Path: filepath.Join(t.TempDir(), "polya.db"), Decisions: &decisions.Options{}}
	e := newEngine(t, o)
	teach(t, e, "ham", request("ham", 0), backend.Learned)
	r := request("ham", 1)
	r.User = strings.Repeat("a", maxUser-1) + "ö@example.org"
	ask(t, e, r)
	if err := e.Reconfigure(o); err != nil {
		t.Fatal(err)
	}
	if list := e.Decisions(r.User, 0); len(list) != 1 {
		t.Errorf("%+v", list)
	}
	if s := source(strings.Repeat("a", count.MaxNameBytes-1) + "ö"); !utf8.ValidString(s) || len(s) != count.MaxNameBytes-1 {
		t.Errorf("%q", s)
	}
}
