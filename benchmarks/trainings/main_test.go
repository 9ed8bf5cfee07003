//go:build linux

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/testdata"
)

// The plot has two panels with a line in the legend for each row; the databases are gone.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	plot := filepath.Join(t.TempDir(), "plot.svg")
	if err := run(testdata.Mail, 150, 1, dir, plot); err != nil {
		t.Fatal(err)
	}
	svg, err := os.ReadFile(plot)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"fitted behind", "not fitted", "1 KB and fdatasync"} {
		if n := strings.Count(string(svg), text); n != 2 {
			t.Errorf("%q is in the plot %d times, want 2", text, n)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
	if err := run(testdata.Mail, 150, 4, dir, ""); err != nil {
		t.Error(err)
	}
}
