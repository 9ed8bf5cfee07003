package imapbox

import (
	"bufio"
	"crypto/tls"
	"errors"
	"io"
	"log"
	"net"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/emersion/go-imap/v2"

	"github.com/polya-classifier/polya/cmd/polyad/internal/watching"
)

// Suggestions of thousands of messages that do not follow each other are taken back in lines that servers take.
func TestUnsuggestMany(t *testing.T) {
	t.Parallel()
	s, user := server(t, everything)
	for range 1500 {
		deliver(t, user, "Work", "Subject: moved\n\ntext\n", imap.FlagSeen, keyword("Work"))
		deliver(t, user, "Work", "Subject: other\n\ntext\n", imap.FlagSeen)
	}
	var longest atomic.Int64
	b := box(t, behind(t, s, &longest))
	if _, err := b.List(t.Context(), "Work"); err != nil {
		t.Fatal(err)
	}
	if n := len(b.folders["Work"].marked); n != 1500 {
		t.Fatalf("%d messages have suggestions", n)
	}
	if err := b.Unsuggest(t.Context(), "Work"); err != nil {
		t.Fatal(err)
	}
	for uid, all := range flags(t, s, "Work") {
		if len(all) != 1 {
			t.Fatalf("message %d has the flags %v", uid, all)
		}
	}
	if n := longest.Load(); n > 5000 {
		t.Errorf("a line has %d bytes", n)
	}
}

// An error that is cut says so.
func TestCutError(t *testing.T) {
	t.Parallel()
	for says, want := range map[string]bool{strings.Repeat("ä", 250): false, strings.Repeat("ä", 1000): true} {
		b := box(t, stranger(t, func(c net.Conn) {
			io.WriteString(c, "* OK [CAPABILITY IMAP4rev1] hello\r\n")
			for lines := bufio.NewScanner(c); lines.Scan(); {
				tag, _, _ := strings.Cut(lines.Text(), " ")
				io.WriteString(c, tag+" NO [UNAVAILABLE] "+says+"\r\n")
			}
		}))
		if _, err := b.Folders(t.Context()); err == nil || strings.HasSuffix(err.Error(), "ä …") != want || len([]rune(err.Error())) > 350 {
			t.Errorf("%v", err)
		}
	}
}

// Who has given no password hears where to put it.
func TestNoPassword(t *testing.T) {
	s, _ := server(t, everything)
	s.PasswordCommand = nil
	if _, err := box(t, s).Folders(t.Context()); err == nil || !strings.Contains(err.Error(), "set the environment variable POLYA_IMAP_PASSWORD") {
		t.Errorf("%v", err)
	}
}

// Of a certificate that the system does not trust a person hears what to set.
func TestUntrusted(t *testing.T) {
	t.Parallel()
	server := httptest.NewUnstartedServer(nil)
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.TLS = &tls.Config{NextProtos: []string{"imap"}}
	server.StartTLS()
	defer server.Close()
	_, port, _ := net.SplitHostPort(server.Listener.Addr().String())
	n, _ := strconv.Atoi(port)
	_, err := box(t, &Settings{Host: "127.0.0.1", Port: n, User: "alice", Security: securityTLS, PasswordCommand: []string{"echo", "x"}}).Folders(t.Context())
	if err == nil || !strings.Contains(err.Error(), "failed to verify certificate") || !strings.Contains(err.Error(), "certificate-authority") {
		t.Errorf("%v", err)
	}
}

// A refused login is told as one, also where a folder was to be listed, and what is temporary as neither.
func TestRefusedLogin(t *testing.T) {
	t.Parallel()
	for says, want := range map[string]bool{"NO [AUTHENTICATIONFAILED] Invalid credentials": true, "NO no": true, "NO [UNAVAILABLE] later": false} {
		b := box(t, stranger(t, func(c net.Conn) {
			io.WriteString(c, "* OK [CAPABILITY IMAP4rev1] hello\r\n")
			for lines := bufio.NewScanner(c); lines.Scan(); {
				tag, _, _ := strings.Cut(lines.Text(), " ")
				io.WriteString(c, tag+" "+says+"\r\n")
			}
		}))
		for range 2 {
			_, err := b.List(t.Context(), "Work")
			if err == nil || errors.Is(err, watching.ErrLogin) != want || errors.Is(err, watching.ErrFolder) {
				t.Errorf("%s: %v", says, err)
			}
		}
	}
}

// Where a message was copied and cannot be marked as deleted it is not to be moved again.
func TestCopiedOnly(t *testing.T) {
	t.Parallel()
	for refused, want := range map[string]error{"COPY": watching.ErrFolder, "STORE": nil} {
		b := box(t, stranger(t, func(c net.Conn) {
			io.WriteString(c, "* OK [CAPABILITY IMAP4rev1] hello\r\n")
			for lines := bufio.NewScanner(c); lines.Scan(); {
				words := strings.Fields(lines.Text())
				answer := " OK done\r\n"
				if len(words) > 2 && words[2] == refused {
					answer = " NO [NOPERM] may not be changed\r\n"
				}
				if words[1] == "SELECT" {
					answer = " OK [READ-WRITE] done\r\n"
					io.WriteString(c, "* 1 EXISTS\r\n* FLAGS ()\r\n* OK [UIDVALIDITY 1] .\r\n* OK [UIDNEXT 2] .\r\n")
				}
				io.WriteString(c, words[0]+answer)
			}
		}))
		err := b.Move(t.Context(), "INBOX", "1.1", "Work")
		if err == nil || errors.Is(err, watching.ErrUnusable) || errors.Is(err, watching.ErrFolder) != (want != nil) {
			t.Errorf("%s is refused: %v", refused, err)
		}
	}
}
