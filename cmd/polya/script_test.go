package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/polya-classifier/polya/cmd/internal/cmdtest"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/polya-classifier/polya/cmd/internal/command"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/store"
)

func TestMain(m *testing.M) {
	cmdtest.Main(m, map[string]func(){
		"polya":    main,
		"holdfile": holdFile,
	})
}

// holdFile is a process that has the database open, as a daemon has: it makes the
// file named second when it does, and ends when that is removed.
func holdFile() {
	db, err := store.Open(os.Args[1], store.Options{})
	if err == nil {
		err = os.WriteFile(os.Args[2], nil, 0o600)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for end := time.Now().Add(5 * time.Minute); err == nil && time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		_, err = os.Stat(os.Args[2])
	}
	db.Close()
}

func TestScripts(t *testing.T) {
	const scripts = "testdata/script"
	found, err := filepath.Glob(filepath.Join(scripts, "*.txtar"))
	if err != nil || len(found) == 0 {
		t.Fatalf("no scripts in %s: %v", scripts, err)
	}
	covered := map[string]bool{}
	for _, path := range found {
		name := strings.TrimSuffix(filepath.Base(path), ".txtar")
		first, _, _ := strings.Cut(name, "_")
		covered[first] = true
	}
	for _, cmd := range (&program{&command.Program{Streams: new(terminal.Streams)}}).commands(nil) {
		if !covered[cmd.Name()] && !cmd.Hidden {
			t.Errorf("no script for 'polya %s'", cmd.Name())
		}
	}
	// Broken and hostile files, for any command: see testdata/bad/README.md.
	bad, err := filepath.Abs("../../testdata/bad")
	if files, _ := os.ReadDir(bad); err != nil || len(files) < 10 {
		t.Fatalf("no broken files in %s: %v", bad, err)
	}
	testscript.Run(t, testscript.Params{
		Dir: scripts,
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
		Condition: func(name string) (bool, error) {
			if name == "root" {
				return os.Geteuid() == 0 && os.Getenv("POLYA_POWERLESS") == "", nil
			}
			return false, fmt.Errorf("unknown condition %q", name)
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exits":   cmdtest.Exits,
			"trouble": cmdtest.Trouble("polya"),
			"waitfor": waitFor,
			"repeat":  repeat,
			"damage":  damage,
			"trained": func(ts *testscript.TestScript, _ bool, args []string) {
				ts.Check(os.WriteFile(ts.MkAbs(args[0]), taught(), 0o600))
			},
		},
	})
}

// taught returns a database that has learned the messages of mailFolder: training takes a quarter of a second.
var taught = sync.OnceValue(func() []byte {
	dir, err := os.MkdirTemp("", "polya")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	database := filepath.Join(dir, "mail.polya")
	if out, err := exec.Command("polya", "--db", database, "train", "--folders", filepath.Join(mailFolder, "train")).CombinedOutput(); err != nil {
		panic(fmt.Sprintf("%v\n%s", err, out))
	}
	content, err := os.ReadFile(database)
	if err != nil {
		panic(err)
	}
	return content
})

// Root may write what is read-only, so that the script of it says nothing there.
// It is run again as a root without powers.
func TestReadOnlyAsRoot(t *testing.T) {
	setpriv, err := exec.LookPath("setpriv")
	if os.Geteuid() != 0 || err != nil {
		t.Skip("not root, or no setpriv: TestScripts has run the script, or nobody can")
	}
	cmd := exec.Command(setpriv, "--bounding-set=-all", "--inh-caps=-all",
		os.Args[0], "-test.run=^TestScripts$/^database_readonly$", "-test.v")
	cmd.Env = append(os.Environ(), "POLYA_POWERLESS=1")
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: TestScripts/database_readonly") {
		t.Errorf("%v\n%s", err, out)
	}
}

// waitFor waits until a file is there.
func waitFor(ts *testscript.TestScript, _ bool, args []string) {
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if _, err := os.Stat(ts.MkAbs(args[0])); err == nil {
			return
		}
	}
	ts.Fatalf("%s did not appear", args[0])
}

// repeat writes a text with a number in it, N times, each to a file of a folder:
// repeat N DIR TEXT
func repeat(ts *testscript.TestScript, _ bool, args []string) {
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	dir := ts.MkAbs(args[1])
	ts.Check(os.MkdirAll(dir, 0o700))
	for i := range n {
		name := filepath.Join(dir, fmt.Sprintf("%04d.txt", i))
		ts.Check(os.WriteFile(name, fmt.Appendf(nil, "%s number%d\n", args[2], i), 0o600))
	}
}

// damage overwrites every occurrence of a string in a file with question marks.
func damage(ts *testscript.TestScript, _ bool, args []string) {
	path := ts.MkAbs(args[0])
	data, err := os.ReadFile(path)
	ts.Check(err)
	damaged := strings.ReplaceAll(string(data), args[1], strings.Repeat("?", len(args[1])))
	if damaged == string(data) {
		ts.Fatalf("%q is not in %s", args[1], args[0])
	}
	ts.Check(os.WriteFile(path, []byte(damaged), 0o600))
}

// A command is made by its own name, alone if the arguments name it and ask for no
// help.
func TestCommandsByName(t *testing.T) {
	t.Parallel()
	p := &program{&command.Program{Streams: new(terminal.Streams)}}
	for _, c := range commandMakers() {
		if name := c.make(p).Name(); name != c.name {
			t.Errorf("%s is listed as %s", name, c.name)
		}
		if made := p.commands([]string{"--db", "x", c.name, "path"}); len(made) != 1 && c.name != "completion" || made[0].Name() != c.name && len(made) == 1 {
			t.Errorf("%s: %d commands are made", c.name, len(made))
		}
	}
	for _, args := range [][]string{nil, {"clasify"}, {"help", "train"}, {"train", "--help"}, {"__complete", "train", ""}} {
		if made := p.commands(args); len(made) != len(commandMakers()) {
			t.Errorf("%q: %d commands are made", args, len(made))
		}
	}
}
