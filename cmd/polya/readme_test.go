package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The consoles of the README are what the commands in it print, in the order given. A
// line … stands for any lines.
func TestReadme(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no sh to run the commands")
	}
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := strings.Split(string(readme), "```console\n$ export POLYA_DB=/tmp/")[1:]
	if len(blocks) != 2 {
		t.Fatalf("%d consoles that begin with the name of a database", len(blocks))
	}
	for _, block := range blocks {
		name, console, _ := strings.Cut(block, "\n")
		console, _, ended := strings.Cut("\n"+console, "```\n")
		if !ended {
			t.Fatalf("the console of %s has no end", name)
		}
		followConsole(t, name, console)
	}
}

// followConsole runs the commands of a console and compares what they print.
func followConsole(t *testing.T, name, console string) {
	database := filepath.Join(t.TempDir(), name)
	for _, part := range strings.Split(console, "\n$ ")[1:] {
		command, want, _ := strings.Cut(strings.TrimSuffix(part, "\n")+"\n", "\n")
		cmd := exec.Command("sh", "-c", command)
		cmd.Dir = "../.."
		cmd.Env = append(os.Environ(), "POLYA_DB="+database)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", command, err, out)
		}
		got := strings.ReplaceAll(string(out), database, "/tmp/"+name)
		pattern := strings.ReplaceAll(regexp.QuoteMeta(want), "…\n", "(?:.*\n)+")
		if !regexp.MustCompile("^" + pattern + "$").MatchString(got) {
			t.Errorf("%s\nprints\n%s\nand the README says\n%s", command, got, want)
		}
	}
}
