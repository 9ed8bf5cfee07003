package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/internal/raced"
)

// Who learns by single commands after a folder of spam is told once, when there are enough documents, what calibrates.
func TestCalibrateNote(t *testing.T) {
	raced.Skip(t)
	t.Parallel()
	dir := t.TempDir()
	run := func(args ...string) string {
		cmd := exec.Command("polya", append([]string{"--db", filepath.Join(dir, "x.polya")}, args...)...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	var spam strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&spam, "cheap pills offer%d for you\n", i)
	}
	file := filepath.Join(dir, "spam.txt")
	if err := os.WriteFile(file, []byte(spam.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	run("train", "--format", "lines", "spam", file)
	file = filepath.Join(dir, "ham.txt")
	for i := 1; i <= 24; i++ {
		if err := os.WriteFile(file, fmt.Appendf(nil, "the meeting of team%d at noon", i), 0o600); err != nil {
			t.Fatal(err)
		}
		if out := run("train", "ham", file); strings.Contains(out, "polya calibrate") != (i == 20) {
			t.Errorf("ham %d: %s", i, out)
		}
	}
	run("train", "--format", "lines", "ham", file)
	if out := run("calibrate"); !strings.Contains(out, "nats on 2,024 documents") {
		t.Error(out)
	}
}
