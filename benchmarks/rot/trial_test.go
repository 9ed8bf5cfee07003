package rot_test

import (
	"fmt"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/polya-classifier/polya/benchmarks/rot"
	"github.com/polya-classifier/polya/internal/raced"
)

// within fails the test if f takes longer than any of these can.
func within(t *testing.T, what string, f func()) {
	t.Helper()
	done := make(chan any, 1)
	go func() {
		defer func() { done <- recover() }()
		f()
	}()
	select {
	case panicked := <-done:
		if panicked != nil {
			t.Errorf("%s: panic: %v", what, panicked)
		}
	case <-time.After(2 * time.Minute):
		stacks := make([]byte, 1<<16)
		t.Fatalf("%s has no end\n%s", what, stacks[:runtime.Stack(stacks, true)])
	}
}

// Damage in any place of any file is reported, or changes no answer. benchmarks/rot
// tries it a hundred thousand times.
func TestRot(t *testing.T) {
	t.Parallel()
	raced.Skip(t)
	files := rot.Make(t.TempDir())
	trials := len(files) * len(rot.Kinds())
	path := filepath.Join(t.TempDir(), "trial.polya")
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	by := make(map[string]int)
	for n := range trials {
		f, d := rot.Choose(files, seed, n)
		what := fmt.Sprintf("%s, %s %s", f.Name, d.Kind, d.What)
		within(t, what, func() {
			r := rot.Try(f, path, f.Data, d)
			by[r.Reported]++
			if r.Bad != "" {
				t.Errorf("trial %d: %s: %s", n, what, r.Bad)
			}
		})
	}
	t.Logf("reported by: %v", by)
	for _, who := range []string{"open", "read", ""} {
		if by[who] < trials/30 {
			t.Errorf("of %d trials %d were reported by %q: the trials miss the files", trials, by[who], who)
		}
	}
}
