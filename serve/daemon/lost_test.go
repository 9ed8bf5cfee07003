//go:build unix

package daemon

import (
	"fmt"
	"net"
	"net/textproto"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/polya-classifier/polya/serve/internal/servetest"
)

// each is how many messages each state of the daemon has at least.
const each = 50

// flow is messages on their way, each with another body, as many as during needs.
type flow struct {
	t        *testing.T
	sent     atomic.Int64
	answers  atomic.Int64 // to offers of a message
	deferred atomic.Int64 // of these
	enough   atomic.Bool
	all      sync.WaitGroup
}

// flowing is a message of a flow.
func flowing(n int) string {
	topic := []string{"casino", "meeting"}[n%2]
	head, body, _ := strings.Cut(letter(topic, 5000+n), "\r\n\r\n")
	return fmt.Sprintf("%s\r\nDate: Sun, 22 Nov 2026 12:00:00 +0000\r\n\r\n%s.\r\n..\r\n\xe4\xff\r\n\r\n%s \r\n", head, body, strings.Repeat("x", n%800))
}

// send offers each message until it is taken, eight at a time, as a mail server does with its
// queue.
func send(t *testing.T, offer func(message string) (code int)) *flow {
	f := &flow{t: t}
	for range 8 {
		f.all.Go(func() {
			for !f.enough.Load() {
				n := int(f.sent.Add(1)) - 1
				for {
					code := offer(flowing(n))
					f.answers.Add(1)
					if code/100 == 2 {
						break
					}
					if code/100 != 4 || t.Context().Err() != nil {
						t.Errorf("message %d: %d", n, code)
						return
					}
					f.deferred.Add(1)
					time.Sleep(20 * time.Millisecond)
				}
			}
		})
	}
	return f
}

// during has the daemon killed, missing, started, stopped, and ended and started again while
// the messages come, ends them, and waits for the last.
func (f *flow) during(p *process, conf string) {
	f.t.Helper()
	more := func(what string, n int64) {
		f.t.Helper()
		n += f.answers.Load()
		servetest.Until(f.t, what, func() bool { return f.answers.Load() >= n })
	}
	defer f.enough.Store(true)
	more("the first messages", each)
	p.end(syscall.SIGKILL)
	more("messages without the daemon", each)
	p = start(f.t, p.dir, conf)
	more("messages with a new one", each)
	p.cmd.Process.Signal(syscall.SIGSTOP)
	more("messages with a stopped one", 8)
	p.cmd.Process.Signal(syscall.SIGCONT)
	more("messages with it again", each)
	if err := p.end(syscall.SIGTERM); err != nil {
		f.t.Errorf("SIGTERM: %v", err)
	}
	p = start(f.t, p.dir, conf)
	more("the last messages", each)
	f.enough.Store(true)
	f.all.Wait()
	if err := p.end(syscall.SIGTERM); err != nil {
		f.t.Errorf("SIGTERM: %v", err)
	}
}

var (
	answerField = regexp.MustCompile(`(?m)^X-Polya-Class: .*\n`)
	numberField = regexp.MustCompile(`(?m)^Message-ID: <[a-z]+-(\d+)@`)
)

// arrived holds that each message was delivered once, as it was sent but for the fields that a
// mail server puts above it and for one of the daemon. It returns how many have that.
func (f *flow) arrived(delivered []string) (answered int) {
	f.t.Helper()
	seen := map[string]bool{}
	for _, m := range delivered {
		number := numberField.FindStringSubmatch(m)
		if number == nil || seen[number[1]] {
			f.t.Fatalf("delivered twice, or not what was sent: %q", m)
		}
		seen[number[1]] = true
		var n int
		fmt.Sscan(number[1], &n)
		head, body, _ := strings.Cut(m, "\n\n")
		fields := answerField.FindAllString(head+"\n", -1)
		if n := strings.Count(strings.ToLower(head), "x-polya-class"); n > 1 || n != len(fields) || strings.Contains(head, "forged") {
			f.t.Fatalf("%d fields in %q", n, head)
		}
		answered += len(fields)
		head = answerField.ReplaceAllString(head+"\n", "")
		want := strings.ReplaceAll(flowing(n-5000), "\r\n", "\n")
		if got := head[strings.Index(head, "From: a"):] + "\n" + body; got != want {
			f.t.Fatalf("message %d: delivered\n%q, not\n%q", n, got, want)
		}
	}
	if int64(len(seen)) != f.sent.Load() {
		f.t.Errorf("%d of %d messages were delivered", len(seen), f.sent.Load())
	}
	f.t.Logf("%d of %d have an answer; %d times one was deferred", answered, len(seen), f.deferred.Load())
	return answered
}

// forged are fields that no program may take for an answer.
const forged = "X-Polya-Class: ham; forged\r\nx-polya-class:forged\r\nX-POLYA-CLASS : forged\r\nX-Polya-Class:\r\n ham;\r\n\tforged\r\n"

// transfer offers a message with forged fields by SMTP, or LMTP after the hello LHLO, and
// returns what the server answers last.
func transfer(address, hello, message string) (code int) {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return 0
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(2 * time.Minute))
	c := textproto.NewConn(conn)
	for _, line := range []string{"", hello + " client.example.org", "MAIL FROM:<a@example.org> BODY=8BITMIME", "RCPT TO:<bob@example.test>", "DATA"} {
		if line != "" {
			c.PrintfLine("%s", line)
		}
		if code, _, err = c.ReadResponse(0); err != nil || code >= 400 {
			return code
		}
	}
	w := c.DotWriter()
	w.Write([]byte(forged + message))
	w.Close()
	code, _, _ = c.ReadResponse(0)
	return code
}

// quickly are the timeouts of docs/postfix, for a test.
var quickly = []string{"milter_command_timeout = 5s", "milter_command_timeout = 1s",
	"milter_content_timeout = 15s", "milter_content_timeout = 1s", "milter_connect_timeout = 3s", "milter_connect_timeout = 1s"}

func withMilter(postfix *servetest.Postfix) string {
	return strings.ReplaceAll(conf, "[[spamd]]", "[[milter]]\naddress = \""+postfix.Socket+"\"\nmode = \"0666\"\n[[spamd]]")
}

// Postfix delivers every message of hundreds while the daemon is killed, is missing, starts
// and is stopped among them; where mail has to wait for the daemon, none passes without its
// answer.
func TestPostfixLosesNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds of processor time")
	}
	t.Parallel()
	for _, action := range []string{"accept", "tempfail"} {
		t.Run(action, func(t *testing.T) {
			t.Parallel()
			postfix := servetest.StartPostfix(t, append(quickly, "milter_default_action = accept", "milter_default_action = "+action)...)
			p := start(t, t.TempDir(), withMilter(postfix))
			p.teach()
			f := send(t, func(m string) int { return transfer("127.0.0.1:"+postfix.Port, "EHLO", m) })
			f.during(p, withMilter(postfix))
			box := postfix.Dir + "/box/user/new"
			all := int(f.sent.Load())
			servetest.Until(t, "all messages", func() bool { names, _ := os.ReadDir(box); return len(names) >= all })
			answered, deferred := f.arrived(files(t, box)), f.deferred.Load()
			if action == "accept" && (answered < 3*each || answered == all || deferred > 0) {
				t.Errorf("%d messages have an answer, %d were deferred", answered, deferred)
			}
			if action == "tempfail" && (answered < all || deferred == 0) {
				t.Errorf("%d messages have an answer, %d were deferred", answered, deferred)
			}
		})
	}
}

// So does Dovecot, which files by the daemon's answer.
func TestDovecotLosesNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds of processor time")
	}
	t.Parallel()
	dovecot := servetest.StartDovecot(t)
	conf := conf + "[[script]]\naddress = \"" + dovecot.Socket + "\"\nmode = \"0666\"\n"
	p := start(t, t.TempDir(), conf)
	p.teach()
	f := send(t, func(m string) int { return transfer(dovecot.LMTP, "LHLO", m) })
	f.during(p, conf)
	home := dovecot.Dir + "/home/bob/Maildir"
	junk := files(t, home+"/.Junk/new")
	if f.deferred.Load() > 0 {
		t.Errorf("%d messages were deferred", f.deferred.Load())
	}
	if answered := f.arrived(append(files(t, home+"/new"), junk...)); answered < each || answered >= int(f.sent.Load())/2 || answered != len(junk) {
		t.Errorf("%d messages are spam by their field, %d by their folder", answered, len(junk))
	}
}

// So does spamc, by what docs/spamc says.
func TestSpamcLosesNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds of processor time")
	}
	t.Parallel()
	servetest.Need(t, "spamc")
	p := start(t, t.TempDir(), conf)
	p.teach()
	file := filepath.Join(p.dir, "spamc.conf")
	servetest.Write(t, file, servetest.Page(t, "../../docs/spamc/spamc.conf", "/run/polya/spamd.sock", p.dir+"/spamd", "-t 15", "-t 1"))
	var taking sync.Mutex
	var delivered []string
	f := send(t, func(m string) int {
		spamc := exec.Command("spamc", "-F", file)
		spamc.Stdin = strings.NewReader(m)
		out, err := spamc.Output()
		if err != nil {
			t.Errorf("spamc: %v", err)
			return 0
		}
		taking.Lock()
		defer taking.Unlock()
		delivered = append(delivered, string(out))
		return 250
	})
	f.during(p, conf)
	for n, m := range delivered {
		delivered[n] = strings.ReplaceAll(regexp.MustCompile(`(?m)^X-Spam-.*\n`).ReplaceAllString(m, ""), "\r\n", "\n")
	}
	if answered := f.arrived(delivered); answered < 3*each || answered == len(delivered) {
		t.Errorf("%d messages have an answer", answered)
	}
}
