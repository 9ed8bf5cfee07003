package milter

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/internal/gate"
)

// fake answers spam for messages with the word "casino", and fails or waits where a
// message asks for it.
type fake struct {
	mu    sync.Mutex
	asked []backend.Request
}

func (f *fake) Classify(ctx context.Context, r backend.Request, _ bool) (backend.Answer, error) {
	r.Message = bytes.Clone(r.Message)
	f.mu.Lock()
	f.asked = append(f.asked, r)
	f.mu.Unlock()
	has := func(word string) bool { return bytes.Contains(r.Message, []byte(word)) }
	switch {
	case has("please fail"):
		return backend.Answer{}, errors.New("disk on fire")
	case has("please be busy"):
		return backend.Answer{}, backend.ErrBusy
	case has("please panic"):
		panic("asked for")
	case has("please hang"):
		<-ctx.Done()
		return backend.Answer{}, ctx.Err()
	case has("please abstain"):
		return backend.Answer{Class: "spam", Unsure: true, Probability: 0.612}, nil
	case has("please quarantine"):
		return backend.Answer{Class: "junk", Probability: 0.5}, nil
	case has("please reject"):
		return backend.Answer{Class: "bad", Probability: 0.5}, nil
	case has("casino"):
		return backend.Answer{Class: "spam", Spam: true, Probability: 0.99871}, nil
	}
	return backend.Answer{Class: "ham", Probability: 0.9}, nil
}

func (f *fake) last() backend.Request {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.asked) == 0 {
		return backend.Request{}
	}
	return f.asked[len(f.asked)-1]
}

func (*fake) Learn(context.Context, backend.Request, string) (backend.Outcome, error) {
	return "", backend.ErrForbidden
}
func (*fake) Classes(context.Context, string) ([]string, error) {
	return []string{"ham", "spam"}, nil
}

// start starts a Server on a unix socket and returns its path. It ends with the test,
// which fails if it does not.
// Options are those of a Server.
type Options struct {
	Backend         backend.Backend
	Log             *slog.Logger
	Rules           []Rule
	UserFrom        UserFrom
	User            string
	TempFailOnError bool
	Limits          gate.Limits
}

func (o Options) server() *Server {
	return New(gate.Options{Backend: o.Backend, Log: o.Log, Limits: o.Limits}, Policy{o.Rules, o.UserFrom, o.User, o.TempFailOnError})
}

func start(t testing.TB, o Options) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "m.sock")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	serve(t, o, l)
	return path
}

func serve(t testing.TB, o Options, l net.Listener) (stop func()) {
	t.Helper()
	if o.Backend == nil {
		o.Backend = &fake{}
	}
	if o.Log == nil {
		o.Log = slog.New(slog.NewTextHandler(t.Output(), nil))
	}
	s := o.server()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx, l) }()
	stop = sync.OnceFunc(func() {
		cancel()
		select {
		case err := <-done:
			if err != nil {
				t.Errorf("Serve: %v", err)
			}
		case <-time.After(2 * time.Minute):
			t.Error("Serve did not end")
		}
		if held, _ := s.Memory.Used(); held != 0 {
			t.Errorf("%d bytes are still held", held)
		}
	})
	t.Cleanup(stop)
	return stop
}

// A mta speaks the server's part of the protocol.
type mta struct {
	t      testing.TB
	conn   net.Conn
	in     *bufio.Reader
	agreed session
}

const (
	allActions  = 0x1ff
	allProtocol = 0x1fffff
)

// dial connects, and negotiates unless the version is 0.
func dial(t testing.TB, path string, offer session) *mta {
	t.Helper()
	conn, err := net.Dial("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	conn.SetDeadline(time.Now().Add(2 * time.Minute))
	m := &mta{t: t, conn: conn, in: bufio.NewReader(conn)}
	if offer.version > 0 {
		m.send(cmdNegotiate, word(offer.version), word(offer.actions), word(offer.protocol))
		cmd, data := m.receive()
		if cmd != cmdNegotiate || len(data) != 12 {
			t.Fatalf("negotiation was answered by %q with %d bytes", cmd, len(data))
		}
		m.agreed = parseSession([]byte(data))
	}
	return m
}

func (m *mta) send(cmd byte, parts ...string) {
	m.t.Helper()
	if _, err := m.conn.Write(appendPacket(nil, cmd, parts...)); err != nil {
		m.t.Fatalf("sending %q: %v", cmd, err)
	}
}

func (m *mta) receive() (byte, string) {
	m.t.Helper()
	cmd, data, _, err := readPacket(m.in, nil)
	if err != nil {
		m.t.Fatalf("receiving: %v", err)
	}
	return cmd, string(data)
}

// tell sends a command that is to be answered by "continue", if by anything.
func (m *mta) tell(cmd byte, parts ...string) {
	m.t.Helper()
	m.send(cmd, parts...)
	if m.agreed.protocol&noReply[cmd] == 0 {
		if got, data := m.receive(); got != replyContinue {
			m.t.Fatalf("%q was answered by %q %q", cmd, got, data)
		}
	}
}

// closed fails the test if the other side does not close the connection.
func (m *mta) closed() {
	m.t.Helper()
	var one [1]byte
	if n, err := m.conn.Read(one[:]); n > 0 || err == nil {
		m.t.Fatalf("got %q, not the end of the connection", one)
	} else if e := net.Error(nil); errors.As(err, &e) && e.Timeout() {
		m.t.Fatal("the connection is still open")
	}
}

// A reply is what came at the end of a message, in words: "m 2 X-Polya-Class ", "h
// X-Polya-Class spam", "c".
func (m *mta) end() (replies []string) {
	m.t.Helper()
	m.send(cmdEnd)
	for {
		cmd, data := m.receive()
		words := []string{string(cmd)}
		if cmd == replyChange {
			words = append(words, fmt.Sprint(binary.BigEndian.Uint32([]byte(data))))
			data = data[4:]
		}
		for s := range strings.SplitSeq(strings.TrimSuffix(data, "\x00"), "\x00") {
			if data != "" {
				words = append(words, s)
			}
		}
		replies = append(replies, strings.Join(words, "|"))
		if strings.ContainsRune("acdrty", rune(cmd)) {
			return replies
		}
	}
}

// envelope begins a message.
func (m *mta) envelope(recipients ...string) {
	m.t.Helper()
	m.tell(cmdMail, "<sender@example.org>\x00", "SIZE=1000\x00")
	for _, to := range recipients {
		m.tell(cmdRecipient, "<"+to+">\x00")
	}
}

// header sends fields, each as it stands in a message.
func (m *mta) header(fields ...string) {
	m.t.Helper()
	for _, field := range fields {
		name, value, _ := strings.Cut(field, ":")
		if m.agreed.protocol&leadSpace == 0 {
			value = strings.TrimPrefix(value, " ")
		}
		m.tell(cmdHeader, name+"\x00", value+"\x00")
	}
}

// message sends a whole one and returns the replies at its end.
func (m *mta) message(body string, fields ...string) []string {
	m.t.Helper()
	m.envelope("bob@example.test")
	m.header(append([]string{"Subject: hello"}, fields...)...)
	if m.agreed.protocol&noEndHeader == 0 {
		m.tell(cmdEndHeader)
	}
	m.tell(cmdBody, body)
	return m.end()
}
