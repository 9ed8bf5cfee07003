package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/cmd/internal/crash"
	"github.com/polya-classifier/polya/cmd/internal/reading"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/store"
)

// The exit codes, of all commands. None is 2, the code of a fatal error of Go's runtime,
// such as a lack of memory or threads: a crash must not read as an answer.
const (
	exitYes     = 0 // done, or the answer is yes
	exitNo      = 1 // the answer is no
	exitTrouble = 3 // something went wrong; a line on standard error says what
	exitUnsure  = 4 // there is no sure answer

	// exitTempFail makes a mail server try again: EX_TEMPFAIL of sysexits.h.
	exitTempFail = 75
)

// answerCode is an answer given by the exit code alone. It is an error only for
// cobra, which has no other way back to main.
type answerCode int

func (v answerCode) Error() string { return fmt.Sprintf("exit code %d", int(v)) }

// exit prints what went wrong, a line for each error, and returns the exit code.
func (p *program) exit(err error) int {
	var v answerCode
	var many reading.Troubles
	switch {
	case err == nil:
		return exitYes
	case errors.As(err, &v):
		return int(v)
	case errors.As(err, &many):
		for _, err := range reading.InRowOrder(many) {
			p.complain(err)
		}
	default:
		p.complain(err)
	}
	return exitTrouble
}

// complain prints one error as one line.
func (p *program) complain(err error) {
	message := err.Error() + remedy(err)
	if errors.Is(err, context.Canceled) {
		message = strings.Replace(message, context.Canceled.Error(), "interrupted", 1)
	}
	message = strings.ReplaceAll(message, "\n", "; ")
	fmt.Fprintf(p.Stderr, "polya: %s\n", terminal.Printable(message))
}

// remedy advises what to do about a database that is damaged, or that this command may not change.
func remedy(err error) string {
	var damaged *store.CorruptError
	switch {
	case errors.Is(err, store.ErrNotRepaired) && strings.Contains(err.Error(), "analyzer is lost"):
		return "; --analyzer SPEC gives it"
	case errors.Is(err, store.ErrNotRepaired):
		return "; 'polya restore' brings a backup back, 'polya load' a dump into a new database"
	case errors.Is(err, store.ErrFollows):
		return "; teach who writes the log, or by 'polya dump --ledger' and 'polya load' make a database that follows none"
	case errors.As(err, &damaged):
		return "; 'polya check' says more, 'polya check --repair' saves what is left, 'polya restore' brings a backup back"
	}
	return ""
}

func misuse(cmd *cobra.Command, format string, args ...any) error {
	where := strings.TrimPrefix(cmd.CommandPath(), "polya")
	return fmt.Errorf("%w; see 'polya help%s'", fmt.Errorf(format, args...), where)
}

// needs returns a check that there are at least low and, unless high is
// negative, at most high arguments.
func needs(low, high int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		name := strings.TrimPrefix(cmd.CommandPath(), "polya ")
		switch {
		case len(args) < low:
			return misuse(cmd, "%s needs %s", name, what)
		case high == 0 && len(args) > 0:
			return misuse(cmd, "%s takes no arguments, not %q", name, args[0])
		case high >= 0 && len(args) > high:
			return misuse(cmd, "%s needs %s and nothing more, not %q", name, what, args[high])
		}
		return nil
	}
}

// knownCommand refuses the arguments of a command that only has commands.
func knownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	cmd.SuggestionsMinimumDistance = 2
	hint := ""
	if s := cmd.SuggestionsFor(args[0]); len(s) > 0 {
		hint = fmt.Sprintf(" (did you mean %q?)", s[0])
	}
	return misuse(cmd, "unknown command %q%s", args[0], hint)
}

// crashed reports a fault of ours. Left to the runtime it would end the process
// with exit code 2 and a trace of every goroutine.
func (p *program) crashed(c *crash.Crash) int {
	fmt.Fprintf(p.Stderr, "polya: fault of the program, please report it: %v\n%s", c.Value, c.Stack)
	return exitTrouble
}

func isInterrupted(err error) bool { return errors.Is(err, context.Canceled) }
