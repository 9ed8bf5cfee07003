package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

// The files of a dump are loaded in the order of their names, whatever order they are given in,
// and a part that is missing or not of it is refused.
func TestLoadParts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	one, two := filepath.Join(dir, "one.polya"), filepath.Join(dir, "two.polya")
	lines := ""
	for i := range 60 {
		lines += fmt.Sprintf(`{"id":"%d","class":"c%d","text":"word%d other%d","attributes":{"size":%d}}`+"\n", i, i%3, i%7, i%5, i)
	}
	mustRun(t, one, lines, "train", "--no-calibrate", "--labelled", "--format", "jsonl", "-")
	dump := mustRun(t, one, "", "dump", "--ledger")
	var parts []string
	for i := range 3 {
		parts = append(parts, filepath.Join(dir, fmt.Sprint("part", i)))
		text := dump[len(dump)*i/3 : len(dump)*(i+1)/3]
		if err := os.WriteFile(parts[i], []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, wrong := range [][]string{{parts[0], parts[1]}, {parts[1], parts[2]}, {parts[0], parts[2]}, {parts[0], parts[1], parts[1], parts[2]}} {
		if out, err := exec.Command("polya", slices.Concat([]string{"--db", two, "load"}, wrong)...).CombinedOutput(); err == nil {
			t.Errorf("%v were loaded: %s", wrong, out)
		}
	}
	mustRun(t, two, "", "load", parts[2], parts[0], parts[1])
	if mustRun(t, two, "", "dump", "--ledger") != dump {
		t.Error("loaded, it has another dump")
	}
}
