package main

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/cmd/polya/internal/crash"
	"github.com/polya-classifier/polya/cmd/polya/internal/terminal"
)

// A panic while a document is worked on, in whatever goroutine, must come back as
// one of the main goroutine, which turns it into exit code 3.
func TestCrash(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("*.go")
	if err != nil || len(paths) < 2 {
		t.Fatal("no files to read")
	}
	for _, jobs := range []int{1, 3} {
		r := reader{Streams: new(terminal.Streams), jobs: jobs, work: func(*document) { panic("of a test") }, deliver: func(*document) error { return nil }}
		c := crash.Catch(func() { _ = r.read(context.Background(), paths) })
		if c == nil || c.Value != "of a test" || !strings.Contains(string(c.Stack), "TestCrash") {
			t.Fatalf("with %d jobs: caught %v", jobs, c)
		}
		var b strings.Builder
		if code := (&program{Streams: &terminal.Streams{Stderr: &b}}).crashed(c); code != exitTrouble || !strings.HasPrefix(b.String(), "polya: fault") {
			t.Errorf("with %d jobs: exit code %d: %s", jobs, code, b.String())
		}
	}
}

// Go's runtime ends a process with 2 that it cannot keep running. No answer may have
// that code.
func TestExitCodesAreNotTheRuntimes(t *testing.T) {
	t.Parallel()
	for _, code := range []int{exitYes, exitNo, exitUnsure, exitTrouble} {
		if code == 2 {
			t.Error("exit code 2 is that of a crash")
		}
	}
}
