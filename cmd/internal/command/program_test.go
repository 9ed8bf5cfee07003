package command

import (
	"io/fs"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"github.com/spf13/cobra"
)

// A training that was started by nohup goes on when its terminal is gone.
func TestIgnoredSignal(t *testing.T) {
	signal.Ignore(syscall.SIGHUP)
	defer signal.Reset(syscall.SIGHUP)
	p, cmd := new(Program), new(cobra.Command)
	cmd.SetContext(t.Context())
	p.Listen(cmd)
	p.Killable(func() {})
	defer signal.Stop(p.signals)
	if !signal.Ignored(syscall.SIGHUP) {
		t.Error("SIGHUP ends the command")
	}
}

// A folder that is named in place of a file is no trouble with temporary files, though it may be theirs.
func TestRemedyForAFolder(t *testing.T) {
	t.Parallel()
	for op, want := range map[string]bool{"read": false, "open": true} {
		err := &fs.PathError{Op: op, Path: os.TempDir(), Err: syscall.EISDIR}
		if got := strings.Contains(remedy(err), "TMPDIR"); got != want {
			t.Errorf("%s: TMPDIR is named: %t", op, got)
		}
	}
}
