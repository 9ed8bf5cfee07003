package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/internal/raced"
)

// The script of docs/backups.md needs no home, prints nothing, and copies the databases of users with odd names;
// each is restored as it was.
func TestNightlyBackup(t *testing.T) {
	raced.Skip(t)
	t.Parallel()
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no sh to run the script")
	}
	page, err := os.ReadFile("../../docs/backups.md")
	if err != nil {
		t.Fatal(err)
	}
	_, script, _ := strings.Cut(string(page), "```sh\n")
	script, _, ended := strings.Cut(script, "```")
	dir := t.TempDir()
	if script = strings.ReplaceAll(strings.ReplaceAll(script, "/var/lib/polya", dir), "/backup", dir+"/copies"); !ended {
		t.Fatal("the page has no script")
	}
	run := func(name string, args ...string) string {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Env = []string{"PATH=" + os.Getenv("PATH")}
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %v: %v\n%s", name, args, err, out)
		}
		return string(out)
	}
	names := []string{"mail.polya", "users/-x é y.polya"}
	if err := os.Mkdir(filepath.Join(dir, "users"), 0o700); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second night the copies are there
		for _, name := range names {
			run("polya", "--db", filepath.Join(dir, name), "train", "spam", "../../testdata/mail/held/spam/001.eml")
		}
		if out := run(sh, "-c", script); out != "" {
			t.Errorf("it prints %q", out)
		}
	}
	for _, name := range names {
		database, restored := filepath.Join(dir, name), filepath.Join(t.TempDir(), "restored.polya")
		run("polya", "--db", restored, "restore", filepath.Join(dir, "copies", name))
		if was, is := run("polya", "--db", database, "dump", "--ledger"), run("polya", "--db", restored, "dump", "--ledger"); was != is {
			t.Errorf("%s: the copy differs", name)
		}
	}
}
