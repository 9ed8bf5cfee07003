package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/polya-classifier/polya/cmd/internal/cmdtest"
	"github.com/polya-classifier/polya/cmd/internal/command"
)

func TestMain(m *testing.M) {
	cmdtest.Main(m, map[string]func(){"polyad": main})
}

func TestScripts(t *testing.T) {
	for _, cmd := range (&program{new(command.Program)}).commands() {
		if _, err := os.Stat(filepath.Join("testdata", "script", cmd.Name()+".txtar")); err != nil {
			t.Errorf("no script for 'polyad %s'", cmd.Name())
		}
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			e.Setenv("HOME", filepath.Join(e.WorkDir, "home"))
			e.Setenv("LocalAppData", filepath.Join(e.WorkDir, "home"))
			e.Setenv("XDG_DATA_HOME", "")
			e.Setenv("POLYA_DB", "test.polya")
			cmdtest.Programs(e)
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exits":   cmdtest.Exits,
			"trouble": cmdtest.Trouble("polyad"),
		},
	})
}

// Each command has a text of help.
func TestHelp(t *testing.T) {
	t.Parallel()
	for _, cmd := range (&program{command.New("polyad", helpTexts)}).commands() {
		if text, _ := helpTexts.ReadFile("help/" + cmd.Name() + ".txt"); len(text) == 0 && !strings.Contains(fmt.Sprint([]string{"version", "completion"}), cmd.Name()) {
			t.Errorf("no help for 'polyad %s'", cmd.Name())
		}
	}
}

// A server on this machine is reached without encryption, but not at the port that has nothing else.
func TestSecurityOfPort(t *testing.T) {
	for address, want := range map[string]string{
		"localhost": "none", "[::1]:143": "none", "localhost:993": "tls", "imap.example.org": "tls", "imap.example.org:143": "starttls",
	} {
		p := &program{command.New("polyad", helpTexts)}
		p.Stdin, p.Stdout = strings.NewReader(""), io.Discard
		s, err := (&dialogue{program: p, input: bufio.NewScanner(strings.NewReader(address + "\nalice\n"))}).server()
		if err != nil || s.Security != want || s.User != "alice" || s.PasswordCommand != nil {
			t.Errorf("%s: %+v, %v, want %s", address, s, err, want)
		}
	}
}
