package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The recipe of the topic, given to procmail as it stands, sorts spam, a message that is
// none, and one whose evidence contradicts itself; without a database all goes to the
// inbox.
func TestProcmail(t *testing.T) {
	t.Parallel()
	procmail, err := exec.LookPath("procmail")
	if err != nil {
		t.Skip("no procmail")
	}
	_, recipe, _ := strings.Cut(helpText("filter"), "~/.procmailrc:\n\n")
	recipe, _, found := strings.Cut(recipe, "\n\nIf ")
	if !found {
		t.Fatal("no recipe in the topic")
	}
	home := t.TempDir()
	maildir := filepath.Join(home, "Maildir")
	if err := os.Mkdir(maildir, 0o700); err != nil {
		t.Fatal(err)
	}
	database := filepath.Join(home, "mail.polya")
	if out, err := exec.Command("polya", "--db", database, "train", "--folders", "../../testdata/mail/train").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	// procmail has a HOME and a PATH of its own.
	deliver := func(message, database string) {
		t.Helper()
		rc := filepath.Join(home, "procmailrc")
		text := fmt.Sprintf("HOME=%s\nPATH=%s\nPOLYA_DB=%s\n%s\n", home, os.Getenv("PATH"), database, recipe)
		if err := os.WriteFile(rc, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		content, err := os.ReadFile("../../testdata/mail/held/" + message)
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(procmail, "-m", rc)
		cmd.Stdin = bytes.NewReader(append([]byte("From shop@example.org  Mon Jan  5 10:00:00 2026\n"), content...))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", message, err, out)
		}
	}
	for _, m := range []struct{ message, database, folder string }{
		{"spam/003.eml", database, ".Junk"},
		{"travel/001.eml", database, ""},
		{"spam/007.eml", database, ".Unsure"},
		{"spam/003.eml", database + ".missing", ""},
	} {
		folder := filepath.Join(maildir, m.folder, "new")
		before, _ := os.ReadDir(folder)
		deliver(m.message, m.database)
		if after, _ := os.ReadDir(folder); len(after) != len(before)+1 {
			t.Errorf("%s is not in the folder %q", m.message, m.folder)
		}
	}
}
