package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A command without flags, which runs before the program does, prints, answers and learns
// what the program would.
func TestAlone(t *testing.T) {
	t.Parallel()
	messages, err := filepath.Glob("../../testdata/mail/*/*/*.eml")
	if err != nil || len(messages) < 10 {
		t.Fatal(messages, err)
	}
	dir := t.TempDir()
	alone, program := filepath.Join(dir, "alone", "x.polya"), filepath.Join(dir, "program", "x.polya")
	for _, database := range []string{alone, program} {
		if err := os.Mkdir(filepath.Dir(database), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	same := func(stdin string, plain, flagged []string) {
		t.Helper()
		out, code := outcome(t, alone, stdin, plain)
		want, wantCode := outcome(t, program, stdin, flagged)
		if want = bytes.ReplaceAll(want, []byte(program), []byte(alone)); code != wantCode || !bytes.Equal(out, want) {
			t.Errorf("%q: exit code %d, want %d\n%s\nwant\n%s", plain, code, wantCode, out, want)
		}
	}
	bad, err := filepath.Glob("../../testdata/bad/*.eml")
	if err != nil {
		t.Fatal(err)
	}
	for i, path := range append(messages[:8:8], bad...) {
		if i > 8 && i%4 > 0 {
			continue // each takes ten processes
		}
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		class := []string{"ham", "spam"}[i%2]
		same("", []string{"train", class, path}, []string{"train", "--source=", class, path})
		same("", []string{"classify", path}, []string{"classify", "--top=1", path})
		same(string(content), []string{"classify", "-"}, []string{"classify", "--top=1", "-"})
		same(string(content), []string{"filter"}, []string{"filter", "--is=spam"})
		if i%4 == 1 {
			quiet := filepath.Join(dir, "quiet.eml")
			if err := os.WriteFile(quiet, append(content, " And more."...), 0o600); err != nil {
				t.Fatal(err)
			}
			same("", []string{"train", "--quiet", class, quiet}, []string{"train", "--quiet", "--source=", class, quiet})
		}
		if i%5 == 0 {
			same("", []string{"train", "ham", path}, []string{"train", "--source=", "ham", path}) // again, or moved
			same("", []string{"train", "spum", path}, []string{"train", "--source=", "spum", path})
		}
	}
	if a, b := mustRun(t, alone, "", "dump"), mustRun(t, program, "", "dump"); a != b {
		t.Error("other counts")
	}
}

// outcome runs a command and returns what it printed, and its exit code.
func outcome(t *testing.T, database, stdin string, args []string) (out []byte, code int) {
	t.Helper()
	cmd := exec.Command("polya", append([]string{"--db", database}, args...)...)
	cmd.Stdin = strings.NewReader(stdin)
	out, err := cmd.CombinedOutput()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return out, cmd.ProcessState.ExitCode()
}
