package spamd

import (
	"context"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/serve/internal/gate"
	"github.com/polya-classifier/polya/serve/internal/servetest"
)

// TestSpamc asks with the real spamc, by each of its verbs, over both kinds of socket.
func TestSpamc(t *testing.T) {
	t.Parallel()
	servetest.Need(t, "spamc")
	const spamc = "spamc"
	for _, network := range []string{"unix", "tcp"} {
		t.Run(network, func(t *testing.T) {
			t.Parallel()
			server := New(gate.Options{Backend: &servetest.Backend{}, Token: "cherry"})
			to := spamcTo(network, servetest.Serve(t, network, server.Serve))
			const (
				unixSpam = "From a@b Thu\nX-Spam-Flag:NO\nx-polya-class: ham\nSubject: offer\n\nplum\nno newline"
				verdict  = "X-Polya-Class: spam; probability=0.9987\nX-Spam-Flag: YES\n" +
					"X-Spam-Status: Yes, score=9.6 required=1.0 tests=POLYA_SPAM autolearn=no version=polya\n"
				header = "From a@b Thu\n" + verdict + "Subject: offer\n\n"
				text   = "polya: spam; probability=0.9987\nscore 9.6 of 1.0\n\n    bits  count  term\n     3.5      2  plum\n    -1.0      1  a__b\n"
			)
			// A TCP port needs the token, which spamc has room for after the user.
			user := map[string]string{"unix": "alice", "tcp": "alice:cherry"}[network]
			for _, test := range []struct {
				args    string
				message string
				code    int
				want    string
			}{
				{"-c", unixSpam, 1, "9.6/1.0\n"},
				{"-c", ham, 0, "-6.3/1.0\n"},
				{"-c", unsure, 0, "0.6/1.0\n"},
				{"-R", unixSpam, 0, "9.6/1.0\n" + text},
				{"-r", unixSpam, 0, "9.6/1.0\n" + text},
				{"-r", ham, 0, ""},
				{"-y", unixSpam, 0, "POLYA_SPAM"},
				{"", unixSpam, 0, header + "plum\nno newline"},
				{"-E", unixSpam, 1, header + "plum\nno newline"},
				{"-E", ham, 0, "X-Polya-Class: ham; probability=0.9876\r\n" +
					"X-Spam-Status: No, score=-6.3 required=1.0 tests=POLYA_HAM autolearn=no version=polya\r\n" + ham},
				{"--headers", unixSpam, 0, header + "plum\nno newline"},
				{"-x", unixSpam, 0, header + "plum\nno newline"},
				{"-K", "", 0, "SPAMD/1.5 0\n"},

				{"-L spam", ham, 0, "Message successfully un/learned\n"},
				{"-L spam", ham, 0, "Message was already un/learned\n"},
				{"-c", ham, 1, "9.6/1.0\n"},
				{"-L ham", ham, 0, "Message successfully un/learned\n"},
				{"-c", ham, 0, "-6.3/1.0\n"},
				// Learned here, and not reported to anybody.
				{"-C report", ham, 0, "Unable to report/revoke message\n"},
				{"-c", ham, 1, "9.6/1.0\n"},
				{"-C revoke", ham, 0, "Unable to report/revoke message\n"},
				{"-c", ham, 0, "-6.3/1.0\n"},
				{"-L forget", ham, 0, "Message successfully un/learned\n"},
				{"-L forget", ham, 0, "Message was already un/learned\n"},
			} {
				args := append(append(slices.Clone(to), "-u", user), strings.Fields(test.args)...)
				got, code := servetest.Exit(t, test.message, spamc, args...)
				if got != test.want || code != test.code {
					t.Errorf("spamc %s: exit code %d, want %d; got\n%q, want\n%q", test.args, code, test.code, got, test.want)
				}
			}
			if network == "tcp" {
				if got, code := servetest.Exit(t, ham, spamc, append(to, "-x", "-L", "spam")...); code == 0 || strings.Contains(got, "success") {
					t.Errorf("learned without a token: exit code %d, %q", code, got)
				}
			}
		})
	}
}

func spamcTo(network, address string) []string {
	if network == "unix" {
		return []string{"-U", address}
	}
	host, port, _ := net.SplitHostPort(address)
	return []string{"-d", host, "-p", port}
}

// TestPages asks by the files of docs/spamc.md, from a shell and from the real procmail.
func TestPages(t *testing.T) {
	t.Parallel()
	servetest.Need(t, "spamc")
	const spamc = "spamc"
	servetest.Need(t, "procmail")
	const procmail = "procmail"
	server := New(gate.Options{Backend: &servetest.Backend{}, Token: "cherry"})
	unix, tcp := servetest.Serve(t, "unix", server.Serve), servetest.Serve(t, "tcp", server.Serve)
	dir := servetest.Dir(t)
	_, port, _ := net.SplitHostPort(tcp)
	servetest.Write(t, filepath.Join(dir, "spamc.conf"), servetest.Page(t, "../../docs/spamc/spamc.conf", "/run/polya/spamd.sock", unix))
	servetest.Write(t, filepath.Join(dir, "tcp.conf"), servetest.Page(t, "../../docs/spamc/spamc-tcp.conf", "783", port, "TOKEN", "cherry"))
	servetest.Write(t, filepath.Join(dir, "procmailrc"), servetest.Page(t, "../../docs/spamc/procmailrc", "/etc/spamassassin", dir))
	servetest.Write(t, filepath.Join(dir, "gone"), strings.Replace(servetest.Page(t, "../../docs/spamc/procmailrc"), "/etc/spamassassin", dir+"/nothing", 1))

	if got, code := servetest.Exit(t, spam, spamc, "-F", filepath.Join(dir, "spamc.conf"), "-c"); code != 1 || got != "9.6/1.0\n" {
		t.Errorf("spamc -c: exit code %d, %q", code, got)
	}
	if got, code := servetest.Exit(t, ham, spamc, "-F", filepath.Join(dir, "tcp.conf"), "-L", "spam"); code != 0 || got != "Message successfully un/learned\n" {
		t.Errorf("spamc -L spam: exit code %d, %q", code, got)
	}
	for _, test := range []struct {
		rc, message, folder string
		fields              []string
	}{
		{"procmailrc", "plum", "Junk", []string{"X-Polya-Class: spam; probability=0.9987\n", "X-Spam-Flag: YES\n", "X-Spam-Status: Yes, score=9.6 required=1.0"}},
		{"procmailrc", "cherry", "inbox", []string{"X-Polya-Class: ham; probability=0.9876\n", "X-Spam-Status: No, score=-6.3 required=1.0"}},
		{"gone", "plum", "inbox", nil},
	} {
		box := filepath.Join(dir, "box-"+test.rc+test.message)
		if err := os.Mkdir(box, 0o755); err != nil {
			t.Fatal(err)
		}
		out, code := servetest.Exit(t, "From a@b Thu\nSubject: x\n\n"+test.message+"\n", procmail, "-m",
			"MAILDIR="+box, "DEFAULT="+box+"/inbox/", filepath.Join(dir, test.rc))
		files, _ := filepath.Glob(filepath.Join(box, test.folder, "new", "*"))
		if code != 0 || len(files) != 1 {
			t.Fatalf("procmail, %s: exit code %d, %d messages in %s: %s", test.message, code, len(files), test.folder, out)
		}
		message, err := os.ReadFile(files[0])
		if err != nil {
			t.Fatal(err)
		}
		checkDelivered(t, string(message), test.message, test.fields)
	}
}

// TestSpamcUnchanged holds that spamc passes a message on as it is when nothing answers,
// when the server is as busy as it gets, and when it is killed or stopped in the middle of a reply.
func TestSpamcUnchanged(t *testing.T) {
	t.Parallel()
	servetest.Need(t, "spamc")
	const spamc = "spamc"
	const half = "SPAMD/1.1 0 EX_OK\r\nContent-length: 100\r\nSpam: True ; 9.6 / 1.0\r\n\r\nX-Polya-Class: spam\r\nSub"
	for name, serve := range map[string]func(context.Context, net.Listener) error{
		"gone":    func(_ context.Context, l net.Listener) error { return l.Close() },
		"busy":    New(gate.Options{Backend: &servetest.Backend{}, Limits: gate.Limits{Connections: -1}}).Serve,
		"killed":  dying(half, false),
		"stopped": dying(half, true),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			to := append(spamcTo("unix", servetest.Serve(t, "unix", serve)), "--connect-retries=1", "-t", "1")
			for _, args := range []string{"", "-E"} {
				if got, code := servetest.Exit(t, spam, spamc, append(to, strings.Fields(args)...)...); got != spam || code != 0 {
					t.Errorf("spamc %s: exit code %d; got %q", args, code, got)
				}
			}
			if _, code := servetest.Exit(t, spam, spamc, append(to, "-x")...); code == 0 {
				t.Error("spamc -x: exit code 0")
			}
		})
	}
}

// dying serves like a server that is killed, or stopped, in the middle of a reply: it
// reads a little, writes says, and then closes the connection or writes nothing more.
func dying(says string, stopped bool) func(context.Context, net.Listener) error {
	s := gate.New(gate.Options{}, gate.Limits{})
	s.Converse = func(ctx context.Context, c net.Conn) {
		c.Read(make([]byte, 100))
		io.WriteString(c, says)
		if stopped {
			<-ctx.Done()
		}
	}
	return s.Serve
}
