package main

import (
	"bytes"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/polya-classifier/polya/cmd/internal/cmdtest"
)

// The daemon answers the other commands, reads its configuration anew on SIGHUP, and ends on
// SIGTERM with exit code 0, its sockets gone.
func TestServe(t *testing.T) {
	t.Parallel()
	dir := cmdtest.ShortDir(t)
	file := filepath.Join(dir, "polya.toml")
	conf := "[database]\npath = \"mail.polya\"\n[[spamd]]\naddress = \"" + dir + "/spamd\"\n"
	if err := os.WriteFile(file, []byte(conf), 0o600); err != nil {
		t.Fatal(err)
	}
	database := filepath.Join(dir, "mail.polya")
	if out, err := exec.Command("polya", "--db", database, "train", "--folders", "../../testdata/mail/train").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	cmd := exec.Command("polyad", "serve", file)
	var log bytes.Buffer
	cmd.Stderr = &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	listening := func(name string) func() bool {
		return func() bool {
			c, err := net.Dial("unix", filepath.Join(dir, name))
			if err == nil {
				c.Close()
			}
			return err == nil
		}
	}
	cmdtest.WaitUntil(t, func() bool { return listening("spamd")() && listening("mail.polya.sock")() })
	message, err := os.ReadFile("../../testdata/mail/held/spam/003.eml")
	if err != nil {
		t.Fatal(err)
	}
	// The daemon alone has the database: who does not ask it finds that in use.
	filter := exec.Command("polya", "filter", "--db", database, "--wait", "0")
	filter.Stdin = bytes.NewReader(message)
	if out, err := filter.CombinedOutput(); err != nil || !strings.HasPrefix(string(out), "X-Polya-Class: spam; ") {
		t.Errorf("polya filter: %v\n%.200s", err, out)
	}
	if err := os.WriteFile(file, []byte(conf+"[[rspamd]]\naddress = \""+dir+"/rspamd\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd.Process.Signal(syscall.SIGHUP)
	cmdtest.WaitUntil(t, listening("rspamd"))
	cmd.Process.Signal(syscall.SIGTERM)
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v\n%s", err, &log)
	}
	if sockets, _ := filepath.Glob(dir + "/*spamd*"); len(sockets) > 0 || listening("mail.polya.sock")() {
		t.Errorf("still there: %v", sockets)
	}
}
