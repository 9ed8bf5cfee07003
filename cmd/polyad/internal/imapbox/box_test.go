package imapbox

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"
	"github.com/emersion/go-imap/v2/imapserver"
	"github.com/emersion/go-imap/v2/imapserver/imapmemserver"

	"github.com/polya-classifier/polya/cmd/polyad/internal/watching"
	"github.com/polya-classifier/polya/internal/raced"
)

// everything is what a new server can do, and little what an old one can.
var (
	everything = imap.CapSet{imap.CapIMAP4rev1: {}, imap.CapIMAP4rev2: {}}
	little     = imap.CapSet{imap.CapIMAP4rev1: {}}
)

// server is one in memory, with some mail of alice's.
func server(t *testing.T, caps imap.CapSet) (*Settings, *imapmemserver.User) {
	t.Helper()
	user := imapmemserver.NewUser("alice", "secret")
	for _, name := range []string{"INBOX", "Work"} {
		if err := user.Create(name, nil); err != nil {
			t.Fatal(err)
		}
	}
	mem := imapmemserver.New()
	mem.AddUser(user)
	s := imapserver.New(&imapserver.Options{
		NewSession: func(*imapserver.Conn) (imapserver.Session, *imapserver.GreetingData, error) {
			return mem.NewSession(), nil, nil
		},
		Caps: caps, InsecureAuth: true, Logger: log.New(io.Discard, "", 0),
	})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go s.Serve(l)
	t.Cleanup(func() { s.Close() })
	host, port, _ := net.SplitHostPort(l.Addr().String())
	n, _ := strconv.Atoi(port)
	return &Settings{
		Host: host, Port: n, User: "alice", Security: securityNone, PasswordCommand: []string{"printf", `secret\r\n`},
	}, user
}

func box(t *testing.T, s *Settings) *Box {
	b := New(s, "INBOX", []string{"INBOX", "Work", "Trash"})
	t.Cleanup(func() { b.Close() })
	return b
}

func deliver(t *testing.T, u *imapmemserver.User, folder, text string, flags ...imap.Flag) {
	t.Helper()
	if _, err := u.Append(folder, literal{strings.NewReader(text)}, &imap.AppendOptions{Flags: flags}); err != nil {
		t.Fatal(err)
	}
}

type literal struct{ *strings.Reader }

func (l literal) Size() int64 { return l.Reader.Size() }

func keys(t *testing.T, b *Box, folder string) (all []string) {
	t.Helper()
	list, err := b.List(t.Context(), folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range list {
		_, uid, _ := strings.Cut(c.Key, ".")
		if c.Read {
			uid += "*"
		} else if time.Since(c.Delivered).Abs() > time.Hour {
			uid += "?"
		}
		all = append(all, uid)
	}
	return all
}

func TestBox(t *testing.T) {
	t.Parallel()
	for name, caps := range map[string]imap.CapSet{"everything": everything, "little": little} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, user := server(t, caps)
			b := box(t, s)
			for i, flags := range [][]imap.Flag{nil, {imap.FlagSeen}, {imap.FlagDeleted}, {imap.FlagDraft}, {imap.FlagFlagged}, {"$other"}} {
				deliver(t, user, "INBOX", fmt.Sprintf("Subject: %d\r\n\r\ntext\r\n", i+1), flags...)
			}
			if got, want := keys(t, b, "INBOX"), []string{"1", "2*", "5*", "6"}; !slices.Equal(got, want) {
				t.Errorf("%q, want %q", got, want)
			}
			if got, err := b.Folders(t.Context()); err != nil || !slices.Equal(got, []string{"INBOX", "Work"}) {
				t.Errorf("folders %q, %v", got, err)
			}
			if got := keys(t, b, "Trash"); got != nil {
				t.Errorf("a folder that is not there has %q", got)
			}
			list, _ := b.List(t.Context(), "INBOX")
			first := list[0].Key
			if raw, err := b.Read(t.Context(), "INBOX", first); err != nil || string(raw) != "Subject: 1\r\n\r\ntext\r\n" {
				t.Errorf("%q, %v", raw, err)
			}
			if got := keys(t, b, "INBOX"); got[0] != "1" {
				t.Errorf("to look at a message changes it: %q", got)
			}
			validity, _, _ := strings.Cut(first, ".")
			for _, gone := range []string{validity + ".99", "99.1", "x"} {
				if _, err := b.Read(t.Context(), "INBOX", gone); !errors.Is(err, watching.ErrGone) {
					t.Errorf("%s: %v", gone, err)
				}
			}
			if err := b.Suggest(t.Context(), "INBOX", first, []string{"my work*", "Work"}); err != nil {
				t.Error(err)
			}
			if got := flags(t, s, "INBOX")[1]; !slices.Contains(got, "$polyasuggests-my_work_") || !slices.Contains(got, "$polyasuggests-work") {
				t.Errorf("flags %v", flags(t, s, "INBOX"))
			}
			if got := keys(t, b, "INBOX"); got[0] != "1" {
				t.Errorf("to mark a message makes it read: %q", got)
			}
			if err := b.Move(t.Context(), "INBOX", first, "Work"); err != nil {
				t.Fatal(err)
			}
			if got, want := keys(t, b, "INBOX"), []string{"2*", "5*", "6"}; !slices.Equal(got, want) {
				t.Errorf("after the move %q, want %q", got, want)
			}
			if got := keys(t, b, "Work"); len(got) != 1 || got[0] != "1" {
				t.Errorf("in the other folder %q", got)
			}
			there, err := b.List(t.Context(), "Work")
			if err != nil {
				t.Fatal(err)
			}
			if raw, err := b.Read(t.Context(), "Work", there[0].Key); err != nil || string(raw) != "Subject: 1\r\n\r\ntext\r\n" {
				t.Errorf("%q, %v", raw, err)
			}
			if err := b.Unsuggest(t.Context(), "Work"); err != nil {
				t.Error(err)
			}
			if got := flags(t, s, "Work")[1]; len(got) != 0 {
				t.Errorf("suggestions on what was moved: %q", got)
			}
			if flags(t, s, "INBOX")[3] == nil {
				t.Error("what the user has marked as deleted is expunged")
			}
			if err := b.Move(t.Context(), "INBOX", list[1].Key, "Nowhere"); !errors.Is(err, watching.ErrFolder) {
				t.Errorf("to a folder that is not there: %v", err)
			}
		})
	}
}

// flags returns the flags of the messages of a folder, by UID.
func flags(t *testing.T, s *Settings, folder string) map[imap.UID][]imap.Flag {
	t.Helper()
	c, err := imapclient.DialInsecure(s.address(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.Login("alice", "secret").Wait(); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Select(folder, nil).Wait(); err != nil {
		t.Fatal(err)
	}
	list, err := c.Fetch(imap.UIDSet{{Start: 1}}, &imap.FetchOptions{UID: true, Flags: true}).Collect()
	if err != nil {
		t.Fatal(err)
	}
	all := map[imap.UID][]imap.Flag{}
	for _, m := range list {
		all[m.UID] = m.Flags
	}
	return all
}

// Folders without a rule are watched for their use, or for the usual name of one that the server gives to none.
// A server with many folders is not asked about each beside each.
func TestOther(t *testing.T) {
	b := New(new(Settings), "INBOX", nil)
	check := func(want map[string]bool) {
		t.Helper()
		for name, want := range want {
			if b.other(name) != want {
				t.Errorf("%s of %d folders: %v", name, len(b.uses), !want)
			}
		}
	}
	for i := range 50_000 {
		b.uses[strconv.Itoa(i)] = nil
	}
	check(map[string]bool{"Trash": true, "Archive": true, "1": false, "unknown": false})
	b.uses["Papierkorb"], b.uses["Trash"] = []imap.MailboxAttr{imap.MailboxAttrTrash}, nil
	check(map[string]bool{"Trash": false, "Papierkorb": true, "Archive": true})
	start := time.Now()
	for name := range b.uses {
		b.other(name)
	}
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("%d folders took %v", len(b.uses), took)
	}
}

// What comes to the inbox is told of, also if it came before it was waited for; and
// else the time is up.
func TestWait(t *testing.T) {
	t.Parallel()
	s, user := server(t, everything)
	b := box(t, s)
	keys(t, b, "INBOX")
	if err := b.Wait(t.Context(), time.Millisecond); err != nil {
		t.Error(err)
	}
	deliver(t, user, "INBOX", "\r\n1\r\n")
	if err := b.Wait(t.Context(), time.Hour); err != nil {
		t.Error(err)
	}
	if got := keys(t, b, "INBOX"); len(got) != 1 {
		t.Errorf("%q", got)
	}
	done := make(chan error)
	go func() { done <- b.Wait(t.Context(), time.Hour) }()
	delivered := 1
	for told := false; !told; { // the server in memory does not tell of what comes between SELECT and IDLE
		deliver(t, user, "INBOX", "\r\n2\r\n")
		delivered++
		select {
		case err := <-done:
			if told = true; err != nil {
				t.Error(err)
			}
		case <-time.After(time.Second):
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() { done <- b.Wait(ctx, time.Hour) }()
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if got := keys(t, b, "INBOX"); len(got) != delivered {
		t.Errorf("on a new connection: %q, %d were delivered", got, delivered)
	}
}

func TestPassword(t *testing.T) {
	for _, c := range []struct {
		command     []string
		environment string
		want        string
	}{
		{[]string{"printf", `one\ntwo\n`}, "three", "one"}, {nil, "three", "three"}, {nil, "", ""}, {[]string{"false"}, "three", ""},
		{[]string{"true"}, "three", ""}, {[]string{"no-such-program"}, "three", ""},
		{[]string{"sh", "-c", "sleep 20 2>&- & echo one"}, "three", "one"}, // what it leaves behind is not waited for
	} {
		start := time.Now()
		b := New(&Settings{PasswordCommand: c.command}, "INBOX", nil)
		t.Setenv(passwordVariable, c.environment)
		got, err := b.password(t.Context())
		if took := time.Since(start); got != c.want || (err == nil) != (c.want != "" || c.command == nil) || took > 10*time.Second {
			t.Errorf("%q, %q: %q, %v after %v", c.command, c.environment, got, err, took)
		}
	}
	s, _ := server(t, everything)
	s.PasswordCommand = []string{"echo", "wrong"}
	if _, err := box(t, s).List(t.Context(), "INBOX"); err == nil || strings.Contains(err.Error(), "wrong") {
		t.Errorf("with a wrong password: %v", err)
	}
}

// stranger returns the settings of a server that serves each connection so, and then ends it.
func stranger(t *testing.T, serve func(net.Conn)) *Settings {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for c, err := l.Accept(); err == nil; c, err = l.Accept() {
			go func() {
				defer c.Close()
				serve(c)
			}()
		}
	}()
	host, port, _ := net.SplitHostPort(l.Addr().String())
	n, _ := strconv.Atoi(port)
	return &Settings{Host: host, Port: n, User: "alice", Security: securityNone, PasswordCommand: []string{"echo", "x"}}
}

// A server that answers nothing, or nonsense, is an error.
func TestStranger(t *testing.T) {
	t.Parallel()
	for _, says := range []string{"", "HTTP/1.1 400 Bad Request\r\n\r\n", "* OK\r\n* SEARCH 1\r\n", "* BYE\r\n"} {
		b := New(stranger(t, func(c net.Conn) { io.WriteString(c, says) }), "INBOX", nil)
		if _, err := b.List(t.Context(), "INBOX"); err == nil {
			t.Errorf("%q is taken for an IMAP server", says)
		}
	}
}

// A server that says nothing more keeps nobody: not before it encrypts, nor while it should.
func TestSilent(t *testing.T) {
	t.Parallel()
	for security, says := range map[string]string{securityTLS: "", securityStartTLS: "* OK\r\n", securityNone: "* OK\r\n"} {
		ctx, cancel := context.WithCancel(t.Context())
		s := stranger(t, func(c net.Conn) {
			io.WriteString(c, says)
			_, _ = c.Read(make([]byte, 1)) // it asks for something
			cancel()
			<-t.Context().Done()
		})
		s.Security = security
		if _, err := New(s, "INBOX", nil).List(ctx, "INBOX"); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", security, err)
		}
	}
}

// A server that says too much is left before it takes the memory or the stack, and the error says so.
func TestFlood(t *testing.T) {
	raced.Skip(t)
	if testing.Short() {
		t.Skip("takes seconds of processor time")
	}
	t.Parallel()
	const greeting = "* OK [CAPABILITY IMAP4rev1] hello\r\n"
	for _, says := range []string{greeting + "* 1 FETCH (BODYSTRUCTURE |(", greeting + "* LIST () \"/\" {9000000000}\r\n|a", "* OK |a"} {
		s := stranger(t, func(c net.Conn) {
			once, again, _ := strings.Cut(says, "|")
			_, err := io.WriteString(c, once)
			if strings.HasPrefix(once, greeting) {
				_, _ = c.Read(make([]byte, 1)) // it logs in
			}
			for again = strings.Repeat(again, 1<<20/len(again)); err == nil; {
				_, err = io.WriteString(c, again)
			}
		})
		_, err := New(s, "INBOX", nil).Folders(t.Context())
		if err == nil || !strings.Contains(err.Error(), "the server sends more than") || len(err.Error()) > 200 {
			t.Errorf("%.60q: %.200v", says, err)
		}
	}
}

// All messages that a server says it has are counted together.
func TestTooMany(t *testing.T) {
	t.Parallel()
	b := box(t, stranger(t, func(c net.Conn) {
		io.WriteString(c, "* OK [CAPABILITY IMAP4rev1 ESEARCH] hello\r\n")
		for lines := bufio.NewScanner(c); lines.Scan(); {
			words := strings.Fields(lines.Text())
			switch words[1] {
			case "STATUS":
				io.WriteString(c, "* STATUS "+words[2]+" (MESSAGES 2 UIDNEXT 3 UIDVALIDITY 1 UNSEEN 0)\r\n")
			case "SELECT":
				io.WriteString(c, "* 2 EXISTS\r\n* OK [UIDVALIDITY 1] .\r\n* OK [UIDNEXT 3] .\r\n")
			case "UID":
				io.WriteString(c, "* ESEARCH (TAG \""+words[0]+"\") UID ALL 1:2\r\n")
			}
			io.WriteString(c, words[0]+" OK done\r\n")
		}
	}))
	for left, want := range map[int]bool{2: true, 1: false} {
		b.folders["Trash"] = &folder{list: make([]watching.Copy, maxMessages-left)}
		if list, err := b.List(t.Context(), "Work"); (err == nil && len(list) == 2) != want {
			t.Errorf("with room for %d: %d, %v", left, len(list), err)
		}
	}
}

// What a server writes for an error is cut.
func TestLongError(t *testing.T) {
	t.Parallel()
	b := box(t, stranger(t, func(c net.Conn) {
		io.WriteString(c, "* OK [CAPABILITY IMAP4rev1] hello\r\n")
		for lines := bufio.NewScanner(c); lines.Scan(); {
			tag, command, _ := strings.Cut(lines.Text(), " ")
			says := map[string]string{"LOGIN": "OK", "CAPABILITY": "OK"}[strings.Fields(command)[0]]
			io.WriteString(c, tag+" "+cmp.Or(says, "NO "+strings.Repeat("x", 1<<20))+"\r\n")
		}
	}))
	_, err := b.Folders(t.Context())
	var no *imap.Error
	if !errors.As(err, &no) || len(err.Error()) > 400 {
		t.Errorf("%.200v", err)
	}
}

// behind returns the settings of a server behind another port, where lines are measured.
func behind(t *testing.T, s *Settings, longest *atomic.Int64) *Settings {
	t.Helper()
	through := *s
	through.Port = stranger(t, func(c net.Conn) {
		to, err := net.Dial("tcp", s.address())
		if err != nil {
			t.Error(err)
			return
		}
		defer to.Close()
		go func() { io.Copy(c, to); c.Close() }()
		for lines := bufio.NewReader(c); ; {
			line, err := lines.ReadBytes('\n')
			longest.Store(max(longest.Load(), int64(len(line))))
			if _, failed := to.Write(line); err != nil || failed != nil {
				return
			}
		}
	}).Port
	return &through
}

// Thousands of messages that do not follow each other are named in lines that servers take.
func TestLongLines(t *testing.T) {
	t.Parallel()
	s, user := server(t, everything)
	for range 1500 {
		deliver(t, user, "Work", "Subject: read\n\ntext\n", imap.FlagSeen)
		deliver(t, user, "Work", "Subject: new\n\ntext\n")
	}
	var longest atomic.Int64
	b := box(t, behind(t, s, &longest))
	if _, err := b.Folders(t.Context()); err != nil {
		t.Fatal(err)
	}
	list, err := b.List(t.Context(), "Work")
	if err != nil || len(list) != 3000 {
		t.Fatalf("%d messages, %v", len(list), err)
	}
	for _, c := range list {
		if !c.Read && c.Delivered.IsZero() {
			t.Fatalf("%s has no date", c.Key)
		}
	}
	if n := longest.Load(); n > 5000 {
		t.Errorf("a line has %d bytes", n)
	}
}
