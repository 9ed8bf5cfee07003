package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Every command prints the same, to the byte, and ends with the same exit code if a daemon
// has the database.
func TestDaemonRuns(t *testing.T) {
	for _, name := range []string{"mail.polya", "users/anna.polya"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			daemonRuns(t, name)
		})
	}
}

// sizes are the sizes of a database that commands print.
var sizes = regexp.MustCompile(`[0-9,]+ bytes|"size":[0-9]+`)

func daemonRuns(t *testing.T, name string) {
	dir := shortDir(t)
	mail, other := held(t, "spam/001.eml"), held(t, "work/001.eml")
	files := map[string]string{
		"mail.eml": mail, "other": other, "empty": "", "mbox": "From a\n" + mail, "page.html": "<p>prize money</p>", "noise": "\x00\x01\x02\x03\xff",
		"rows.csv": "class,text\nspam,prize\nwork,minutes\n", "abcdef": mail, "spam.txt": other,
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	type command struct{ input, args string }
	var commands []command
	for _, args := range []string{
		// one message
		"classify -", "classify --json -", "classify --is spam -", "classify --is none -", "--quiet classify --is spam -", "classify -v -", "classify --top 3 -",
		"classify --threshold 0.99 -", "classify --threshold 2 -", "classify --fpr 1% --is spam -", "classify --fpr 1% -", "classify --raw --json -",
		"classify --model multinomial -", "classify --prior uniform -", "classify mail.eml", "classify other", "classify empty", "classify mbox", "classify page.html",
		"classify noise", "classify rows.csv", "classify missing", "classify --json mail.eml", "classify abcdef", "classify", "classify --nonsense -", "classify mail.eml other",
		"explain -", "explain --json -", "explain --all -", "explain -n 2 mail.eml", "explain --is spam -", "explain --is none -", "explain rows.csv", "explain missing", "explain",
		"explain --intervals -", "classify --format text mail.eml", "classify --attr size=3 -",
		"train spam -", "train spam -", "train --json spam -", "train work -", "train --move spam mail.eml", "train --source me spam other", "train work other", "train spam empty",
		"train spam noise", "train spam missing", "train spma -", "train new -", "train new page.html", "train --new-class spma -", "train a/b -", "train '' -", "train spam", "train spam.txt -",
		"--quiet train work -", "train spam rows.csv", "train spam mbox", "train --folders spam -",
		"relabel work -", "relabel work -", "relabel --json spam -", "relabel none -", "relabel work missing", "relabel work abcdef",
		"forget -", "forget -", "forget --json mail.eml", "forget missing", "forget other", "forget --older-than 1d", "undo --source me", "undo --source me --yes", "forget --json page.html",
		// and all others
		"info", "info --json", "terms spam", "attributes", "similar mail.eml", "rule mail.eml", "class list", "class rename new newer", "class delete none", "check", "dump", "merge missing",
		"backup -f copy", "calibrate", "compact", "prune --json --min-df 2", "restore missing", "load missing", "version", "eval --folds 2", "filter", "filter --exit-code", "filter --is spam",
		"help train", "nonsense", "serve --check missing", "completion bash",
	} {
		input := mail
		if strings.HasPrefix(args, "classify -") && len(commands)%2 == 1 {
			input = other
		}
		commands = append(commands, command{input, args})
	}
	shared, database := filepath.Join(dir, "mail.polya"), filepath.Join(dir, name)
	ofUser := database != shared
	if ofUser { // to pass a message on the daemon asks both
		commands = slices.DeleteFunc(commands, func(c command) bool { return c.args == "filter" || c.args == "filter --exit-code" })
	}
	fill := func() {
		os.RemoveAll(filepath.Join(dir, "users"))
		os.Remove(shared)
		trained(t, dir)
		os.Remove(filepath.Join(dir, "copy"))
		if ofUser {
			err := os.Mkdir(filepath.Join(dir, "users"), 0o700)
			if err == nil {
				err = os.Rename(shared, database)
			}
			if err != nil {
				t.Fatal(err)
			}
			trained(t, dir)
		}
	}
	run := func() (all []filtered) {
		for _, c := range commands {
			args := append([]string{"polya", "--db", database}, strings.Fields(c.args)...)
			for i := range args {
				if args[i] == "''" {
					args[i] = ""
				}
			}
			got := pipedIn(t, dir, c.input, args...)
			got.out = sizes.ReplaceAllString(got.out, "N") // depend on when tables are merged
			all = append(all, got)
		}
		return all
	}
	fill()
	want := run()
	fill()
	daemon := startDaemon(t, shared, fmt.Sprintf("[users]\npath = %q\n", filepath.Join(dir, "users", "%u.polya")))
	if f := pipedIn(t, dir, mail, "polya", "--db", database, "filter"); f.code != 0 || !strings.HasPrefix(f.out, "X-Polya-Class: spam;") {
		t.Errorf("filter: %d %q %.100q", f.code, f.stderr, f.out)
	}
	if open, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", daemon.Pid)); err != nil || !slices.ContainsFunc(open, func(fd string) bool {
		to, _ := os.Readlink(fd)
		return to == database
	}) {
		t.Errorf("the daemon does not have %s open: %v", database, err)
	}
	for i, got := range run() {
		if got != want[i] {
			t.Errorf("%s:\n%d %q %q beside a daemon,\n%d %q %q without", commands[i].args, got.code, got.out, got.stderr, want[i].code, want[i].out, want[i].stderr)
		}
	}
}
