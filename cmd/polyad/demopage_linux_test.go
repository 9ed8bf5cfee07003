package main

import (
	"bufio"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/polya-classifier/polya/cmd/internal/cmdtest"
)

// The demonstration prints the address of a page that has decisions to correct, and leaves
// nothing behind, also when its terminal is closed.
func TestDemoPage(t *testing.T) {
	t.Parallel()
	dir := cmdtest.ShortDir(t)
	cmd := exec.Command("polyad", "demo")
	cmd.Env = append(os.Environ(), "TMPDIR="+dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var stderr strings.Builder
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	var said []string
	address := regexp.MustCompile(`(http://127\.0\.0\.1:\d+)/sign-in#(\w+)`)
	var found []string
	for lines := bufio.NewScanner(out); found == nil && lines.Scan(); {
		said = append(said, lines.Text())
		found = address.FindStringSubmatch(lines.Text())
	}
	if found == nil {
		t.Fatalf("no address in %q\n%s", said, &stderr)
	}
	if body := signIn(t, found[1], found[2]); !strings.Contains(body, "<h1>Decisions</h1>") || !strings.Contains(body, "The last 388 answers, 13 of them unsure") {
		t.Errorf("%s", body)
	}
	if want := "Learned 194 messages into a temporary database, and answered for 388."; said[0] != want {
		t.Errorf("%q, want %q", said[0], want)
	}
	if err := cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	rest, _ := io.ReadAll(out)
	if err := cmd.Wait(); err != nil || stderr.Len() > 0 {
		t.Errorf("%v\n%s", err, &stderr)
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("left behind: %v; said last: %q", left, rest)
	}
}

// signIn returns the page that the owner of a token sees first.
func signIn(t *testing.T, at, token string) string {
	t.Helper()
	jar, _ := cookiejar.New(nil)
	reply, err := (&http.Client{Jar: jar}).PostForm(at+"/sign-in", url.Values{"token": {token}})
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	body, err := io.ReadAll(reply.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}
