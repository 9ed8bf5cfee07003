// Package cmdtest is for tests in which polya and polyad work together.
package cmdtest

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/polya-classifier/polya/cmd/internal/command"
	"github.com/polya-classifier/polya/serve/api/client"
)

// programs is a folder with polya and polyad as they are built for users.
var programs string

// Main runs the tests of a program as testscript.Main does, with another program of cmd in the PATH.
func Main(m *testing.M, other string, commands map[string]func()) {
	testscript.Main(beside{m, other}, commands)
}

// beside runs tests beside another program.
type beside struct {
	*testing.M
	other string
}

// Run builds the programs, without their profile, which takes half the time, and runs the tests.
// Who has built them names their folder in POLYA_PROGRAMS; a test that runs itself again has.
func (b beside) Run() int {
	dir, err := os.MkdirTemp("", "polya")
	if err == nil {
		defer os.RemoveAll(dir)
		err = build(filepath.Join(dir, "programs"))
	}
	name := b.other
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	if err == nil {
		err = os.Symlink(filepath.Join(programs, name), filepath.Join(dir, name))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	before(dir, os.Getenv, func(name, value string) { os.Setenv(name, value) })
	return b.M.Run()
}

func build(dir string) error {
	if programs = os.Getenv("POLYA_PROGRAMS"); programs != "" {
		return nil
	}
	programs = dir
	os.Setenv("POLYA_PROGRAMS", dir)
	out, err := exec.Command("go", "build", "-pgo=off", "-o", dir+string(filepath.Separator), "../polya", "../polyad").CombinedOutput()
	if err != nil {
		err = fmt.Errorf("cannot build the programs: %w\n%s", err, out)
	}
	return err
}

// before has programs of a folder called before all others.
func before(dir string, get func(string) string, set func(name, value string)) {
	set("PATH", dir+string(filepath.ListSeparator)+get("PATH"))
}

// Programs has a script call polya and polyad as they are built for users. A test binary starts
// more slowly, and much more slowly with the race detector.
func Programs(e *testscript.Env) { before(programs, e.Getenv, e.Setenv) }

// StartDaemon starts a daemon on a database, with more in its configuration, and ends it with the
// test.
func StartDaemon(t *testing.T, database string, more ...string) *os.Process {
	t.Helper()
	config := database + ".toml"
	if err := os.WriteFile(config, fmt.Appendf(nil, "[database]\npath = %q\n[[spamd]]\naddress = %q\n%s", database, database+".spamd", strings.Join(more, "")), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("polyad", "serve", config)
	var log bytes.Buffer
	cmd.Stderr = &log
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("%s", log.Bytes())
		}
	})
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	WaitUntil(t, func() bool {
		c, err := net.Dial("unix", client.Path(database))
		if err == nil {
			c.Close()
		}
		return err == nil
	})
	return cmd.Process
}

// WaitUntil returns when something is done, and fails after two minutes.
func WaitUntil(t *testing.T, done func() bool) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); !done(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("waited in vain")
		}
	}
}

// ShortDir is a folder with a short name, as sockets need.
func ShortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "polya")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

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
