package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/internal/raced"
)

// The consoles of a page are what the commands in it print, in the order given: one
// goes on with the database of the one before, unless it names another. A line … stands
// for any lines.
func TestReadme(t *testing.T) {
	raced.Skip(t)
	t.Parallel()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no sh to run the commands")
	}
	for page, least := range map[string]int{"README.md": 3, "docs/answers.md": 7, "docs/why.md": 5, "docs/tables.md": 4} {
		t.Run(page, func(t *testing.T) {
			t.Parallel()
			followPage(t, "../../"+page, least)
		})
	}
}

// followPage runs the commands of a page, which are at least so many.
func followPage(t *testing.T, page string, least int) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	database, commands := "", 0
	for _, block := range strings.Split(string(text), "```console\n")[1:] {
		console, _, ended := strings.Cut("\n"+block, "```\n")
		if !ended {
			t.Fatalf("a console has no end: %.100s", block)
		}
		if name, rest, found := strings.Cut(strings.TrimPrefix(console, "\n$ export POLYA_DB=/tmp/"), "\n"); found && strings.HasPrefix(console, "\n$ export") {
			database, console = filepath.Join(t.TempDir(), name), "\n"+rest
		}
		commands += followConsole(t, database, console)
	}
	if commands < least {
		t.Errorf("%s: only %d commands", page, commands)
	}
}

// followConsole runs the commands of a console and compares what they print. It returns
// how many they are.
func followConsole(t *testing.T, database, console string) int {
	parts := strings.Split(console, "\n$ ")[1:]
	for _, part := range parts {
		command, want, _ := strings.Cut(strings.TrimSuffix(part, "\n")+"\n", "\n")
		cmd := exec.Command("sh", "-c", command)
		cmd.Dir = "../.."
		cmd.Env = append(os.Environ(), "POLYA_DB="+database)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", command, err, out)
		}
		got := strings.ReplaceAll(string(out), database, "/tmp/"+filepath.Base(database))
		pattern := strings.ReplaceAll(regexp.QuoteMeta(want), "…\n", "(?:.*\n)+")
		if !regexp.MustCompile("^" + pattern + "$").MatchString(got) {
			t.Errorf("%s\nprints\n%s\nand the page says\n%s", command, got, want)
		}
	}
	return len(parts)
}
