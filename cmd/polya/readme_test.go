package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The console of the README is what the commands in it print, in the order given. A
// line … stands for any lines.
func TestReadme(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no sh to run the commands")
	}
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, console, found := strings.Cut(string(readme), "```console\n$ export POLYA_DB=/tmp/mail.polya\n")
	console, _, ended := strings.Cut(console, "```\n")
	if !found || !ended {
		t.Fatal("no console that begins with the name of a database")
	}
	database := filepath.Join(t.TempDir(), "mail.polya")
	for _, part := range strings.Split("\n"+console, "\n$ ")[1:] {
		command, want, _ := strings.Cut(strings.TrimSuffix(part, "\n")+"\n", "\n")
		cmd := exec.Command("sh", "-c", command)
		cmd.Dir = "../.."
		cmd.Env = append(os.Environ(), "POLYA_DB="+database)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", command, err, out)
		}
		got := strings.ReplaceAll(string(out), database, "/tmp/mail.polya")
		pattern := strings.ReplaceAll(regexp.QuoteMeta(want), "…\n", "(?:.*\n)+")
		if !regexp.MustCompile("^" + pattern + "$").MatchString(got) {
			t.Errorf("%s\nprints\n%s\nand the README says\n%s", command, got, want)
		}
	}
}
