//go:build unix

package milter

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/serve/internal/servetest"
)

// A postfix is one that runs for a test.
type postfix struct {
	*servetest.Postfix
	t          *testing.T
	dir        string
	port, bare string
	socket     string
}

func startPostfix(t *testing.T, docs ...string) *postfix {
	t.Helper()
	p := servetest.StartPostfix(t, docs...)
	return &postfix{p, t, p.Dir, p.Port, p.Bare, p.Socket}
}

// listen opens the socket that Postfix is configured for.
func (p *postfix) listen() net.Listener {
	p.t.Helper()
	return servetest.Listen(p.t, "unix", p.socket)
}

// swaks sends a message, and returns what was said.
func (p *postfix) swaks(port, message string) string {
	p.t.Helper()
	file := filepath.Join(p.t.TempDir(), "message")
	servetest.Write(p.t, file, message)
	out, _ := exec.Command("swaks", "--server", "127.0.0.1:"+port, "--helo", "client.example.org", "--from", "sender@example.org",
		"--to", "bob@example.test", "--data", "@"+file).CombinedOutput()
	return string(out)
}

// source sends n messages over some connections and fails the test if one is refused.
func (p *postfix) source(n, sessions int, message string) (wait func()) {
	p.t.Helper()
	file := filepath.Join(p.t.TempDir(), "message")
	servetest.Write(p.t, file, message)
	cmd := exec.Command("smtp-source", "-c", "-d", "-s", fmt.Sprint(sessions), "-m", fmt.Sprint(n), "-F", file,
		"-f", "sender@example.org", "-t", "bob@example.test", "127.0.0.1:"+p.port)
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	return func() {
		p.t.Helper()
		if err := cmd.Wait(); err != nil {
			p.t.Fatalf("smtp-source: %v\n%s", err, out.String())
		}
	}
}

// mail waits until n messages are delivered and returns them; it takes them away.
func (p *postfix) mail(n int) (messages []string) {
	p.t.Helper()
	var names []string
	servetest.Until(p.t, fmt.Sprintf("%d messages", n), func() bool {
		names, _ = filepath.Glob(p.dir + "/box/user/new/*")
		return len(names) >= n
	})
	if len(names) > n {
		p.t.Errorf("%d messages were delivered, not %d", len(names), n)
	}
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			p.t.Fatal(err)
		}
		messages = append(messages, string(b))
		os.Remove(name)
	}
	return messages
}

const letter = `From: A <a@example.org>
To: bob@example.test
Date: Sun, 22 Nov 2026 12:00:00 +0000
Message-Id: <1@example.org>
X-Polya-Class: ham; probability=1.0000
Subject: a
 folded
	subject
x-polya-class:ham
X-POLYA-CLASS : ham
X-Polya-Class:
 ham;
	probability=1.0000
Empty:
Tight:x
X-Polya-Class-Of: mine

Visit our casino.
X-Polya-Class: this is not the header
`

const delivered = `From: A <a@example.org>
To: bob@example.test
Date: Sun, 22 Nov 2026 12:00:00 +0000
Message-Id: <1@example.org>
Subject: a
 folded
	subject
Empty:
Tight:x
X-Polya-Class-Of: mine
X-Polya-Class: spam; probability=0.9987

Visit our casino.
X-Polya-Class: this is not the header
`

func TestPostfix(t *testing.T) {
	t.Parallel()
	p := startPostfix(t)
	back := &fake{}
	serve(t, Options{Backend: back, TempFailOnError: true, UserFrom: Recipient, Rules: []Rule{
		{Class: "junk", Action: Quarantine}, {Class: "bad", Above: 0.5, Action: Reject, Text: "100% bad"},
	}}, p.listen())
	for _, port := range []string{p.port, p.bare} {
		p.swaks(port, letter)
		if got := p.mail(1)[0]; !strings.HasSuffix(strings.TrimRight(got, "\n")+"\n", delivered) { // swaks adds an empty line
			t.Errorf("delivered\n%s, not\n%s", got, delivered)
		}
		if got := back.last(); got.User != "bob@example.test" || strings.Contains(string(got.Message[:200]), "1.0000") {
			t.Errorf("the backend was asked for %q:\n%s", got.User, got.Message)
		}
	}
	if out := p.swaks(p.port, "Subject: please reject\n\nx\n"); !strings.Contains(out, "550 5.7.1 100% bad") {
		t.Errorf("not rejected:\n%s", out)
	}
	if out := p.swaks(p.port, "Subject: please fail\n\nx\n"); !strings.Contains(out, "451 4.7.1 ") {
		t.Errorf("not deferred:\n%s", out)
	}
	if out := p.swaks(p.port, "Subject: please quarantine\n\nx\n"); !strings.Contains(out, "250 2.0.0 Ok") {
		t.Errorf("not taken:\n%s", out)
	}
	if held := servetest.Run(t, "postqueue", "-c", p.dir+"/etc", "-j"); !strings.Contains(held, `"hold"`) {
		t.Errorf("nothing is in the hold queue: %s", held)
	}
	// Many on few connections, which are longer than is looked at.
	p.source(100, 4, "Subject: casino\nX-Polya-Class: ham\n\n"+strings.Repeat(strings.Repeat("x", 70)+"\n", 2000))()
	for _, m := range p.mail(100) {
		if strings.Count(m, "X-Polya-Class:") != 1 || !strings.Contains(m, "\nX-Polya-Class: spam; probability=0.9987\n\nxxx") {
			t.Fatalf("delivered %.1000s", m)
		}
	}
	// From this machine.
	cmd := exec.Command("sendmail", "-C", p.dir+"/etc", "-f", "root@example.test", "bob@example.test")
	cmd.Stdin = strings.NewReader("Subject: casino\n\nx\n")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("sendmail: %v\n%s", err, out)
	}
	if got := p.mail(1)[0]; !strings.Contains(got, "\nX-Polya-Class: spam; probability=0.9987\n") {
		t.Errorf("delivered\n%s", got)
	}
}

// The page shows the files that the tests use.
func TestPage(t *testing.T) {
	page := servetest.Page(t, "../../docs/postfix.md")
	for _, name := range []string{"main.cf", "polya_header_checks"} {
		if file := servetest.Page(t, "../../docs/postfix/"+name); !strings.Contains(page, "```\n"+file+"```\n") {
			t.Errorf("docs/postfix.md does not show %s as it is", name)
		}
	}
}
