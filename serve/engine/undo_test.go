package engine

import (
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
