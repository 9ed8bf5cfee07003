//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/polya-classifier/polya/cmd/internal/command"
)

// A message on standard input makes a training short only if nothing else is to be learned.
func TestInterruptBesideMessage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe.mbox")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("polya", "--db", filepath.Join(dir, "test.polya"), "train", "a", "-", pipe)
	cmd.Stdin = strings.NewReader("Subject: hello\nTo: you\n\nthere\n")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	w, err := os.OpenFile(pipe, os.O_WRONLY, 0) // once the command reads it
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	w.Close()
	if _ = cmd.Wait(); cmd.ProcessState.ExitCode() != command.Trouble { // or the signal ended it
		t.Errorf("%v: %q", cmd.ProcessState, stderr.String())
	}
}
