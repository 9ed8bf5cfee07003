// Package cmdtest is for tests in which polya, polyad and polya-lab work together.
package cmdtest

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/polya-classifier/polya/cmd/internal/command"
	"github.com/polya-classifier/polya/internal/raced"
	"github.com/polya-classifier/polya/serve/api/client"
)

// Main runs the tests of a program as testscript.Main does, with the three programs as users build
// them in the PATH: tests start those, or with the race detector the test binary, which has it too.
func Main(m *testing.M, commands map[string]func()) { testscript.Main(beside{m}, commands) }

// beside runs tests beside the programs.
type beside struct{ *testing.M }

// Run builds the programs, and runs the tests.
// POLYA_PROGRAMS names the folder of those that are built already, as in a test that runs itself again.
func (b beside) Run() int {
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGHUP} {
		if signal.Ignored(s) { // as in a job in the background, or by nohup: the programs would ignore it, too
			signal.Notify(make(chan os.Signal, 1), s)
		}
	}
	paths, built := filepath.SplitList(os.Getenv("PATH")), os.Getenv("POLYA_PROGRAMS")
	if built == "" {
		built = filepath.Join(paths[0], "built") // in testscript's folder, which it removes
		os.Setenv("POLYA_PROGRAMS", built)
		build := exec.Command("go", "build", "-o", built+string(filepath.Separator), "../polya", "../polyad", "../polya-lab")
		build.Stderr = os.Stderr
		if err := build.Run(); err != nil {
			fmt.Fprintln(os.Stderr, "cannot build the programs:", err)
			return 1
		}
	}
	paths = append([]string{built}, paths...)
	if raced.On() { // Go tests start the test binary, which testscript has put first
		paths[0], paths[1] = paths[1], built
	}
	os.Setenv("PATH", strings.Join(paths, string(filepath.ListSeparator)))
	return b.M.Run()
}

// Programs has a script call polya, polyad and polya-lab as users build them: test binaries start slower.
func Programs(e *testscript.Env) {
	e.Setenv("PATH", os.Getenv("POLYA_PROGRAMS")+string(filepath.ListSeparator)+e.Getenv("PATH"))
}

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
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
		if t.Failed() {
			t.Logf("%s", log.Bytes())
		}
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
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.ExitCode()
	}
	ts.Check(err)
	return 0
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
		case !ended || rest != "" || !strings.HasPrefix(line, program+": "):
			ts.Fatalf("standard error is not one line that begins with '%s: '", program)
		case !regexp.MustCompile(args[0]).MatchString(line):
			ts.Fatalf("the line does not match %q", args[0])
		}
	}
}
