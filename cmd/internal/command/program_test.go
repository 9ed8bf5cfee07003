package command

import (
	"embed"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/cmd/internal/terminal"
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

// full is a disk without space.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

// A result that could not be printed is an error, whatever the command says.
func TestLost(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		said error
		out  io.Writer
		want int
	}{{nil, full{}, Trouble}, {AnswerCode(No), full{}, Trouble}, {errors.New("x"), full{}, Trouble}, {nil, io.Discard, Yes}, {AnswerCode(No), io.Discard, No}} {
		var told strings.Builder
		p := &Program{Name: "polya", Texts: embed.FS{}, Streams: &terminal.Streams{Stdout: c.out, Stderr: &told}}
		cmd := &cobra.Command{SilenceErrors: true, SilenceUsage: true, RunE: func(*cobra.Command, []string) error {
			p.Printf("the result\n")
			return c.said
		}}
		if got := p.Execute(cmd, nil); got != c.want || (told.String() != "") != (got == Trouble) {
			t.Errorf("%v: exit code %d, %q", c.said, got, told.String())
		}
	}
}
