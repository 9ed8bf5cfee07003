package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/polya-classifier/polya/cmd/internal/command"
	"github.com/polya-classifier/polya/internal/raced"
)

// broken are databases that cannot answer, by what is wrong with them.
func broken(t *testing.T) map[string]string {
	t.Helper()
	dir := t.TempDir()
	paths := map[string]string{"missing": filepath.Join(dir, "none.polya"), "a folder": dir, "no folder": filepath.Join(dir, "none", "x.polya")}
	whole, err := os.ReadFile(trained(t, t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	write := func(name string, content []byte) {
		paths[name] = filepath.Join(dir, strings.ReplaceAll(name, " ", "-")+".polya")
		if err := os.WriteFile(paths[name], content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("not a database", []byte("what is this?\n"))
	write("cut off", whole[:len(whole)/3])
	zeros := bytes.Clone(whole)
	clear(zeros[8192:])
	write("zeros", zeros)
	noise := bytes.Clone(whole)
	for i := 8192; i < len(noise); i += 97 {
		noise[i] ^= 0x55
	}
	write("noise", noise)
	paths["locked"] = filepath.Join(dir, "locked.polya")
	if err := os.WriteFile(paths["locked"], whole, 0o600); err != nil {
		t.Fatal(err)
	}
	lock(t, paths["locked"])
	return paths
}

// lock keeps everybody from reading a file until the test ends, as who commits does.
func lock(t *testing.T, path string) {
	t.Helper()
	f, err := os.Open(path)
	if err == nil {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
}

// Without a database that answers the message passes as it came, in all modes.
func TestFilterFailure(t *testing.T) {
	raced.Skip(t)
	t.Parallel()
	message := "From a@b  Mon Jan  5 10:00:00 2026\r\nX-Polya-Class: ham\r\nSubject: hi\r\n\r\nbody"
	for name, database := range broken(t) {
		polya := func(args ...string) filtered {
			return piped(t, message, append([]string{"polya", "--db", database, "--wait", "100ms", "filter"}, args...)...)
		}
		wants := func(what string, f filtered, code int, out string) {
			t.Helper()
			if f.code != code || f.out != out || !strings.HasPrefix(f.stderr, "polya: ") || strings.Count(f.stderr, "\n") != 1 {
				t.Errorf("%s, %s: exit code %d, %q: %.100q", name, what, f.code, f.stderr, f.out)
			}
		}
		wants("filter", polya(), 0, message)
		wants("tempfail", polya("--tempfail"), command.TempFail, "")
		wants("exit code", polya("--exit-code"), command.Trouble, "")
		wants("bogofilter", polya("--bogofilter", "-p", "-e"), 3, message)
		if _, err := os.Stat(database); err == nil { // others are made
			wants("bogofilter that teaches", polya("--bogofilter", "-p", "-s"), 3, message)
		}
		wants("bogofilter without -p", polya("--bogofilter", "-v"), 3, "")
	}
}

// A message that cannot be written is kept by whoever has it.
func TestFilterFullOutput(t *testing.T) {
	raced.Skip(t)
	t.Parallel()
	database := trained(t, t.TempDir())
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	for mode, code := range map[string]int{"filter": command.TempFail, "filter --bogofilter -p -e": 3} {
		cmd := exec.Command("polya", append([]string{"--db", database}, strings.Fields(mode)...)...)
		cmd.Stdin, cmd.Stdout = strings.NewReader("a: b\n\nc\n"), full
		if err := cmd.Run(); cmd.ProcessState.ExitCode() != code {
			t.Errorf("%s: %v, want exit code %d", mode, err, code)
		}
	}
}

// A closed standard output is no null device: nobody gets the message, and whoever has it keeps it.
func TestFilterClosedOutput(t *testing.T) {
	t.Parallel()
	database := trained(t, t.TempDir())
	for _, c := range []struct {
		args, output string
		code         int
	}{
		{"filter", ">&-", command.TempFail},
		{"filter --no-such-flag", ">&-", command.TempFail},
		{"filter --bogofilter -p -e", ">&-", 3},
		{"filter --bogofilter -p --no-such-option", ">&-", 3},
		{"filter", ">/dev/null", 0},
		{"filter --exit-code", ">&-", command.Unsure},
		{"filter --tempfail", ">&- <&-", command.TempFail},
	} {
		f := piped(t, "a: b\n\nc\n", "sh", "-c", fmt.Sprintf("exec polya --db %q %s %s", database, c.args, c.output))
		if f.code != c.code || (f.stderr != "") != (c.code >= 3 && c.code != command.Unsure) {
			t.Errorf("%s %s: exit code %d, %q, want %d", c.args, c.output, f.code, f.stderr, c.code)
		}
	}
}

// What a command could not print is an error, whichever command it is.
func TestLostOutput(t *testing.T) {
	t.Parallel()
	database := trained(t, t.TempDir())
	for _, args := range []string{"help", "help paths", "help train", "train --help", "version", "info", "classify -", "classify --is spam -", "dump", "completion bash", "train --json spam -", "forget --json -",
		"filter --bogofilter -h", "filter --bogofilter -V"} {
		f := piped(t, "a: b\n\nc\n", "sh", "-c", fmt.Sprintf("exec polya --db %q %s >/dev/full", database, args))
		if f.code != command.Trouble || strings.Count(f.stderr, "\n") != 1 {
			t.Errorf("%s: exit code %d, %q", args, f.code, f.stderr)
		}
	}
	if f := piped(t, "a: b\n\nc\n", "sh", "-c", fmt.Sprintf("exec polya --db %q classify --quiet --is spam - >/dev/full", database)); f.code == command.Trouble {
		t.Errorf("--quiet, which prints nothing: %q", f.stderr)
	}
}

// Whoever has the message keeps it, too, if it can be neither answered nor written, or cannot be read.
func TestFilterFailsTwice(t *testing.T) {
	t.Parallel()
	missing := filepath.Join(t.TempDir(), "none.polya")
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	folder, err := os.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	run := func(args string, in, out *os.File) {
		t.Helper()
		cmd := exec.Command("polya", append([]string{"--db", missing}, strings.Fields(args)...)...)
		cmd.Stdin = strings.NewReader("a: b\n\nc\n")
		if in != nil {
			cmd.Stdin = in
		}
		if out != nil { // a nil one would close it, which is a failure of its own
			cmd.Stdout = out
		}
		if err := cmd.Run(); cmd.ProcessState.ExitCode() != command.TempFail {
			t.Errorf("%s: %v, want exit code %d", args, err, command.TempFail)
		}
	}
	run("filter", nil, full)
	run("filter --threshold many", nil, full)
	run("filter --no-such-flag", nil, full)
	run("filter", folder, nil)
	run("filter --exit-code", folder, nil)
	run("filter --threshold many", folder, nil)
	run("filter --tempfail --no-such-flag", nil, nil)
}

// In little memory a long message passes without an answer, and the one of usual size has
// one. Where the program cannot run it prints nothing, and has not succeeded.
func TestFilterLittleMemory(t *testing.T) {
	raced.Skip(t)
	t.Parallel()
	database := trained(t, t.TempDir())
	long := "a: b\n\n" + strings.Repeat("long ", 8<<20)
	limits := []int{64, 256, 500, 900, 1500}
	if testing.Short() {
		limits = []int{64, 256} // in more it is read, which takes a second
	}
	for _, megabytes := range limits {
		for what, message := range map[string]string{"long": long, "usual": held(t, "spam/001.eml")} {
			f := piped(t, message, "sh", "-c", fmt.Sprintf("ulimit -v %d; exec polya --db %q filter", megabytes<<10, database))
			switch {
			case f.code != 0 && f.out == "":
			case f.code != 0 || !strings.HasSuffix(f.out, message):
				t.Errorf("%s, %d MB: exit code %d, %d bytes: %.200s", what, megabytes, f.code, len(f.out), f.stderr)
			}
		}
	}
}
