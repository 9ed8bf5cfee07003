package command

import (
	"os/signal"
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
