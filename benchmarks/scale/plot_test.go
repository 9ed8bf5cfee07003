//go:build linux && (amd64 || arm64)

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The plot has a line for each number of classes, and the floors once.
func TestPlot(t *testing.T) {
	var all []result
	for _, classes := range []int{20, 100} {
		for _, n := range []int{10_000, 100_000, 1_000_000} {
			all = append(all, result{documents: n, classes: classes, learned: 5000, fileMB: float64(n) / 2000, warmNS: 300, multinomialNS: 500,
				singleMS: 1, singleMax: 40, floor: floor{lineNS: 20, syncMS: .2}})
		}
	}
	path := filepath.Join(t.TempDir(), "plot.svg")
	if err := drawAll(path, all); err != nil {
		t.Fatal(err)
	}
	svg, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]int{"look-up, 20 classes": 1, "look-up, 100 classes": 1, "cache line": 1, "fdatasync": 1} {
		if n := strings.Count(string(svg), text); n != want {
			t.Errorf("%q is in the plot %d times, want %d", text, n, want)
		}
	}
}
