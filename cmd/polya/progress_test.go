package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/internal/raced"
)

// A training says on a terminal what it does after all is read.
func TestProgressAfterReading(t *testing.T) {
	t.Parallel()
	script, err := exec.LookPath("script")
	if err != nil || runtime.GOOS != "linux" {
		t.Skip("no script, or one with other options")
	}
	dir := t.TempDir()
	var lines bytes.Buffer
	for i := range 1000 {
		fmt.Fprintf(&lines, `{"class":"c%d","text":"`, i%2)
		for k := range 30 {
			fmt.Fprintf(&lines, "word%d ", i*100+k)
		}
		lines.WriteString("\"}\n")
	}
	if err := os.WriteFile(filepath.Join(dir, "texts.jsonl"), lines.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(script, "-qec", "stty cols 80; polya --db x.polya train --labelled texts.jsonl", "/dev/null")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, stage := range []string{" %,", "learning 1,000,", "fitting,"} {
		if !strings.Contains(string(out), stage) {
			t.Errorf("never says %q: %.2000q", stage, out)
		}
	}
}

// An evaluation says how far it is also on a terminal that does not know its size.
func TestProgressWithoutSize(t *testing.T) {
	raced.Skip(t)
	t.Parallel()
	script, err := exec.LookPath("script")
	if err != nil || runtime.GOOS != "linux" {
		t.Skip("no script, or one with other options")
	}
	out, err := exec.Command(script, "-qec", "stty rows 0 cols 0; polya eval --folds 5 ../../testdata/mail/train", "/dev/null").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, stage := range []string{"learning", "fitting"} {
		if !strings.Contains(string(out), stage+",") {
			t.Errorf("no bar for %s in %.2000q", stage, out)
		}
	}
}
