// Package cmdtest is for tests in which polya and polyad work together.
package cmdtest

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/polya-classifier/polya/serve/api/client"
)

func build(dir, name string) error {
	path := filepath.Join(dir, name)
	if runtime.GOOS == "windows" {
		path += ".exe"
	}
	out, err := exec.Command("go", "build", "-pgo=off", "-o", path, "github.com/polya-classifier/polya/cmd/"+name).CombinedOutput()
	if err != nil {
		return fmt.Errorf("cannot build %s: %w\n%s", name, err, out)
	}
	return nil
}

// Main runs the tests of a program as testscript.Main does, with another program of cmd in the PATH.
func Main(m *testing.M, other string, programs map[string]func()) {
	testscript.Main(beside{m, other}, programs)
}

// beside runs tests beside another program.
type beside struct {
	*testing.M
	other string
}

// Run builds the other program and runs the tests.
func (b beside) Run() int {
	dir, err := os.MkdirTemp("", "polya")
	if err == nil {
		defer os.RemoveAll(dir)
		err = build(dir, b.other)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	os.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
	return b.M.Run()
}

// StartDaemon starts a daemon on a database, with more in its configuration, and ends it with the
// test.
func StartDaemon(t *testing.T, database string, more ...string) *os.Process {
	t.Helper()
	config := database + ".toml"
	if err := os.WriteFile(config, fmt.Appendf(nil, "[database]\npath = %q\n[[spamd]]\naddress = %q\n%s", database, database+".spamd", strings.Join(more, "")), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("polyad", "serve", config)
	var log bytes.Buffer
	cmd.Stderr = &log
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("%s", log.Bytes())
		}
	})
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	WaitUntil(t, func() bool { return Listens(client.Path(database)) })
	return cmd.Process
}

// Listens reports whether somebody listens on a unix socket.
func Listens(socket string) bool {
	c, err := net.Dial("unix", socket)
	if err == nil {
		c.Close()
	}
	return err == nil
}

// WaitUntil returns when something is done, and fails after two minutes.
func WaitUntil(t *testing.T, done func() bool) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); !done(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("waited in vain")
		}
	}
}

// ShortDir is a folder with a short name, as sockets need.
func ShortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "polya")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}
