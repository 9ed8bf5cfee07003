package spamd

import (
	"bytes"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/polya-classifier/polya/serve/access"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/internal/gate"
	"github.com/polya-classifier/polya/serve/internal/servetest"
)

const (
	spam   = "Subject: offer\r\n\r\nplum plum\r\n"
	ham    = "Subject: hello\r\n\r\ncherry\r\n"
	unsure = "Subject: hello\r\n\r\nperhaps\r\n"
)

// ask sends a request and ends the sending side, and returns the reply.
func ask(t testing.TB, network, address, request string) string {
	t.Helper()
	c, err := net.Dial(network, address)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(time.Minute))
	io.WriteString(c, request)
	c.(interface{ CloseWrite() error }).CloseWrite()
	reply, err := io.ReadAll(c)
	if err != nil {
		t.Fatal(err)
	}
	return string(reply)
}

func TestWire(t *testing.T) {
	t.Parallel()
	address := servetest.Serve(t, "tcp", New(gate.Options{Backend: &servetest.Backend{}}).Serve)
	length := func(message string) string { return fmt.Sprintf("Content-length: %d\r\n", len(message)) }
	const (
		yes      = "Spam: True ; 9.6 / 1.0\r\n"
		no       = "Spam: False ; -6.3 / 1.0\r\n"
		reportOf = "polya: spam; probability=0.9987\nscore 9.6 of 1.0\n\n    bits  count  term\n     3.5      2  plum\n    -1.0      1  a__b\n"
		added    = "X-Polya-Class: spam; probability=0.9987\r\nX-Spam-Flag: YES\r\n" +
			"X-Spam-Status: Yes, score=9.6 required=1.0 tests=POLYA_SPAM autolearn=no version=polya\r\n"
		addedHam = "X-Polya-Class: ham; probability=0.9876\r\n" +
			"X-Spam-Status: No, score=-6.3 required=1.0 tests=POLYA_HAM autolearn=no version=polya\r\n"
	)
	for _, test := range []struct{ name, request, want string }{
		{"PING", "PING SPAMC/1.5\r\n\r\n", "SPAMD/1.5 0 PONG\r\n"},
		{"PING before 1.5", "PING SPAMC/1.2\r\n", "SPAMD/1.5 0 PONG\r\n"},
		{"SKIP", "SKIP SPAMC/1.5\r\nUser: x\r\n\r\n", ""},
		{"CHECK", "CHECK SPAMC/1.5\r\nUser: root\r\n" + length(spam) + "\r\n" + spam, "SPAMD/1.1 0 EX_OK\r\n" + yes + "\r\n"},
		{"CHECK ham", "CHECK SPAMC/1.5\r\n" + length(ham) + "\r\n" + ham, "SPAMD/1.1 0 EX_OK\r\n" + no + "\r\n"},
		{"CHECK unsure", "CHECK SPAMC/1.5\r\n\r\n" + unsure, "SPAMD/1.1 0 EX_OK\r\nSpam: False ; 0.6 / 1.0\r\n\r\n"},
		{"CHECK without length", "CHECK SPAMC/1.2\r\n\r\n" + spam, "SPAMD/1.1 0 EX_OK\r\n" + yes + "\r\n"},
		{"LF alone, any case, no space", "CHECK SPAMC/1.5\ncontent-LENGTH:" + fmt.Sprint(len(spam)) + "\nHello: world\n\n" + spam, "SPAMD/1.1 0 EX_OK\r\n" + yes + "\r\n"},
		{"SYMBOLS", "SYMBOLS SPAMC/1.5\r\n\r\n" + spam, "SPAMD/1.1 0 EX_OK\r\nContent-length: 10\r\n" + yes + "\r\nPOLYA_SPAM"},
		{"SYMBOLS 1.2", "SYMBOLS SPAMC/1.2\r\n\r\n" + unsure, "SPAMD/1.1 0 EX_OK\r\nSpam: False ; 0.6 / 1.0\r\n\r\nPOLYA_UNSURE\r\n"},
		{"REPORT", "REPORT SPAMC/1.5\r\n\r\n" + spam, "SPAMD/1.1 0 EX_OK\r\n" + length(reportOf) + yes + "\r\n" + reportOf},
		{"REPORT 1.2", "REPORT SPAMC/1.2\r\n\r\n" + spam, "SPAMD/1.1 0 EX_OK\r\n" + yes + "\r\n" + reportOf},
		{"REPORT_IFSPAM", "REPORT_IFSPAM SPAMC/1.5\r\n\r\n" + spam, "SPAMD/1.1 0 EX_OK\r\n" + length(reportOf) + yes + "\r\n" + reportOf},
		{"REPORT_IFSPAM of ham", "REPORT_IFSPAM SPAMC/1.5\r\n\r\n" + ham, "SPAMD/1.1 0 EX_OK\r\nContent-length: 0\r\n" + no + "\r\n"},
		{"PROCESS", "PROCESS SPAMC/1.5\r\n\r\n" + spam, "SPAMD/1.1 0 EX_OK\r\n" + length(added+spam) + yes + "\r\n" + added + spam},
		{"PROCESS 1.2", "PROCESS SPAMC/1.2\r\n\r\n" + ham, "SPAMD/1.1 0 EX_OK\r\n" + length(addedHam+ham) + "\r\n" + addedHam + ham},
		{"PROCESS 1.1", "PROCESS SPAMC/1.1\r\n\r\n" + ham, "SPAMD/1.0 0 EX_OK\r\n" + addedHam + ham},
		{"PROCESS forged", "PROCESS SPAMC/1.5\r\n\r\nX-Polya-Class: spam\r\nx-spam-level:\r\n *****\r\nX-SPAM-FLAG:YES\r\n" + ham,
			"SPAMD/1.1 0 EX_OK\r\n" + length(addedHam+ham) + no + "\r\n" + addedHam + ham},
		{"HEADERS", "HEADERS SPAMC/1.5\r\n\r\n" + spam, "SPAMD/1.1 0 EX_OK\r\n" + length(added+"Subject: offer\r\n\r\n") + yes + "\r\n" + added + "Subject: offer\r\n\r\n"},
		{"zlib", "CHECK SPAMC/1.5\r\nCompress: zlib\r\n" + length(deflate(spam)) + "\r\n" + deflate(spam), "SPAMD/1.1 0 EX_OK\r\n" + yes + "\r\n"},
		{"Exim's rspamd", "CHECK RSPAMC/1.3\r\n" + length(spam) + "Queue-Id: x\r\nFrom: <a@b>\r\nRecipient-Number: 1\r\nRcpt: <alice>\r\n\r\n" + spam,
			"RSPAMD/1.3 0 EX_OK\r\nMetric: default; True; 9.6 / 1.0 / 10000.0\r\nAction: add header\r\nSymbol: POLYA_SPAM\r\npolya: spam; probability=0.9987\r\n"},

		{"no verb", "HELO\r\n\r\n", "SPAMD/1.0 76 Bad header line: no such command\r\n"},
		{"no version", "CHECK SPAMC\r\n\r\n", "SPAMD/1.0 76 Bad header line: no version\r\n"},
		{"no colon", "CHECK SPAMC/1.5\r\nUser\r\n\r\n", "SPAMD/1.0 76 Bad header line: no colon\r\n"},
		{"cut short", "CHECK SPAMC/1.5\r\nUser: x\r\n", "SPAMD/1.0 76 Bad header line: closed before the empty line\r\n"},
		{"long line", "CHECK SPAMC/1.5\r\nUser: " + strings.Repeat("x", 5000) + "\r\n\r\n", "SPAMD/1.0 76 Bad header line: more than 4096 bytes\r\n"},
		{"many lines", "CHECK SPAMC/1.5\r\n" + strings.Repeat("X: y\r\n", 300) + "\r\n", "SPAMD/1.0 76 Bad header line: more than 256 lines\r\n"},
		{"negative length", "CHECK SPAMC/1.5\r\nContent-length: -1\r\n\r\n", "SPAMD/1.0 76 Bad header line: Content-length\r\n"},
		{"two lengths", "CHECK SPAMC/1.5\r\nContent-length: 1\r\nContent-length: 2\r\n\r\n", "SPAMD/1.0 76 Bad header line: Content-length\r\n"},
		{"length too long", "CHECK SPAMC/1.5\r\nContent-length: 100\r\n\r\n" + spam, "SPAMD/1.0 76 Content-length mismatch\r\n"},
		{"length too short", "PROCESS SPAMC/1.5\r\nContent-length: 10\r\n\r\n" + spam, "SPAMD/1.0 76 Content-length mismatch\r\n"},
		{"more than is taken", "CHECK SPAMC/1.5\r\nContent-length: 1000000000\r\n\r\n" + spam, "SPAMD/1.0 65 message too large\r\n"},
		{"not zlib", "CHECK SPAMC/1.5\r\nCompress: zlib\r\n\r\n" + spam, "SPAMD/1.0 76 not compressed by zlib\r\n"},
		{"zlib cut short", "CHECK SPAMC/1.5\r\nCompress: zlib\r\n\r\n" + deflate(spam)[:12], "SPAMD/1.0 76 compressed message is damaged\r\n"},
		{"gzip", "CHECK SPAMC/1.5\r\nCompress: gzip\r\n\r\n" + spam, "SPAMD/1.0 76 Bad header line: Compress\r\n"},
	} {
		if got := ask(t, "tcp", address, test.request); got != test.want {
			t.Errorf("%s: got\n%q, want\n%q", test.name, got, test.want)
		}
	}
}

func deflate(message string) string {
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	io.WriteString(z, message)
	z.Close()
	return b.String()
}

func TestTell(t *testing.T) {
	t.Parallel()
	server := New(gate.Options{Backend: &servetest.Backend{}, Token: "token", Log: servetest.Log(t, "token", "cherry", "hello", "wrong")})
	tcp, unix := servetest.Serve(t, "tcp", server.Serve), servetest.Serve(t, "unix", server.Serve)
	const (
		set      = "SPAMD/1.1 0 EX_OK\r\nDidSet: local\r\n\r\n"
		removed  = "SPAMD/1.1 0 EX_OK\r\nDidRemove: local\r\n\r\n"
		nothing  = "SPAMD/1.1 0 EX_OK\r\n\r\n"
		isSpam   = "SPAMD/1.1 0 EX_OK\r\nSpam: True ; 9.6 / 1.0\r\n\r\n"
		isHam    = "SPAMD/1.1 0 EX_OK\r\nSpam: False ; -6.3 / 1.0\r\n\r\n"
		no       = "SPAMD/1.0 77 learning is not allowed here\r\n"
		tellSpam = "Message-class: spam\r\nSet: local\r\n"
		tellHam  = "Message-class: ham\r\nSet: local\r\n"
	)
	for i, test := range []struct{ network, verb, lines, want string }{
		{"unix", "CHECK", "", isHam},
		{"unix", "TELL", tellSpam, set},
		{"unix", "TELL", tellSpam, nothing},
		{"unix", "CHECK", "", isSpam},
		{"unix", "TELL", tellHam, set},
		{"unix", "CHECK", "", isHam},
		{"unix", "TELL", "Message-class: spam\r\nSet: local, remote\r\n", set}, // report
		{"unix", "TELL", "Message-class: ham\r\nSet: local\r\nRemove: remote\r\n", set},
		{"unix", "TELL", "Remove: local\r\n", removed},
		{"unix", "TELL", "Remove: local\r\n", nothing},
		{"unix", "TELL", "Message-class: spam\r\nSet: remote\r\n", nothing},
		{"unix", "TELL", "Message-class: werbung\r\nSet: local\r\n", set},
		{"unix", "TELL", "Message-class: Werbung\r\nSet: local\r\n", "SPAMD/1.0 65 no such class\r\n"},
		{"unix", "TELL", "Set: local\r\n", "SPAMD/1.0 76 Set without Message-class\r\n"},
		{"unix", "TELL", "Message-class: spam\r\n", "SPAMD/1.0 76 neither Set nor Remove\r\n"},
		{"unix", "TELL", "Set: local\r\nRemove: local\r\n", "SPAMD/1.0 76 Unable to set local and remove local in the same operation.\r\n"},
		{"unix", "TELL", "User: carol\r\n" + tellSpam, "SPAMD/1.0 67 no such user\r\n"},

		{"tcp", "TELL", tellSpam, no},
		{"tcp", "TELL", "Token: wrong\r\n" + tellSpam, no},
		{"tcp", "TELL", "User: alice:wrong\r\n" + tellSpam, no},
		{"tcp", "TELL", "Token: token\r\nUser: alice\r\n" + tellSpam, set},
		{"tcp", "CHECK", "User: alice\r\n", isSpam},
		{"tcp", "CHECK", "User: bob\r\n", isHam},
		{"tcp", "CHECK", "User: carol\r\n", isHam},
		{"tcp", "TELL", "User: bob:token\r\n" + tellSpam, set},
		{"tcp", "CHECK", "User: bob:token\r\n", isSpam},
	} {
		address := map[string]string{"tcp": tcp, "unix": unix}[test.network]
		if got := ask(t, test.network, address, test.verb+" SPAMC/1.5\r\n"+test.lines+"\r\n"+ham); got != test.want {
			t.Errorf("%d: %s %q: got\n%q, want\n%q", i, test.verb, test.lines, got, test.want)
		}
	}
}

// TestNoToken holds that without a token nothing opens a TCP port, and that a rule of
// the configuration may close a unix socket.
func TestNoToken(t *testing.T) {
	t.Parallel()
	server := New(gate.Options{Backend: &servetest.Backend{}, MayTeach: func(c access.Caller) bool { return c.Token }})
	for _, network := range []string{"tcp", "unix"} {
		address := servetest.Serve(t, network, server.Serve)
		for _, lines := range []string{"", "Token:\r\n", "Token: \r\nUser: alice:\r\n", "User: alice:\r\n"} {
			reply := ask(t, network, address, "TELL SPAMC/1.5\r\n"+lines+"Message-class: spam\r\nSet: local\r\n\r\n"+ham)
			if want := "SPAMD/1.0 77 learning is not allowed here\r\n"; reply != want {
				t.Errorf("%s %q: %q", network, lines, reply)
			}
		}
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		err  error
		want string
	}{
		{backend.ErrBusy, "SPAMD/1.0 75 too many requests at once\r\n"},
		{backend.ErrUser, "SPAMD/1.0 67 no such user\r\n"},
		{backend.ErrSize, "SPAMD/1.0 65 message too large\r\n"},
		{errors.New("disk full"), "SPAMD/1.0 75 Service Unavailable\r\n"},
		{errors.New("panic"), ""},
		{context.DeadlineExceeded, "SPAMD/1.0 79 Timeout\r\n"},
	} {
		b := &servetest.Backend{Before: func(ctx context.Context, r backend.Request) error {
			switch test.err.Error() {
			case context.DeadlineExceeded.Error():
				<-ctx.Done()
				return ctx.Err()
			case "panic":
				panic("panic")
			default:
				return fmt.Errorf("database: %w", test.err)
			}
		}}
		var log strings.Builder
		o := gate.Options{Backend: b, Limits: gate.Limits{AnswerTime: 50 * time.Millisecond}, Log: slog.New(slog.NewTextHandler(&log, nil))}
		t.Run(test.err.Error(), func(t *testing.T) {
			address := servetest.Serve(t, "tcp", New(o).Serve)
			for range 2 {
				if got := ask(t, "tcp", address, "PROCESS SPAMC/1.5\r\n\r\n"+ham); got != test.want {
					t.Errorf("got %q, want %q", got, test.want)
				}
			}
		})
		if !strings.Contains(log.String(), test.err.Error()) {
			t.Errorf("the log has no reason %v: %s", test.err, log.String())
		}
	}
}
