//go:build unix

package daemon

import (
	"fmt"
	"net"
	"net/textproto"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/polya-classifier/polya/serve/internal/servetest"
)

// deliver sends a message by SMTP or LMTP and returns what the server said.
func deliver(t *testing.T, message, to string, args ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "message")
	servetest.Write(t, file, message)
	out, _ := exec.Command("swaks", append([]string{"--helo", "client.example.org", "--from", "a@example.org", "--to", to, "--data", "@" + file}, args...)...).CombinedOutput()
	return string(out)
}

// files are the contents of the files below a folder, by name.
func files(t *testing.T, folder string) (all []string) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, string(b))
	}
	return all
}

// Postfix asks the daemon, by what docs/postfix says, and puts what is surely spam into its
// hold queue.
func TestPostfix(t *testing.T) {
	t.Parallel()
	postfix := servetest.StartPostfix(t)
	p := start(t, t.TempDir(), strings.ReplaceAll(conf, "[[spamd]]", `[[milter]]
address = "`+postfix.Socket+`"
mode = "0666"
rules = [{ class = "spam", above = 0.9, action = "quarantine" }]
[[spamd]]`))
	p.teach()
	new := postfix.Dir + "/box/user/new"
	server := []string{"--server", "127.0.0.1:" + postfix.Port}
	forged := strings.Replace(letter("meeting", 2000), "Subject:", "X-Polya-Class: spam; probability=1\r\nSubject:", 1)
	if out := deliver(t, forged, "bob@example.test", server...); !strings.Contains(out, "250 2.0.0 Ok: queued") {
		t.Fatal(out)
	}
	servetest.Until(t, "the message", func() bool { return len(files(t, new)) == 1 })
	if got := files(t, new)[0]; !strings.Contains(got, "\nX-Polya-Class: ham; probability=") || strings.Contains(got, "spam; probability=1\n") {
		t.Errorf("delivered:\n%s", got)
	}
	if out := deliver(t, letter("casino", 2000), "bob@example.test", server...); !strings.Contains(out, "250 2.0.0 Ok: queued") {
		t.Fatal(out)
	}
	servetest.Until(t, "a message in the hold queue", func() bool { return len(files(t, postfix.Dir+"/spool/hold")) == 1 })

	// Without the daemon mail is delivered as it is, and with a new one as before.
	p.end(syscall.SIGKILL)
	deliver(t, letter("meeting", 2001), "bob@example.test", server...)
	servetest.Until(t, "the message", func() bool { return len(files(t, new)) == 2 })
	p = start(t, p.dir, strings.Replace(withMilter(postfix), "mode =", `rules = [
  { class = "spam", above = 1.0, action = "tempfail" },
  { class = "ham", above = 0.9, action = "deliver" },
  { class = "spam", above = 0.9, action = "reject", text = "no casino here" },
]
mode =`, 1))
	deliver(t, letter("meeting", 2002), "bob@example.test", server...)
	servetest.Until(t, "the message", func() bool {
		return strings.Count(strings.Join(files(t, new), ""), "\nX-Polya-Class: ham;") == 2
	})
	if out := deliver(t, letter("casino", 2003), "bob@example.test", server...); !strings.Contains(out, "550 5.7.1 no casino here") {
		t.Error(out)
	}

	// A message that is slow to come has its answer, though the daemon is told to end meanwhile.
	c, err := net.Dial("tcp", "127.0.0.1:"+postfix.Port)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(2 * time.Minute))
	lines := textproto.NewConn(c)
	for _, line := range []string{"", "EHLO client.example.org", "MAIL FROM:<a@example.org>", "RCPT TO:<bob@example.test>", "DATA"} {
		if line != "" {
			lines.PrintfLine("%s", line)
		}
		if _, text, err := lines.ReadResponse(0); err != nil {
			t.Fatal(text, err)
		}
	}
	slow := letter("meeting", 2004)
	fmt.Fprint(c, slow[:100])
	p.cmd.Process.Signal(syscall.SIGTERM)
	p.wait("msg=stopping")
	lines.PrintfLine("%s.", slow[100:])
	if code, text, err := lines.ReadResponse(250); err != nil {
		t.Error(code, text, err)
	}
	servetest.Until(t, "the slow message", func() bool {
		return strings.Count(strings.Join(files(t, new), ""), "\nX-Polya-Class: ham;") == 3
	})
	if err := p.cmd.Wait(); err != nil {
		t.Error(err)
	}
}

// Users teach the daemon by moving mail, and have it file what is delivered: each by his own database, by
// what docs/dovecot says.
func TestDovecot(t *testing.T) {
	t.Parallel()
	servetest.Need(t, "curl", "swaks")
	dovecot := servetest.StartDovecot(t)
	p := start(t, t.TempDir(), conf+`
[[script]]
address = "`+dovecot.Socket+`"
mode = "0666"
[users]
path = "DIR/%u.polya"
pattern = "bob|alice"
strip-domain = true
`)
	p.teach()
	lmtp := []string{"--protocol", "LMTP", "--server", dovecot.LMTP}
	box := func(user, folder string) []string {
		return append(files(t, dovecot.Dir+"/home/"+user+"/Maildir/"+folder+"/new"), files(t, dovecot.Dir+"/home/"+user+"/Maildir/"+folder+"/cur")...)
	}
	imap := func(user, folder, command string) {
		t.Helper()
		servetest.Run(t, "curl", "-sS", "--max-time", "30", "-u", user+"@example.test:x", "imap://"+dovecot.IMAP+"/"+folder, "-X", command)
	}
	for n, topic := range []string{"casino", "casino", "casino", "casino", "casino", "meeting"} {
		if out := deliver(t, letter(topic, 3000+n), "bob@example.test", lmtp...); !strings.Contains(out, "250 2.0.0") {
			t.Fatal(out)
		}
	}
	servetest.Until(t, "spam in Junk", func() bool { return len(box("bob", ".Junk")) == 5 })
	if n := len(box("bob", "")); n != 1 {
		t.Errorf("%d messages in the inbox", n)
	}

	// Bob wants casinos and no meetings. That is nothing to Alice, nor to who has no database.
	for n := range 12 {
		deliver(t, letter("meeting", 3100+n), "bob@example.test", lmtp...)
	}
	imap("bob", "INBOX", "MOVE 1:* Junk")
	servetest.Until(t, "what Bob taught", func() bool { return p.documents("spam", "bob") == 13 })
	imap("bob", "Junk", "MOVE 1:5 INBOX")
	servetest.Until(t, "what Bob taught then", func() bool { return p.documents("ham", "bob") == 5 })
	if n := p.documents("spam", ""); n != 40 {
		t.Errorf("the shared database has %d messages of spam", n)
	}
	servetest.Until(t, "Bob's own answers", func() bool {
		_, a := p.ask("POST", "/v1/classify?user=bob", letter("meeting", 3200))
		return a["class"] == "spam"
	})
	for _, user := range []string{"alice", "carol"} {
		if _, a := p.ask("POST", "/v1/classify?user="+user, letter("meeting", 3200)); a["class"] != "ham" {
			t.Errorf("%s's answer: %v", user, a)
		}
	}
	// Alice and Carol's mail is where it was, whoever teaches what.
	for n, user := range []string{"alice", "carol"} {
		deliver(t, letter("meeting", 3300+n), user+"@example.test", lmtp...)
		servetest.Until(t, "mail for "+user, func() bool { return len(box(user, "")) == 1 })
	}
	if _, err := os.Stat(p.dir + "/carol.polya"); err == nil {
		t.Error("somebody unknown has a database")
	}
	if err := p.end(syscall.SIGTERM); err != nil {
		t.Errorf("SIGTERM: %v", err)
	}
}
