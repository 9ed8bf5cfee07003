package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/cmd/internal/command"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/internal/raced"
)

// mustRun runs polya on a database and returns what it prints.
func mustRun(t *testing.T, database, stdin string, args ...string) string {
	t.Helper()
	cmd := exec.Command("polya", append([]string{"--db", database}, args...)...)
	cmd.Stdin = strings.NewReader(stdin)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("polya %q: %v\n%s", args, err, out)
	}
	return string(out)
}

// A message that comes slowly keeps nobody from the database: the others are answered
// and learned while one process has read a part of its input.
func TestSlowInput(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"train", "a", "-"}, {"classify", "-"}, {"explain", "-"}, {"forget", "-"}, {"relabel", "b", "-"}, {"train", "--format", "mbox", "a", "-"},
	} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			t.Parallel()
			database := filepath.Join(t.TempDir(), "test.polya")
			text := "From a@example.org Mon Jan  5 10:00:00 2026\nSubject: x\nTo: y\n\n" + strings.Repeat("word after word\n", 20000)
			mustRun(t, database, text, "train", "a", "-")
			mustRun(t, database, "another", "train", "b", "-")
			slow := exec.Command("polya", append([]string{"--db", database}, args...)...)
			stdin, err := slow.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := slow.Start(); err != nil {
				t.Fatal(err)
			}
			defer slow.Process.Kill()
			rest := text
			if !slices.Contains(args, "mbox") {
				// More than a pipe holds, so that the process has begun to read when it is written.
				if _, err := io.WriteString(stdin, text[:200<<10]); err != nil {
					t.Fatal(err)
				}
				rest = text[200<<10:]
			}
			mustRun(t, database, "quick", "--wait", "0s", "train", "b", "-")
			mustRun(t, database, "quick", "--wait", "0s", "classify", "-")
			io.WriteString(stdin, rest)
			stdin.Close()
			if err := slow.Wait(); err != nil {
				t.Error(err)
			}
			if out := mustRun(t, database, "", "check"); !strings.Contains(out, "ok") {
				t.Error(out)
			}
		})
	}
}

// The pipe of a delivery agent: a message with its From line, to which its sender has
// added five lines, is answered as if they began no message: by their words alone.
func TestSmuggledMessage(t *testing.T) {
	raced.Skip(t)
	if testing.Short() {
		t.Skip("takes seconds of processor time")
	}
	t.Parallel()
	const smuggled = "\nFrom bob@example.com  Mon Jan  5 10:00:00 2026\nFrom: bob@example.com\nSubject: minutes\n\nSee you at the meeting.\n"
	quoted := strings.Replace(smuggled, "From bob", ">From bob", 1)
	database := filepath.Join(t.TempDir(), "test.polya")
	mail := filepath.Join("..", "..", "testdata", "mail")
	mustRun(t, database, "", "train", "--quiet", "--folders", filepath.Join(mail, "train"))
	samples, err := filepath.Glob(filepath.Join(mail, "*", "spam", "*.eml"))
	if err != nil || len(samples) == 0 {
		t.Fatal(samples, err)
	}
	is := func(message string) int {
		cmd := exec.Command("polya", "--db", database, "classify", "--is", "spam", "--quiet", "-")
		cmd.Stdin = strings.NewReader(message)
		_ = cmd.Run()
		return cmd.ProcessState.ExitCode()
	}
	yes := 0
	for i, path := range samples {
		sample, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		message := fmt.Sprintf("From shop%d@example.org  Mon Jan  5 09:00:00 2026\n%s\n", i, sample)
		if yes == 40 || is(message+quoted) != command.Yes {
			continue
		}
		yes++
		if code := is(message + smuggled); code != command.Yes {
			t.Errorf("%s: exit code %d with another message in it", path, code)
		}
	}
	if yes < 40 {
		t.Errorf("only %d are spam at all", yes)
	}
	out := mustRun(t, database, "From a@example.org  Mon Jan  5 09:00:00 2026\nSubject: x\nTo: y\n\nhello\n"+smuggled, "train", "spam", "-")
	if !strings.Contains(out, "learned 1,") || !strings.Contains(out, "note: -: read as one message") {
		t.Error(out)
	}
}

// Names of files and folders are bytes that anybody may choose.
func TestHostileNames(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("names are not bytes there")
	}
	dir := t.TempDir()
	database := filepath.Join(dir, "test.polya")
	for _, name := range []string{"mail/ham/1", "mail/spam/2", "mail/h\xe4m/3", "mail/a\x01b/4", "mail/h\xe4m/5", "in/\xff.txt", "in/\u009b1m\u202etxt\x7f", "in/ok.txt"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("text of "+name[len(name)-1:]+" here"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out, err := exec.Command("polya", "--db", database, "train", "--folders", filepath.Join(dir, "mail")).CombinedOutput()
	if code := err.(*exec.ExitError).ExitCode(); code != command.Trouble || !strings.Contains(string(out), "learned 2,") ||
		!strings.Contains(string(out), "ham 1 (new), spam 1 (new)\n") || strings.Count("\n"+string(out), "\npolya: ") != 3 ||
		!strings.Contains(string(out), "want UTF-8") || !strings.Contains(string(out), "control characters") {
		t.Errorf("exit code %d\n%s", code, out)
	}

	answers := mustRun(t, database, "", "classify", "--json", filepath.Join(dir, "in"))
	for _, want := range []string{`\u009b1m\u202etxt\u007f","id"`, `\ufffd.txt","path_base64":"`, `ok.txt","id"`} {
		if !strings.Contains(answers, want) {
			t.Errorf("no %s in\n%q", want, answers)
		}
	}
	explained := mustRun(t, database, "", "explain", "--json", filepath.Join(dir, "in", "\xff.txt"))
	if !strings.Contains(explained, `"path_base64":"`) {
		t.Error(explained)
	}
	for _, r := range answers + explained {
		if r != '\n' && !terminal.IsPrintable(string(r)) {
			t.Errorf("%U is printed", r)
		}
	}
}

// Whoever waits for the rest of its input can be interrupted, and nothing has happened.
func TestInterruptedInput(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("no process can send Ctrl-C to another")
	}
	database := filepath.Join(t.TempDir(), "test.polya")
	cmd := exec.Command("polya", "--db", database, "train", "a", "-")
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	var stderr strings.Builder
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	if _, err := io.WriteString(stdin, strings.Repeat("word ", 50000)); err != nil { // more than a pipe holds
		t.Fatal(err)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if cmd.ProcessState.ExitCode() != -1 || stderr.Len() > 0 {
		t.Errorf("%v: %q", cmd.ProcessState, stderr.String())
	}
	if command.Exists(database) {
		t.Error("a database was made")
	}
}
