package imapbox

import (
	"bufio"
	"crypto/tls"
	"io"
	"log"
	"net"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/emersion/go-imap/v2"
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
				io.WriteString(c, tag+" NO "+says+"\r\n")
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
