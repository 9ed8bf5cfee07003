package trial_test

import (
	"fmt"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/polya-classifier/polya/benchmarks/rot/trial"
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
	skipRaced(t)
	files, err := trial.Make(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	trials := len(files) * len(trial.Kinds())
	path := filepath.Join(t.TempDir(), "trial.polya")
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	by := make(map[string]int)
	for n := range trials {
		f, d := trial.Choose(files, seed, n)
		what := fmt.Sprintf("%s, %s %s", f.Name, d.Kind, d.What)
		within(t, what, func() {
			r := trial.Run(f, path, f.Data, d)
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
