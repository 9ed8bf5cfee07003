//go:build unix

package script

import (
	"fmt"
	"maps"
	"net"
	"net/textproto"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/polya-classifier/polya/serve/internal/gate"
	"github.com/polya-classifier/polya/serve/internal/servetest"
)

type dovecot struct {
	t          *testing.T
	dir        string
	imap, lmtp string // addresses
	socket     string
}

func startDovecot(t *testing.T) *dovecot {
	t.Helper()
	d := servetest.StartDovecot(t)
	return &dovecot{t, d.Dir, d.IMAP, d.LMTP, d.Socket}
}

func (d *dovecot) listen() net.Listener {
	d.t.Helper()
	return servetest.Listen(d.t, "unix", d.socket)
}

func dialText(t *testing.T, address string) *textproto.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	conn.SetDeadline(time.Now().Add(2 * time.Minute))
	return textproto.NewConn(conn)
}

// deliver sends a message by LMTP, and returns what is answered for each recipient.
func (d *dovecot) deliver(message string, to ...string) (replies []string) {
	d.t.Helper()
	c := dialText(d.t, d.lmtp)
	defer c.Close()
	say := func(want int, lines ...string) {
		d.t.Helper()
		for _, line := range lines {
			c.PrintfLine("%s", line)
		}
		if _, got, err := c.ReadResponse(want); err != nil {
			d.t.Fatalf("LMTP %q: %s, %v", lines, got, err)
		}
	}
	say(220)
	say(250, "LHLO client.example.org")
	say(250, "MAIL FROM:<sender@example.org>")
	for _, user := range to {
		say(250, "RCPT TO:<"+user+"@example.test>")
	}
	say(354, "DATA")
	w := c.DotWriter()
	fmt.Fprint(w, message)
	w.Close()
	for range to {
		line, err := c.ReadLine()
		if err != nil {
			d.t.Fatal(err)
		}
		replies = append(replies, line)
	}
	return replies
}

// An imap speaks IMAP as one user.
type imap struct {
	t *testing.T
	*textproto.Conn
	tag int
}

func (d *dovecot) login(user string) *imap {
	d.t.Helper()
	c := &imap{t: d.t, Conn: dialText(d.t, d.imap)}
	c.ReadLine()
	c.do("LOGIN %s@example.test x", user)
	return c
}

// do sends a command, and a literal after it, and returns the untagged answers.
func (c *imap) do(format string, args ...any) string {
	c.t.Helper()
	c.tag++
	command, literal, _ := strings.Cut(fmt.Sprintf(format, args...), "\x00")
	if literal != "" {
		command += fmt.Sprintf(" {%d+}", len(literal))
	}
	c.PrintfLine("a%d %s", c.tag, command)
	if literal != "" {
		c.PrintfLine("%s", literal)
	}
	var answer strings.Builder
	for {
		line, err := c.ReadLine()
		if err != nil {
			c.t.Fatalf("%s: %v", command, err)
		}
		if rest, ok := strings.CutPrefix(line, fmt.Sprintf("a%d ", c.tag)); ok {
			if !strings.HasPrefix(rest, "OK") {
				c.t.Fatalf("%s: %s", command, rest)
			}
			return answer.String()
		}
		answer.WriteString(line + "\n")
	}
}

// text returns the messages of a mailbox.
func (c *imap) text(mailbox string) string {
	c.t.Helper()
	if exists := c.do("SELECT %s", mailbox); strings.Contains(exists, "* 0 EXISTS") {
		return ""
	}
	return c.do("FETCH 1:* (FLAGS BODY.PEEK[])")
}

func newMessage(subject string) string {
	return "From: a@example.org\r\nTo: b@example.test\r\nSubject: " + subject + "\r\n\r\nHello.\r\n"
}

func TestDovecotLearns(t *testing.T) {
	t.Parallel()
	d := startDovecot(t)
	back := &fake{learned: map[string]string{}}
	serve(t, gate.Options{Backend: back}, d.listen())
	c := d.login("bob")
	want := map[string]string{}
	check := func(what string, key, class string) {
		t.Helper()
		if class != "" {
			want["bob@example.test "+key] = class
		}
		if got := back.all(); !maps.Equal(got, want) {
			t.Errorf("%s: learned %q, not %q", what, got, want)
			want = got
		}
	}
	for _, subject := range []string{"one", "two", "three", "four"} {
		c.do("APPEND INBOX \x00%s", newMessage(subject))
	}
	check("append to the inbox", "", "")
	c.do("SELECT INBOX")
	c.do("MOVE 1 Junk")
	check("move to Junk", "one", "spam")
	c.do("COPY 1 Junk")
	check("copy to Junk", "two", "spam")
	c.do("APPEND Junk \x00%s", newMessage("saved"))
	check("append to Junk", "saved", "spam")
	c.do("STORE 2 +FLAGS ($Junk)")
	check("$Junk", "three", "spam")
	c.do("STORE 3 +FLAGS (NonJunk)")
	check("NonJunk", "four", "ham")
	c.do("STORE 3 +FLAGS (Junk)")
	check("both", "", "")
	c.do("STORE 3 -FLAGS (NonJunk)")
	check("Junk", "four", "spam")
	c.do("STORE 3 FLAGS ($NotJunk)")
	check("$NotJunk", "four", "ham")
	c.do("STORE 3 +FLAGS (\\Seen $Forwarded)")
	check("other flags", "", "")
	c.do("MOVE 1 Archive")
	check("move elsewhere", "", "")

	c.do("SELECT Junk")
	c.do("MOVE 1 Trash")
	check("move to Trash", "", "")
	c.do("MOVE 1 Archive")
	check("move out of Junk", "two", "ham")
	c.do("COPY 1 INBOX")
	check("copy out of Junk", "saved", "ham")
	for _, text := range back.texts {
		if subject := strings.Index(text, "Subject:"); text[:max(subject, 0)] != "From: a@example.org\r\nTo: b@example.test\r\n" || !strings.HasSuffix(text, "\r\n\r\nHello.\r\n") {
			t.Errorf("the backend was given %q", text)
		}
	}

	// The user's commands succeed, whatever becomes of learning.
	c.do("APPEND INBOX \x00%s", newMessage("please fail"))
	c.do("SELECT INBOX")
	c.do("MOVE * Junk")
	os.Remove(d.socket)
	c.do("MOVE * Junk")
	d.listen() // where nobody answers
	c.do("MOVE * Junk")
	check("without polya", "", "")
	if junk := c.text("Junk"); !strings.Contains(junk, "please fail") || !strings.Contains(junk, "four") || strings.Count(junk, "saved") != 2 {
		t.Errorf("in Junk is\n%s", junk)
	}
}

// send delivers a message that all recipients must get.
func (d *dovecot) send(message string, users ...string) {
	d.t.Helper()
	for i, reply := range d.deliver(message, users...) {
		if !strings.HasPrefix(reply, "250 2.0.0") {
			d.t.Errorf("for %s: %s", users[i], reply)
		}
	}
}

// in takes the one message out of a mailbox, which must have the field, or no such field.
func (d *dovecot) in(user, mailbox, field string) {
	d.t.Helper()
	c := d.login(user)
	text := c.text(mailbox)
	has := strings.Contains(text, "\n"+field+"\n")
	if n := strings.Count(strings.ToLower(text), "x-polya-class"); strings.Count(text, "Subject:") != 1 || n > 1 || (n == 1) != (field != "") || field != "" && !has {
		d.t.Fatalf("in %s of %s is\n%s, which should have %q", mailbox, user, text, field)
	}
	c.do("STORE 1:* +FLAGS (\\Deleted)")
	c.do("EXPUNGE")
	c.Close()
}

const forged = "X-Polya-Class: ham; probability=1.0000\r\nx-polya-class:ham\r\nX-POLYA-CLASS : ham\r\nX-Polya-Class:\r\n ham;\r\n\tfolded\r\n"

func TestDovecotDelivers(t *testing.T) {
	t.Parallel()
	d := startDovecot(t)
	stop := serve(t, gate.Options{Backend: &fake{learned: map[string]string{
		"bob@example.test casino": "spam", "eve@example.test casino": "ham", " casino": "spam",
	}}}, d.listen())
	const spam = "X-Polya-Class: spam"
	d.send(forged+newMessage("casino"), "bob", "eve", "nobody")
	d.in("bob", "Junk", spam)
	d.in("eve", "INBOX", "")
	d.in("nobody", "Junk", spam) // by the shared database
	d.send(newMessage("unknown"), "bob")
	d.in("bob", "INBOX", "")
	d.send(newMessage("please fail"), "bob")
	d.in("bob", "INBOX", "")
	d.send("Subject: casino\r\n\r\n"+strings.Repeat("all work and no play\r\n", 200_000), "bob")
	d.in("bob", "Junk", spam)
	stop()
	d.send(forged+newMessage("casino"), "bob", "eve")
	d.in("bob", "INBOX", "")
	d.in("eve", "INBOX", "")
	d.listen() // where nobody answers
	d.send(forged+newMessage("casino"), "bob")
	d.in("bob", "INBOX", "")
}
