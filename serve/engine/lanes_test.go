package engine

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/polya-classifier/polya/serve/backend"
)

// While as many long messages are in work as may be, another waits, and a short one does not.
func TestLanes(t *testing.T) {
	t.Parallel()
	e := newEngine(t, Options{})
	teach(t, e, "spam", request("spam", 1), backend.Learned)
	teach(t, e, "ham", request("ham", 1), backend.Learned)
	long := backend.Request{Message: []byte("Subject: long\n\n" + strings.Repeat("plum ", longMessage/5))}
	var leave []func()
	for range cap(e.lanes.long) {
		f, err := e.lanes.enter(t.Context(), longMessage+1)
		if err != nil {
			t.Fatal(err)
		}
		leave = append(leave, f)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := e.Classify(ctx, long, false); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("one too many was answered: %v", err)
	}
	for _, do := range []func() error{
		func() error { _, err := e.Learn(ctx, long, "spam"); return err },
		func() error { _, err := e.Learn(ctx, long, ""); return err },
	} {
		if err := do(); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("one too many: %v", err)
		}
	}
	ask(t, e, request("spam", 2))
	for _, f := range leave {
		f()
	}
	ask(t, e, long)
	if len(e.lanes.long)+len(e.lanes.short) != 0 {
		t.Error("places are still taken")
	}
}
