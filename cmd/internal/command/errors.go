package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/polya-classifier/polya/cmd/internal/reading"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/internal/spelling"
	"github.com/polya-classifier/polya/store"
)

// The exit codes, of all commands. None is 2, the code of a fatal error of Go's runtime,
// such as a lack of memory or threads: a crash must not read as an answer.
const (
	Yes     = 0 // done, or the answer is yes
	No      = 1 // the answer is no
	Trouble = 3 // something went wrong; a line on standard error says what
	Unsure  = 4 // there is no sure answer

	// TempFail makes a mail server try again: EX_TEMPFAIL of sysexits.h.
	TempFail = 75
)

// An AnswerCode is an answer given by the exit code alone. It is an error only for
// cobra, which has no other way back to main.
type AnswerCode int

// Error implements error.
func (v AnswerCode) Error() string { return fmt.Sprintf("exit code %d", int(v)) }

// Exit prints what went wrong, a line for each error, and returns the exit code.
func (p *Program) Exit(err error) int {
	var v AnswerCode
	var many reading.Troubles
	switch {
	case err == nil:
		return Yes
	case errors.As(err, &v):
		return int(v)
	case errors.As(err, &many):
		for _, err := range similar(many) {
			p.Complain(err)
		}
	default:
		p.Complain(err)
	}
	return Trouble
}

// maxSimilar is the largest number of similar errors that are printed; of more only the first
// is: a wrong --format has one for each file or line.
const maxSimilar = 10

// similar returns errs, of many similar ones the first and how many there are.
func similar(errs []error) []error {
	kind := func(err error) string {
		_, text, _ := strings.Cut(err.Error(), ": ")
		text, _, _ = strings.Cut(text, ": ")
		return text
	}
	times := map[string]int{}
	for _, err := range errs {
		times[kind(err)]++
	}
	var list []error
	for _, err := range errs {
		k := kind(err)
		if n := times[k]; n > maxSimilar {
			err = fmt.Errorf("%w; and %s more such errors", err, terminal.Grouped(n-1))
			if strings.HasPrefix(k, "not a") {
				err = fmt.Errorf("%w (is --format right?)", err)
			}
			times[k] = 0
		} else if n == 0 { // one stands for all
			continue
		}
		list = append(list, err)
	}
	return list
}

// Complain prints one error as one line.
func (p *Program) Complain(err error) {
	message := err.Error() + remedy(err)
	if errors.Is(err, context.Canceled) {
		message = strings.Replace(message, context.Canceled.Error(), "interrupted", 1)
	}
	message = strings.ReplaceAll(message, "\n", "; ")
	fmt.Fprintf(p.Stderr, "%s: %s\n", p.Name, terminal.Printable(message))
}

// ComplainEach prints errors that were joined, each in a line of its own, and returns an AnswerCode.
// Any other error it returns.
func (p *Program) ComplainEach(err error) error {
	many, ok := err.(interface{ Unwrap() []error })
	if !ok || !strings.Contains(err.Error(), "\n") { // it is one error
		return err
	}
	for _, err := range many.Unwrap() {
		if err := p.ComplainEach(err); err != AnswerCode(Trouble) {
			p.Complain(err)
		}
	}
	return AnswerCode(Trouble)
}

// remedy advises what to do about a database that is damaged, or that this command may not change.
func remedy(err error) string {
	switch {
	case errors.As(err, new(*store.AnalyzerError)):
		return "; 'polya retrain --analyzer SPEC PATH' learns its documents again by another"
	case errors.Is(err, store.ErrNotRepaired) && strings.Contains(err.Error(), "analyzer is lost"):
		return "; --analyzer SPEC gives it"
	case errors.Is(err, store.ErrNotRepaired):
		return "; 'polya restore' brings a backup back, 'polya load' a dump into a new database"
	case errors.Is(err, store.ErrFollows):
		return "; teach who writes the log, or by 'polya dump --ledger' and 'polya load' make a database that follows none"
	case inTemporary(err):
		return "; set TMPDIR to a folder that can be written"
	case errors.Is(err, fs.ErrPermission):
		return "; its owner and root may"
	case errors.As(err, new(*store.CorruptError)):
		return "; 'polya check' says more, 'polya restore' brings a backup back, 'polya check --repair' saves the documents of a full ledger"
	}
	return ""
}

// inTemporary reports whether a database in memory could not be kept in the folder for temporary files.
func inTemporary(err error) bool {
	p, ok := errors.AsType[*fs.PathError](err)
	return ok && p.Op != "read" && (p.Path == os.TempDir() || strings.HasPrefix(p.Path, filepath.Join(os.TempDir(), "polya-")))
}

// Misuse returns an error about how a command was called, with where its help is.
func Misuse(cmd *cobra.Command, format string, args ...any) error {
	program, where, _ := strings.Cut(cmd.CommandPath(), " ")
	return fmt.Errorf("%w; see '%s'", fmt.Errorf(format, args...), strings.TrimSpace(program+" help "+where))
}

// Needs returns a check that there are at least low and, unless high is
// negative, at most high arguments.
func Needs(low, high int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		_, name, _ := strings.Cut(cmd.CommandPath(), " ")
		switch {
		case len(args) < low:
			return Misuse(cmd, "%s needs %s", name, what)
		case high == 0 && len(args) > 0:
			return Misuse(cmd, "%s takes no arguments, not %q", name, args[0])
		case high >= 0 && len(args) > high:
			return Misuse(cmd, "%s needs %s and nothing more, not %q", name, what, args[high])
		}
		return nil
	}
}

// Known refuses the arguments of a command that only has commands.
func Known(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	cmd.SuggestionsMinimumDistance = 2
	hint := ""
	if s := cmd.SuggestionsFor(args[0]); len(s) > 0 {
		hint = fmt.Sprintf(" (did you mean %q?)", s[0])
	}
	return Misuse(cmd, "unknown command %q%s", args[0], hint)
}

// crashed reports a fault of ours. Left to the runtime it would end the process
// with exit code 2 and a trace of every goroutine.
func (p *Program) crashed(c *reading.Crash) int {
	fmt.Fprintf(p.Stderr, "%s: fault of the program, please report it: %v\n%s", p.Name, c.Value, c.Stack)
	return Trouble
}

// FlagError says of an unknown flag which is like it, and of an invalid value what the flag
// wants instead.
func FlagError(cmd *cobra.Command, err error) error {
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
		return Misuse(cmd, "%w%s", err, spelling.Meant("--"+unknown.GetSpecifiedName(), names))
	}
	invalid, ok := errors.AsType[*pflag.InvalidValueError](err)
	if !ok {
		return Misuse(cmd, "%w", err)
	}
	flag := invalid.GetFlag()
	want := map[string]string{ // the functions of other types say what they want
		"int": "want a whole number", "uint64": "want a whole number, 0 or more", "float64": "want a number", "bool": "want true or false, or nothing",
	}[flag.Value.Type()]
	return Misuse(cmd, "--%s %s: %s", flag.Name, cmp.Or(invalid.GetValue(), "''"), cmp.Or(want, invalid.Unwrap().Error()))
}
