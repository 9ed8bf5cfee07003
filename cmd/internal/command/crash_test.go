package command

import (
	"strings"
	"testing"

	"github.com/polya-classifier/polya/cmd/internal/reading"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
)

// Go's runtime ends a process with 2 that it cannot keep running. No answer may have
// that code.
func TestExitCodesAreNotTheRuntimes(t *testing.T) {
	t.Parallel()
	for _, code := range []int{Yes, No, Unsure, Trouble} {
		if code == 2 {
			t.Error("exit code 2 is that of a crash")
		}
	}
}

// What goes wrong in the program is trouble.
func TestCrashIsTrouble(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	p := &Program{Name: "polya", Streams: &terminal.Streams{Stderr: &b}}
	if code := p.crashed(&reading.Crash{Value: "of a test"}); code != Trouble || !strings.HasPrefix(b.String(), "polya: fault") {
		t.Errorf("exit code %d: %s", code, b.String())
	}
}
