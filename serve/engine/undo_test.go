package engine

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/serve/backend"
)

// Undoing what a source has taught gives a message that it has moved back to the class, the
// source and the time that it had before, and forgets what nobody has taught before.
func TestUndoMoves(t *testing.T) {
	t.Parallel()
	e := newEngine(t, Options{})
	for i := range 20 {
		teach(t, e, "spam", request("spam", i), backend.Learned)
		teach(t, e, "ham", request("ham", i), backend.Learned)
	}
	before := dump(t, e)
	wrong := func(r backend.Request) backend.Request { r.Source = "wrong"; return r }
	teach(t, e, "ham", wrong(request("spam", 3)), backend.Moved)
	teach(t, e, "ham", wrong(request("spam", 300)), backend.Learned)
	name := "wrong"
	q := classify.Query{Source: &name}
	foreseen, err := e.Undo(t.Context(), "", q, true)
	if err != nil || foreseen.Documents != 2 || foreseen.Restored != 1 {
		t.Fatalf("would undo %+v, %v", foreseen, err)
	}
	gone, err := e.Undo(t.Context(), "", q, false)
	if err != nil || gone.Documents != 2 || gone.Restored != 1 || gone.Classes["ham"] != 2 {
		t.Errorf("undid %+v, %v", gone, err)
	}
	if after := dump(t, e); after != before {
		t.Errorf("the dump has %d bytes and differs from before, of %d", len(after), len(before))
	}
}

// An undo calibrates again, also where it takes back fewer documents than it takes after trainings.
func TestUndoCalibrates(t *testing.T) {
	t.Parallel()
	e := newEngine(t, Options{})
	for i := range 104 {
		teach(t, e, "spam", request("spam", i), backend.Learned)
		r := request("ham", i)
		if i >= 100 {
			r.Source = "wrong"
		}
		teach(t, e, "ham", r, backend.Learned)
	}
	calibrated(t, e)
	if _, err := e.shared.Current().Recalibrate(t.Context()); err != nil || calibratedAt(t, e) != 208 {
		t.Fatalf("calibrated at %d documents, %v", calibratedAt(t, e), err)
	}
	name := "wrong"
	if gone, err := e.Undo(t.Context(), "", classify.Query{Source: &name}, false); err != nil || gone.Documents != 4 {
		t.Fatalf("undid %+v, %v", gone, err)
	}
	eventually(t, "the calibration does not follow", func() bool { return calibratedAt(t, e) == 204 })
}

// A user whose database is removed while those of all users are undone has nothing to undo.
func TestUndoAllOfUserWhoIsGone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	o := Options{Path: filepath.Join(dir, "shared.polya"), Users: Users{Path: filepath.Join(dir, "users", "%u.polya"), Pattern: "u.*"}}
	e := newEngine(t, o)
	teach(t, e, "ham", request("ham", 1), backend.Learned)
	teach(t, e, "ham", of("uma", request("ham", 1)), backend.Learned)
	e.Close()
	o.Users.Pattern = "" // only who has a database is known
	e = newEngine(t, o)
	removed := false
	ctx := &calls{t.Context(), 1, func() { removed = os.Remove(filepath.Join(dir, "users", "uma.polya")) == nil }}
	if u, err := e.UndoAll(ctx, classify.Query{Class: "ham"}, true); u.Documents != 1 || err != nil || !removed {
		t.Errorf("%+v, %v, removed: %v", u, err, removed)
	}
}

// Undoing in all databases goes on after one that cannot be opened, and says which that was.
func TestUndoAllBesideDamaged(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	o := Options{Path: filepath.Join(dir, "shared.polya"), Users: Users{Path: filepath.Join(dir, "users", "%u.polya"), Pattern: "u.*"}}
	e := newEngine(t, o)
	for _, user := range []string{"", "uma", "una", "ute"} {
		teach(t, e, "ham", of(user, request("ham", 1)), backend.Learned)
	}
	e.Close()
	damaged := filepath.Join(dir, "users", "una.polya")
	if err := os.WriteFile(damaged, []byte("no database"), 0o600); err != nil {
		t.Fatal(err)
	}
	e = newEngine(t, o)
	u, err := e.UndoAll(t.Context(), classify.Query{Class: "ham"}, false)
	if u.Documents != 3 || err == nil || !strings.Contains(err.Error(), damaged) {
		t.Errorf("%+v, %v", u, err)
	}
}
