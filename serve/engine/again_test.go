package engine

import (
	"context"
	"testing"

	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/decisions"
)

// Explain leaves no decision and is not learned automatically.
func TestExplainKeepsNothing(t *testing.T) {
	t.Parallel()
	e := newEngine(t, Options{Auto: &Auto{People: 1}, Decisions: &decisions.Options{}})
	for n := range 100 {
		teach(t, e, "spam", request("spam", n), backend.Learned)
		teach(t, e, "ham", request("ham", n), backend.Learned)
	}
	calibrated(t, e)
	ctx := context.Background()
	x, err := e.Explain(ctx, backend.Request{Message: message("spam", 1000)})
	if err != nil || x.Class != "spam" || len(x.Reasons) == 0 || len(x.Having) != len(x.Reasons) {
		t.Fatalf("%+v, %v", x, err)
	}
	if list := e.Decisions("", 10); len(list) != 0 {
		t.Errorf("%d decisions", len(list))
	}
	quiet(t, e)
	if n := sources(t, e); len(n) != 2 {
		t.Errorf("learned by itself: %v", n)
	}
	ask(t, e, backend.Request{Message: message("spam", 1000)})
	if list := e.Decisions("", 10); len(list) != 1 {
		t.Errorf("%d decisions after a question", len(list))
	}
	eventually(t, "the sure answer is not learned", func() bool { return len(sources(t, e)) == 3 })
}
