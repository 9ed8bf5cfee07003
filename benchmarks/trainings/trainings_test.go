//go:build linux

package trainings

import (
	"os"
	"testing"

	"github.com/polya-classifier/polya/benchmarks/harness"
)

// Each run comes to its end, and the databases are gone.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	for _, callers := range []int{1, 4} {
		run(t.Context(), harness.Folders(""), 150, callers, dir)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
}
