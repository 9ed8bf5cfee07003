package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A wrong answer on a terminal is said, and asked for again.
func TestInterviewAsksAgain(t *testing.T) {
	t.Parallel()
	script, err := exec.LookPath("script")
	if err != nil {
		t.Skip("no script")
	}
	dir := t.TempDir()
	box := newMaildir(t, filepath.Join(dir, "Maildir"))
	box.deliver("Work", []byte("Message-ID: <1@example.org>\n\nminutes\n"), true)
	cmd := exec.Command(script, "-qec", "polyad watch --init --db x.polya w.toml", "/dev/null")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME="+dir)
	cmd.Stdin = strings.NewReader("mailder\nmaildir\nnowhere\nmaildir\nMaildir\n7\n1\nno\n")
	out, err := cmd.CombinedOutput()
	said := string(out)
	if err != nil {
		t.Error(err)
	}
	for _, want := range []string{`"mailder": want maildir, imap or notmuch`, "nowhere: no such file or directory", `"7": want numbers up to 5`, "w.toml: written"} {
		if !strings.Contains(said, want) {
			t.Errorf("no %q in\n%s", want, said)
		}
	}
}
