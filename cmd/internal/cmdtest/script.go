package cmdtest

import (
	"errors"
	"os/exec"
	"regexp"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/polya-classifier/polya/cmd/internal/command"
)

// Exits runs a command and wants an exit code: exits 1 polya …
func Exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	if got := exitCode(ts, args[1:]); got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

func exitCode(ts *testscript.TestScript, args []string) int {
	err := ts.Exec(args[0], args[1:]...)
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return exit.ExitCode()
	}
	ts.Fatalf("%v", err)
	return -1
}

// Trouble returns a command of scripts that runs a program and wants exit code 3 and, on standard
// error, exactly one line, which begins with the name of the program and matches a pattern:
// trouble PATTERN …
func Trouble(program string) func(ts *testscript.TestScript, neg bool, args []string) {
	return func(ts *testscript.TestScript, neg bool, args []string) {
		if neg || len(args) < 2 {
			ts.Fatalf("usage: trouble PATTERN ARGUMENT…")
		}
		if got := exitCode(ts, append([]string{program}, args[1:]...)); got != command.Trouble {
			ts.Fatalf("exit code %d, want %d", got, command.Trouble)
		}
		stderr := ts.ReadFile("stderr")
		line, rest, ended := strings.Cut(stderr, "\n")
		switch {
		case !ended || rest != "":
			ts.Fatalf("standard error is not one line")
		case !strings.HasPrefix(line, program+": "):
			ts.Fatalf("the line does not begin with '%s: '", program)
		case !regexp.MustCompile(args[0]).MatchString(line):
			ts.Fatalf("the line does not match %q", args[0])
		}
	}
}
