package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/polya-classifier/polya/cmd/internal/cmdtest"
	"github.com/polya-classifier/polya/cmd/internal/command"
)

func TestMain(m *testing.M) {
	cmdtest.Main(m, map[string]func(){"polya-lab": main})
}

func TestScripts(t *testing.T) {
	bad, err := filepath.Abs("../../testdata/bad")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			e.Setenv("HOME", filepath.Join(e.WorkDir, "home"))
			e.Setenv("LocalAppData", filepath.Join(e.WorkDir, "home"))
			e.Setenv("XDG_DATA_HOME", "")
			e.Setenv("POLYA_DB", "test.polya")
			e.Setenv("TZ", "UTC")
			e.Setenv("BAD", bad)
			cmdtest.Programs(e)
			if testing.Short() { // to start threads takes a tenth of a short command
				e.Setenv("GOMAXPROCS", "1")
			}
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){"trouble": trouble},
	})
}

// The first page has every command, and a place for the path of the database.
func TestHelp(t *testing.T) {
	l := &lab{command.New("polya-lab", texts)}
	text := l.Text("polya-lab")
	for _, c := range l.root().Commands() {
		if c.Name() != "help" && !strings.Contains(text, "\n    "+c.Name()+" ") {
			t.Errorf("no line for %s", c.Name())
		}
	}
	if strings.Count(text, "%s") != 1 {
		t.Error("no place for the path of the database")
	}
}

// trouble runs polya-lab and wants one line on standard error that matches a pattern:
// trouble PATTERN ARGUMENT…
func trouble(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: trouble PATTERN ARGUMENT…")
	}
	if err := ts.Exec("polya-lab", args[1:]...); err == nil {
		ts.Fatalf("no error")
	}
	stderr := ts.ReadFile("stderr")
	line, rest, ended := strings.Cut(stderr, "\n")
	if !ended || rest != "" || !strings.HasPrefix(line, "polya-lab: ") || !regexp.MustCompile(args[0]).MatchString(line) {
		ts.Fatalf("standard error is not one line that matches %q", args[0])
	}
}

// The consoles of docs/textbook.md print what they say, in a folder of their own, with the
// figures as the textbooks have them. A line … stands for any lines.
func TestTextbook(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no sh to run the commands")
	}
	page, err := os.ReadFile("../../docs/textbook.md")
	if err != nil {
		t.Fatal(err)
	}
	mail, err := filepath.Abs("../../testdata/mail")
	if err != nil {
		t.Fatal(err)
	}
	commands, dir := 0, t.TempDir()
	env := append(os.Environ(), "POLYA_DB=", "MAIL="+mail, "PATH="+os.Getenv("POLYA_PROGRAMS")+string(filepath.ListSeparator)+os.Getenv("PATH"))
	for _, block := range strings.Split(string(page), "```console\n")[1:] {
		console, _, ended := strings.Cut("\n"+block, "```\n")
		if !ended {
			t.Fatalf("a console has no end: %.100s", block)
		}
		for _, part := range strings.Split(console, "\n$ ")[1:] {
			command, want, _ := strings.Cut(strings.TrimSuffix(part, "\n")+"\n", "\n")
			cmd := exec.Command("sh", "-c", command)
			cmd.Dir, cmd.Env = dir, env
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%s: %v\n%s", command, err, out)
			}
			pattern := strings.ReplaceAll(regexp.QuoteMeta(want), "…\n", "(?:.*\n)+")
			if !regexp.MustCompile("^" + pattern + "$").Match(out) {
				t.Errorf("%s\nprints\n%s\nand the page says\n%s", command, out, want)
			}
			commands++
		}
	}
	if commands < 20 {
		t.Errorf("only %d commands", commands)
	}
}
