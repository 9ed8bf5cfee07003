package api

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/polya-classifier/polya/serve/api/client"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/internal/servetest"
)

// keeper is an Engine that keeps a list, or nothing if that is nil, and learns all but a class.
type keeper struct {
	Engine
	list []backend.Decision
}

func (k keeper) Keeps() bool { return k.list != nil }

func (k keeper) Decisions(user string, limit int) []backend.Decision {
	list := slices.Clone(k.list)
	if user != "" {
		list = slices.DeleteFunc(list, func(d backend.Decision) bool { return d.User != user })
	}
	if limit > 0 {
		list = list[:min(limit, len(list))]
	}
	return list
}

func (k keeper) Find(user, id string) (string, error) {
	switch {
	case user != "ute":
		return "", backend.ErrAmbiguous
	case !strings.HasPrefix(k.list[0].ID, id):
		return "", backend.ErrDecision
	}
	return k.list[0].ID, nil
}

func (k keeper) Revise(_ context.Context, user string, list []backend.Revision, by string) ([]backend.Revised, error) {
	switch r := list[0]; {
	case user != "ute" || by != "a \"source\"\n" || r.ID != k.list[0].ID:
		return nil, backend.ErrAmbiguous
	case r.Class == "none":
		return nil, backend.ErrClass
	}
	return []backend.Revised{{Outcome: backend.Moved, From: "a \"class\"\n"}}, nil
}

// Decisions arrive as they are kept, and are taught.
func TestDecisions(t *testing.T) {
	t.Parallel()
	kept := []backend.Decision{
		{ID: "0123456789ab", Time: time.Now().Round(0), User: "ute", Source: "milter", Sender: "\x1b\n\"<", Subject: "ä ", Class: "ham", Probability: .1 + .2, Unsure: true},
		{ID: "0123456789ff", Time: time.Unix(1, 2), Class: "spam", Probability: 1},
		{ID: "0123456789ab", Time: time.Unix(0, 0), Class: strings.Repeat("long", 1<<16)},
	}
	c := serve(t, &servetest.Backend{}, Options{Engine: keeper{list: kept}})
	for limit, want := range map[int]int{0: 3, 1: 1, 2: 2, 1000: 3} {
		got, err := c.Decisions("", limit)
		if err != nil || len(got.Decisions) != want {
			t.Fatalf("%d: %d, %v", limit, len(got.Decisions), err)
		}
		for i, d := range got.Decisions {
			if !d.Time.Equal(kept[i].Time) {
				t.Errorf("%v, want %v", d.Time, kept[i].Time)
			}
			d.Time = kept[i].Time
			if d != kept[i] {
				t.Errorf("%+v, want %+v", d, kept[i])
			}
		}
	}
	if done, err := c.Teach("ute", "0123", "spam", "a \"source\"\n"); done.Outcome != backend.Moved || done.From != "a \"class\"\n" || err != nil {
		t.Errorf("%+v: %v", done, err)
	}
	for want, args := range map[error][2]string{backend.ErrClass: {"01", "none"}, backend.ErrDecision: {"1", "ham"}} {
		if _, err := c.Teach("ute", args[0], args[1], "a \"source\"\n"); err == nil || err.Error() != want.Error() {
			t.Errorf("%q: %v", args, err)
		}
	}
	if got, err := c.Decisions("ute", 0); err != nil || len(got.Decisions) != 1 || got.Decisions[0].User != "ute" {
		t.Errorf("for one: %+v, %v", got, err)
	}
	empty := serve(t, &servetest.Backend{}, Options{Engine: keeper{list: []backend.Decision{}}})
	if got, err := empty.Decisions("", 0); err != nil || len(got.Decisions) != 0 {
		t.Errorf("%+v, %v", got, err)
	}
	none := serve(t, &servetest.Backend{}, Options{Engine: keeper{}})
	_, listed := none.Decisions("", 0)
	_, taught := none.Teach("", "01", "ham", "")
	for _, err := range []error{listed, taught} {
		if err == nil || err.Error() != client.ErrNotKept.Error() {
			t.Errorf("where none are kept: %v", err)
		}
	}
}
