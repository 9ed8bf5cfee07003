package api

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/polya-classifier/polya/serve/api/client"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/decisions"
	"github.com/polya-classifier/polya/serve/engine"
	"github.com/polya-classifier/polya/serve/internal/servetest"
)

// Decisions arrive as they are kept, and are taught.
func TestDecisions(t *testing.T) {
	t.Parallel()
	e := empty(t, engine.Options{Decisions: &decisions.Options{}})
	c := serve(t, e, Options{Engine: e})
	if got, err := c.Decisions("", 0); err != nil || len(got.Decisions) != 0 {
		t.Errorf("%+v, %v", got, err)
	}
	ctx := t.Context()
	message := func(user, text string) backend.Request {
		return backend.Request{User: user, Message: []byte("From: \x1b\"<\nSubject: =?utf-8?q?=C3=A4?= " + text + "\n\n" + text + "\n"), Source: "a \"source\"\n"}
	}
	for class, text := range map[string]string{"spam": "casino", "ham": "minutes"} {
		if _, err := e.Learn(ctx, message("", text), class); err != nil {
			t.Fatal(err)
		}
	}
	for i, user := range []string{"ute", "", "ute"} {
		if _, err := e.Classify(ctx, message(user, fmt.Sprint("casino of ", i)), false); err != nil {
			t.Fatal(err)
		}
	}
	kept := e.Decisions("", 0)
	for limit, want := range map[int]int{0: 3, 1: 1, 2: 2, 1000: 3} {
		got, err := c.Decisions("", limit)
		for i := range got.Decisions {
			if got.Decisions[i].Time.Equal(kept[i].Time) {
				got.Decisions[i].Time = kept[i].Time
			}
		}
		if err != nil || !slices.Equal(got.Decisions, kept[:want]) {
			t.Errorf("%d: %+v, want %+v: %v", limit, got.Decisions, kept[:want], err)
		}
	}
	if got, err := c.Decisions("ute", 0); err != nil || len(got.Decisions) != 2 || got.Decisions[0].User != "ute" {
		t.Errorf("for one: %+v, %v", got, err)
	}
	id := kept[0].ID
	if done, err := c.Teach("ute", id[:8], "spam", "a \"source\"\n"); done.Outcome != backend.Learned || done.From != "" || err != nil {
		t.Errorf("%+v: %v", done, err)
	}
	if done, err := c.Teach("ute", id[:8], "ham", "x"); done.Outcome != backend.Moved || done.From != "spam" || err != nil {
		t.Errorf("%+v: %v", done, err)
	}
	for want, args := range map[error][2]string{backend.ErrClass: {id, "none"}, backend.ErrDecision: {"x", "ham"}} {
		if _, err := c.Teach("ute", args[0], args[1], "x"); !errors.Is(err, want) {
			t.Errorf("%q: %v", args, err)
		}
	}
	none := serve(t, &servetest.Backend{}, Options{})
	_, listed := none.Decisions("", 0)
	_, taught := none.Teach("", "01", "ham", "")
	for _, err := range []error{listed, taught} {
		if err == nil || err.Error() != client.ErrNotKept.Error() {
			t.Errorf("where none are kept: %v", err)
		}
	}
}
