package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/cmd/internal/command"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/internal/raced"
	"github.com/polya-classifier/polya/store"
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

// Where the calibration after undo and prune fails, as on a full disk, their own work is done, and said to be.
func TestNotFitted(t *testing.T) {
	t.Parallel()
	c, err := classify.Open(trained(t, t.TempDir()), classify.Options{})
	if err == nil {
		err = c.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	p := &program{&command.Program{Streams: new(terminal.Streams)}}
	if err := p.recalibrate(t.Context(), c, "the terms are dropped"); !errors.Is(err, store.ErrClosed) || !strings.HasPrefix(err.Error(), "the terms are dropped, but the models are not fitted to what is left: ") {
		t.Error(err)
	}
}
