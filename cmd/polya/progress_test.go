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
	"time"
)

// A bar whose bytes are all read says what is still done, and never that nothing is
// left.
func TestBarSaysWhatIsDone(t *testing.T) {
	t.Parallel()
	b := &bar{width: 80, total: 4 << 20, bytes: true, began: time.Now().Add(-time.Minute)}
	b.add(1 << 20)
	if got, want := b.line(), "1.0 MiB / 4.0 MiB [=======-----------------------] 25 % 3m1s"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	learned := b.while("learning 16,384")
	if got := b.line(); !strings.Contains(got, "25 % learning 16,384 ") {
		t.Errorf("while it learns: %q", got)
	}
	learned()
	b.add(3 << 20)
	if got := b.line(); !strings.Contains(got, "100 % finishing ") {
		t.Errorf("at the end of the input: %q", got)
	}
	learned = b.while("learning 21")
	if got := b.line(); !strings.Contains(got, "100 % learning 21 ") {
		t.Errorf("while it learns the last: %q", got)
	}
	learned()
	(*bar)(nil).while("learning 1")() // where nobody looks
}

// A training says on a terminal what it does after all is read.
func TestProgressAfterReading(t *testing.T) {
	t.Parallel()
	script, err := exec.LookPath("script")
	if err != nil || runtime.GOOS != "linux" {
		t.Skip("no script, or one with other options")
	}
	dir := t.TempDir()
	var lines bytes.Buffer
	for i := range 3000 {
		fmt.Fprintf(&lines, `{"class":"c%d","text":"`, i%2)
		for k := range 100 {
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
	for _, stage := range []string{" MiB [", "learning 3,000 ", "fitting "} {
		if !strings.Contains(string(out), stage) {
			t.Errorf("never says %q: %.2000q", stage, out)
		}
	}
}

// An evaluation says how far it is also on a terminal that does not know its size.
func TestProgressWithoutSize(t *testing.T) {
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
		if !strings.Contains(string(out), stage+" ") {
			t.Errorf("no bar for %s in %.2000q", stage, out)
		}
	}
}
