package milter

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/internal/gate"
)

var whole = session{6, allActions, allProtocol}

const (
	casino = "h|X-Polya-Class| spam; probability=0.9987"
	friend = "h|X-Polya-Class| ham; probability=0.9000"
)

func check(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("replies\n%q, not\n%q", got, want)
	}
}

func TestNegotiation(t *testing.T) {
	t.Parallel()
	path := start(t, Options{})
	for _, test := range []struct{ offer, want session }{
		{session{6, allActions, allProtocol}, session{6, 0x11, 0x1ff3c3}},
		{session{2, 0x3f, 0x7f}, session{2, 0x11, 0x43}},
		{session{3, 0x1f, 0x3}, session{3, 0x11, 0x3}},
		{session{4, 0x1f, 0x80}, session{4, 0x11, 0x80}},
		{session{5, 0x01, 0x80100}, session{5, 0x01, 0x80100}},
		{session{99, 0, 0}, session{6, 0, 0}},
	} {
		m := dial(t, path, test.offer)
		if m.agreed != test.want {
			t.Errorf("offered %x, agreed on %x, not %x", test.offer, m.agreed, test.want)
		}
		for range 2 {
			got := m.message("casino", "x-polya-class:ham")
			if test.offer.actions&0x11 == 0x11 && len(got) != 3 || got[len(got)-1] != "c" {
				t.Errorf("offered %x: replies %q", test.offer, got)
			}
		}
	}
	t.Run("quarantine", func(t *testing.T) {
		t.Parallel()
		path := start(t, Options{Rules: []Rule{{Action: Quarantine}}})
		if m := dial(t, path, whole); m.agreed.actions != 0x31 {
			t.Errorf("actions %x, without the quarantine", m.agreed.actions)
		}
		m := dial(t, path, session{6, 0x11, allProtocol})
		check(t, m.message("casino"), casino, "c") // delivered, as there is none
	})
	t.Run("version 1", func(t *testing.T) {
		t.Parallel()
		m := dial(t, path, session{})
		m.send(cmdNegotiate, word(1), word(1), word(0))
		m.closed()
	})
}

// Every version and mask gives the same message to the backend, but for a space that
// servers without leadSpace have taken away.
func TestMessage(t *testing.T) {
	t.Parallel()
	back := &fake{}
	path := start(t, Options{Backend: back})
	for _, offer := range []session{whole, {2, 0x3f, 0x7f}, {6, allActions, 0}, {6, allActions, allProtocol &^ noReply[cmdBody]}} {
		m := dial(t, path, offer)
		m.envelope("bob@example.test")
		m.header("From: a@example.org", "Subject: a\n folded\r\n\tone", "Empty:", "Tight:x")
		if m.agreed.protocol&noEndHeader == 0 {
			m.tell(cmdEndHeader)
		}
		m.tell(cmdBody, "one\r\n")
		m.tell(cmdBody, "two\r\n")
		check(t, m.end(), strings.Replace(friend, "| ", map[bool]string{true: "| ", false: "|"}[m.agreed.protocol&leadSpace != 0], 1), "c")
		want := "From: a@example.org\r\nSubject: a\r\n folded\r\n\tone\r\nEmpty:\r\nTight:x\r\n\r\none\r\ntwo\r\n"
		if m.agreed.protocol&leadSpace == 0 {
			want = strings.NewReplacer("Empty:", "Empty: ", "Tight:", "Tight: ").Replace(want)
		}
		if got := back.last(); string(got.Message) != want || got.Source != "milter" || got.User != "" {
			t.Errorf("offered %x: backend was asked\n%q, not\n%q", offer, got.Message, want)
		}
	}
}

func TestForged(t *testing.T) {
	t.Parallel()
	back := &fake{}
	m := dial(t, start(t, Options{Backend: back}), whole)
	got := m.message("casino", "X-Polya-Class: ham; probability=1.0000", "Other: x", "x-POLYA-class:ham\n folded", "X-Polya-Class : ham", "X-Polya-Classes: 1")
	check(t, got, "m|3|X-Polya-Class|", "m|2|X-Polya-Class|", "m|1|X-Polya-Class|", casino, "c")
	if text := string(back.last().Message); strings.Contains(text, "ham") || !strings.Contains(text, "Classes") {
		t.Errorf("the backend saw %q", text)
	}
	check(t, m.message("please fail", "X-Polya-Class: ham"), "m|1|X-Polya-Class|", "c")
	check(t, m.message("casino", slices.Repeat([]string{"X-Polya-Class: ham"}, maxForged+1)...), "y|550 5.7.1 Message has too many X-Polya-Class fields")
	check(t, m.message("casino"), casino, "c")
}

func TestRules(t *testing.T) {
	t.Parallel()
	m := dial(t, start(t, Options{Rules: []Rule{
		{Class: "ham", Action: Deliver},
		{Class: "spam", Above: 0.999, Action: Reject},
		{Class: "spam", Above: 0.99, Action: TempFail, Text: "100% spam"},
		{Class: "spam", Above: 0.5, Action: Reject},
	}}), whole)
	check(t, m.message("casino"), "y|451 4.7.1 100%% spam")
	check(t, m.message("friend"), "h|X-Polya-Class| ham; probability=0.9000", "c")
	check(t, m.message("please abstain"), "h|X-Polya-Class| unsure; class=spam; probability=0.6120", "c")
	m = dial(t, start(t, Options{Rules: []Rule{{Above: 0.95, Action: Reject}, {Class: "ham", Action: Quarantine}}}), whole)
	check(t, m.message("casino"), "y|550 5.7.1 Message rejected by its contents")
	check(t, m.message("friend"), friend, "q|classified as ham; probability=0.9000", "c")
	check(t, m.message("please abstain"), "h|X-Polya-Class| unsure; class=spam; probability=0.6120", "c")
	for _, r := range []Rule{{}, {Action: Reject, Above: 1.5}, {Action: Reject, Text: "a\r\nb"}, {Action: Reject, Text: strings.Repeat("a", 500)}} {
		if r.Check() == nil {
			t.Errorf("%+v gave no error", r)
		}
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	for _, tempfail := range []bool{false, true} {
		m := dial(t, start(t, Options{TempFailOnError: tempfail, Limits: gate.Limits{AnswerTime: 20 * time.Millisecond}}), whole)
		want := map[bool][]string{false: {"c"}, true: {"t"}}[tempfail]
		for _, text := range []string{"please fail", "please be busy", "please hang"} {
			check(t, m.message(text), want...)
		}
		check(t, m.message("casino"), casino, "c")
		m.envelope("bob@example.test")
		m.header("Subject: please panic")
		m.send(cmdEnd)
		m.closed() // and the server lives:
	}
}

func TestUser(t *testing.T) {
	t.Parallel()
	back := &fake{}
	for _, test := range []struct {
		options Options
		auth    string
		to      []string
		want    string
	}{
		{Options{}, "eve", []string{"bob@example.test"}, ""},
		{Options{User: "all"}, "eve", []string{"bob@example.test"}, "all"},
		{Options{UserFrom: Recipient}, "eve", []string{"bob@example.test"}, "bob@example.test"},
		{Options{UserFrom: Recipient}, "", []string{"bob@example.test", "BOB@example.test"}, "bob@example.test"},
		{Options{UserFrom: Recipient, User: "all"}, "", []string{"bob@example.test", "eve@example.test"}, "all"},
		{Options{UserFrom: Authenticated}, "eve", []string{"bob@example.test"}, "eve"},
		{Options{UserFrom: Authenticated}, "", []string{"bob@example.test"}, ""},
	} {
		test.options.Backend = back
		m := dial(t, start(t, test.options), whole)
		for _, macros := range []bool{true, false} {
			if test.auth != "" {
				m.send(cmdMacros, "M", "i\x00", "QUEUEID\x00", "{auth_authen}\x00", test.auth+"\x00", "{auth_type}\x00", "PLAIN\x00")
			}
			m.tell(cmdMail, "<a@example.org>\x00")
			for _, to := range test.to {
				if macros {
					m.send(cmdMacros, "R", "{rcpt_addr}\x00", to+"\x00")
					m.tell(cmdRecipient, "<alias@example.test>\x00", "NOTIFY=NEVER\x00")
				} else {
					m.tell(cmdRecipient, "<"+to+">\x00")
				}
			}
			m.tell(cmdBody, "hello")
			m.end()
			if got := back.last().User; got != test.want {
				t.Errorf("%+v to %v, macros %v: user %q, not %q", test.options, test.to, macros, got, test.want)
			}
		}
		// The login of one message does not apply to the next.
		m.tell(cmdMail, "<a@example.org>\x00")
		m.tell(cmdBody, "hello")
		m.end()
		if got := back.last().User; got != test.options.User {
			t.Errorf("%+v: then user %q", test.options, got)
		}
	}
}

// A conversation goes on after everything that may come between two messages.
func TestSequences(t *testing.T) {
	t.Parallel()
	for _, offer := range []session{whole, {2, 0x3f, 0}} {
		back := &fake{}
		m := dial(t, start(t, Options{Backend: back}), offer)
		m.send(cmdMacros, "C", "j\x00", "mail.example.test\x00", "odd\x00")
		m.tell(cmdConnect, "client.example.org\x00", "4", "\x12\x34", "192.0.2.1\x00")
		m.tell(cmdHelo, "client.example.org\x00")
		m.tell(cmdUnknown, "XYZZY\x00")
		m.message("one")
		m.send(cmdAbort)
		m.envelope("bob@example.test")
		m.tell(cmdUnknown, "XYZZY\x00")
		m.send(cmdAbort) // RSET
		m.envelope("bob@example.test")
		m.tell(cmdData)
		m.header("Subject: casino", "X-Polya-Class: ham")
		m.send(cmdAbort) // the client is gone in the middle of the data
		if got := m.message("two"); len(got) != 2 {
			t.Errorf("replies %q: something was left of the message before", got)
		}
		m.send(cmdQuitNew)
		m.tell(cmdConnect, "client.example.org\x00", "U")
		m.message("three")
		m.send(cmdMacros)
		m.send(cmdMacros, "E", "i\x00")
		m.message("four")
		if text := string(back.last().Message); !strings.HasSuffix(text, "\r\n\r\nfour") || strings.Contains(text, "casino") || len(back.asked) != 4 {
			t.Errorf("%d messages, the last is %q", len(back.asked), text)
		}
		m.send(cmdQuit)
		m.closed()
	}
}

// An offer is three words, and nothing behind the end of a shorter one is read.
func TestShortNegotiation(t *testing.T) {
	t.Parallel()
	s := Options{Backend: &fake{}}.server()
	offer := []byte(word(6) + word(allActions) + word(allProtocol))
	for n := range len(offer) + 1 {
		c := newConversation(s, nil)
		if err := c.negotiate(offer[:n:n]); errors.Is(err, errPacket) != (n < 12) || c.negotiated != (n == 12) {
			t.Errorf("an offer of %d bytes: %v", n, err)
		}
	}
}

func TestNoise(t *testing.T) {
	t.Parallel()
	path := start(t, Options{})
	for _, noise := range []string{"GET / HTTP/1.1\r\n\r\n", "\x00\x00\x00\x00Q", "\xff\xff\xff\xffL", "\x00\x00\x00\x01M", "\x00\x00\x00\x05O1234", "\x00\x00\x00\x01z"} {
		m := dial(t, path, session{})
		m.conn.Write([]byte(noise))
		m.closed()
	}
	m := dial(t, path, whole)
	m.send('z')
	m.closed()
	// A packet that is cut off, by one who leaves.
	m = dial(t, path, whole)
	m.conn.Write([]byte("\x00\x00\x10\x00Lhalf"))
	m.conn.Close()
	check(t, dial(t, path, whole).message("casino"), casino, "c")
}

func TestLongMessages(t *testing.T) {
	t.Parallel()
	back := &fake{}
	path := start(t, Options{Backend: back, Limits: gate.Limits{Message: 100_000}})
	m := dial(t, path, whole)
	// A field that is longer than a packet is kept does not hide what comes after it.
	check(t, m.message("casino", "Long: "+strings.Repeat("x", 3_000_000), "X-Polya-Class: ham"), "m|1|X-Polya-Class|", casino, "c")
	if text := back.last(); !text.Cut {
		t.Error("nothing tells that the end of the field was not kept")
	}
	chunk := strings.Repeat("padding\r\n", 6500)
	for range 3 {
		m.envelope("bob@example.test")
		m.header("Subject: beginning")
		for range 3 {
			m.tell(cmdBody, chunk)
		}
		m.tell(cmdBody, "the casino at the end\r\n")
		check(t, m.end(), casino, "c")
		got := back.last()
		if n := len(got.Message); n > 100_000 || n < 90_000 || !got.Cut || !strings.HasPrefix(string(got.Message), "Subject: beginning\r\n\r\n") ||
			strings.Count(string(got.Message), "padding\r\n") != (n-45)/9 {
			t.Errorf("the backend saw %d bytes, cut: %v", n, got.Cut)
		}
	}
}

// Whoever holds memory, a message of usual size is read whole, and a longer one is refused
// for now rather than judged by a part of it.
func TestHeldMemory(t *testing.T) {
	t.Parallel()
	back := &fake{}
	memory := gate.NewMemory(1<<20, 200_000)
	memory.Patience = 0
	path := start(t, Options{Backend: back, Limits: gate.Limits{Message: 200_000, Memory: memory}})
	chunk := strings.Repeat("casino\r\n", 8191)
	var all []*mta
	for range 19 {
		m := dial(t, path, session{6, allActions, 0})
		m.envelope("bob@example.test")
		m.header("Subject: hog")
		m.tell(cmdEndHeader)
		for range 3 {
			m.tell(cmdBody, chunk)
		}
		all = append(all, m)
	}
	usual := dial(t, path, whole)
	check(t, usual.message("casino "+strings.Repeat("x", 30_000)+" end"), casino, "c")
	if got := back.last(); got.Cut || !strings.HasSuffix(string(got.Message), " end") {
		t.Errorf("the backend saw %d bytes, cut: %v", len(got.Message), got.Cut)
	}
	check(t, usual.message("casino"), casino, "c")
	refused := 0
	for _, m := range all {
		if end := m.end(); len(end) == 1 && end[0] == "t" {
			refused++
		}
	}
	if refused != 15 {
		t.Errorf("%d of %d long messages were refused for now", refused, len(all))
	}
	check(t, usual.message(chunk), casino, "c")
}

func TestDeadlines(t *testing.T) {
	t.Parallel()
	o := Options{Limits: gate.Limits{HeaderTime: 2 * time.Second, MessageTime: time.Second}}
	path := start(t, o)
	idle, envelope, content, drip := dial(t, path, session{}), dial(t, path, whole), dial(t, path, whole), dial(t, path, whole)
	envelope.envelope("bob@example.test")
	content.envelope("bob@example.test")
	content.header("Subject: x")
	content.closed()
	envelope.closed()
	idle.closed()
	drip.conn.Write(appendPacket(nil, cmdMail, strings.Repeat("x", 10_000))[:5])
	for begin := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		if _, err := drip.conn.Write([]byte{'x'}); err != nil {
			break
		}
		if time.Since(begin) > 15*time.Second {
			t.Fatal("a client that drips is not cut off")
		}
	}
	// One who does not read the replies.
	deaf := dial(t, path, session{6, allActions, 0})
	for range 1_000_000 {
		if _, err := deaf.conn.Write(appendPacket(nil, cmdHelo, "x\x00")); err != nil {
			return
		}
	}
	t.Error("a client that does not read was never cut off")
}

func TestConnections(t *testing.T) {
	t.Parallel()
	path := start(t, Options{Limits: gate.Limits{Connections: 3}})
	var in []*mta
	for range 3 {
		in = append(in, dial(t, path, whole))
	}
	for range 3 {
		m := dial(t, path, session{})
		m.closed()
	}
	in[0].conn.Close()
	for {
		conn, err := net.Dial("unix", path)
		if err != nil {
			t.Fatal(err)
		}
		conn.Write(appendPacket(nil, cmdNegotiate, word(6), word(0), word(0)))
		conn.SetDeadline(time.Now().Add(2 * time.Minute))
		n, _ := conn.Read(make([]byte, 17))
		conn.Close()
		if n == 17 {
			break // the place of the one that left
		}
	}
	check(t, in[1].message("casino"), casino, "c")
}

// A server that is told to stop lets go of idle connections at once and finishes messages.
func TestStop(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "m.sock")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	stop := serve(t, Options{}, l)
	idle, busy := dial(t, path, whole), dial(t, path, whole)
	busy.message("before")
	busy.envelope("bob@example.test")
	busy.header("Subject: casino")
	idle.message("x")
	done := make(chan bool)
	go func() { stop(); close(done) }()
	idle.closed()
	busy.tell(cmdBody, "casino")
	check(t, busy.end(), casino, "c")
	busy.closed()
	<-done
	if _, err := os.Stat(path); err == nil {
		t.Error("the socket is still there")
	}
}

func TestListenerFails(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := Options{Backend: &fake{}}.server()
	l.Close()
	if err := s.Serve(context.Background(), l); err == nil {
		t.Error("no error for a listener that is closed")
	}
}

func TestIdleConnections(t *testing.T) {
	t.Parallel()
	path := start(t, Options{})
	var idle []*mta
	for range 300 {
		idle = append(idle, dial(t, path, whole))
	}
	for i, m := range idle {
		if got := m.message(fmt.Sprint("casino ", i)); len(got) != 2 {
			t.Fatal(got)
		}
	}
}

var _ backend.Backend = &fake{}
