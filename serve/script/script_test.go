package script

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/polya-classifier/polya/serve/access"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/internal/gate"
)

// fake knows messages by their subject. It has learned them by heart, for each user.
type fake struct {
	mu      sync.Mutex
	learned map[string]string // user, a space, and subject: class
	texts   []string
	cut     bool
}

func (f *fake) key(r backend.Request) (string, error) {
	text := string(r.Message)
	f.texts = append(f.texts, text)
	f.cut = r.Cut
	if strings.Contains(text, "please fail") {
		return "", errors.New("disk on fire")
	}
	_, subject, _ := strings.Cut("\n"+text, "\nSubject: ")
	subject, _, _ = strings.Cut(subject, "\n")
	return r.User + " " + strings.TrimRight(subject, "\r"), nil
}

func (f *fake) Classify(ctx context.Context, r backend.Request, _ bool) (backend.Answer, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if strings.HasPrefix(r.User, "nobody") { // who has the answer of the shared database
		r.User = ""
	}
	key, err := f.key(r)
	if strings.HasSuffix(key, "please hang") {
		<-ctx.Done()
		return backend.Answer{}, ctx.Err()
	}
	class := f.learned[key]
	return backend.Answer{Class: class, Probability: 0.99871, Unsure: class == ""}, err
}

func (f *fake) Learn(_ context.Context, r backend.Request, class string) (backend.Outcome, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if class != "spam" && class != "ham" && class != "" {
		return "", backend.ErrClass
	}
	key, err := f.key(r)
	if class == "" {
		delete(f.learned, key)
		return backend.Forgotten, err
	}
	if err == nil {
		f.learned[key] = class
	}
	return backend.Learned, err
}

func (*fake) Classes(context.Context, string) ([]string, error) { return nil, nil }

func (f *fake) all() map[string]string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return maps.Clone(f.learned)
}

func serve(t testing.TB, o gate.Options, l net.Listener) (stop func()) {
	t.Helper()
	o.Log = slog.New(slog.NewTextHandler(t.Output(), nil))
	s := New(o)
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
	})
	t.Cleanup(stop)
	return stop
}

func start(t *testing.T, o gate.Options) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "polya")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	serve(t, o, l)
	return path
}

type halfCloser interface {
	net.Conn
	CloseWrite() error
}

func dial(t *testing.T, network, address string) halfCloser {
	t.Helper()
	conn, err := net.Dial(network, address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	conn.SetDeadline(time.Now().Add(2 * time.Minute))
	return conn.(halfCloser)
}

// say sends text as it is, and returns the answer.
func say(t *testing.T, network, address, text string) string {
	t.Helper()
	conn := dial(t, network, address)
	conn.Write([]byte(text)) // which the other side may not want to read to the end
	conn.CloseWrite()
	answer, err := io.ReadAll(conn)
	if err != nil && len(answer) == 0 {
		t.Fatal(err)
	}
	return string(answer)
}

func request4(user, message string, args ...string) string {
	return "VERSION\tscript\t4\t0\nenv_USER=" + user + "\nenv_HOME=/home\nalarm=10\n-\n" + strings.Join(args, "\n") + "\n\n" + message
}

func TestScript(t *testing.T) {
	t.Parallel()
	back := &fake{learned: map[string]string{" hello": "ham"}}
	path := start(t, gate.Options{Backend: back})
	const message = "Subject: hello\r\n\r\nworld\r\n"
	for _, test := range []struct{ text, want string }{
		{request4("bob", message, "classify"), "unsure; class=; probability=0.9987+\n"},
		{request4("bob", message, "learn", "spam"), "+\n"},
		{request4("bob", message, "classify"), "spam; probability=0.9987+\n"},
		{request4("bob", message, "is", "spam"), "+\n"},
		{request4("bob", message, "is", "spam", "0.99"), "+\n"},
		{request4("bob", message, "is", "spam", "0.999"), "-\n"},
		{request4("bob", message, "is", "ham"), "-\n"},
		{request4("bob", message, "is", "spam", "2"), "-\n"},
		{request4("bob", message, "is", "spam", "NaN"), "-\n"},
		{request4("bob", message, "is", "spam", "x"), "-\n"},
		{request4("bob", message, "is"), "-\n"},
		{request4("carol", message, "is", ""), "-\n"},
		{request4("nobody", message, "is", "ham"), "+\n"},
		{request4("eve", message, "learn", "ham"), "+\n"},
		{request4("eve", message, "classify"), "ham; probability=0.9987+\n"},
		{request4("nobody", message, "classify"), "ham; probability=0.9987+\n"},
		{request4("o\x01tl\x011e", message, "learn", "spam"), "+\n"},
		{request4("bob", message, "forget"), "+\n"},
		{"VERSION\tscript\t3\t0\n-\nclassify\n\n" + message, "ham; probability=0.9987+\n"},
		{"VERSION\tscript\t3\t0\nnoreply\nlearn\nspam\n\nSubject: old\n\n", ""},
		{request4("bob", message, "learn", "nonsense"), "-\n"},
		{request4("bob", message, "learn"), "-\n"},
		{request4("bob", message, "learn", "spam", "now"), "-\n"},
		{request4("bob", message, "classify", "bob"), "-\n"},
		{request4("bob", message), "-\n"},
		{request4("bob", message, "drop", "tables"), "-\n"},
		{request4("bob", "Subject: please fail\n\n", "classify"), "-\n"},
		{request4("bob", "Subject: please fail\n\n", "learn", "spam"), "-\n"},
		{request4("bob", "Subject: please fail\n\n", "forget"), "-\n"},
		{"", "-\n"},
		{"VERSION\tscript\t4\t0\nenv_USER=bob\n-\nlearn\nspam", "-\n"},
		{"VERSION\tscript\t5\t0\n-\nclassify\n\n", "-\n"},
		{"VERSION\tauth\t4\t0\n-\nclassify\n\n", "-\n"},
		{"GET / HTTP/1.1\r\n\r\n", "-\n"},
		{"VERSION\tscript\t4\t0\n" + strings.Repeat("x", 10_000), "-\n"},
		{"VERSION\tscript\t4\t0\n" + strings.Repeat("env_A=b\n", 100), "-\n"},
		{"VERSION\tscript\t4\t0\n-\n" + strings.Repeat("b\n", 100), "-\n"},
	} {
		if got := say(t, "unix", path, test.text); got != test.want {
			t.Errorf("%.100q was answered by %q, not %q", test.text, got, test.want)
		}
	}
	want := map[string]string{" hello": "ham", "eve hello": "ham", "o\tl\x01e hello": "spam", " old": "spam"}
	if got := back.all(); !maps.Equal(got, want) {
		t.Errorf("learned %q, not %q", got, want)
	}
}

// The log does not tell of who only looks whether anybody listens, as a check of the configuration does.
func TestOnlyLooked(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "VERSION\tscript\t4\t0\n"} {
		var log bytes.Buffer
		s := New(gate.Options{Backend: &fake{}, Log: slog.New(slog.NewTextHandler(&log, nil))})
		client, server := net.Pipe()
		go func() {
			client.Write([]byte(text))
			client.Close()
		}()
		s.converse(t.Context(), server)
		if (log.Len() > 0) != (text != "") {
			t.Errorf("after %q the log has %q", text, &log)
		}
	}
}

func TestMayLearn(t *testing.T) {
	t.Parallel()
	back := &fake{learned: map[string]string{"bob a": "spam"}}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Skip("no network: ", err)
	}
	serve(t, gate.Options{Backend: back}, l)
	path := start(t, gate.Options{Backend: back, MayTeach: func(c access.Caller) bool { return c.User == "eve" && c.UID == os.Getuid() }})
	for _, test := range []struct{ network, address, user, verb, want string }{
		{"tcp", l.Addr().String(), "bob", "learn\nham", "-\n"},
		{"tcp", l.Addr().String(), "bob", "forget", "-\n"},
		{"tcp", l.Addr().String(), "bob", "is\nspam", "+\n"},
		{"unix", path, "bob", "learn\nham", "-\n"},
		{"unix", path, "bob", "forget", "-\n"},
		{"unix", path, "eve", "learn\nham", "+\n"},
	} {
		if got := say(t, test.network, test.address, request4(test.user, "Subject: a\n\n", test.verb)); got != test.want {
			t.Errorf("%v was answered by %q", test, got)
		}
	}
	if got := back.all(); !maps.Equal(got, map[string]string{"bob a": "spam", "eve a": "ham"}) {
		t.Errorf("learned %q", got)
	}
}

func TestLongMessage(t *testing.T) {
	t.Parallel()
	back := &fake{learned: map[string]string{"bob long": "spam"}}
	path := start(t, gate.Options{Backend: back, Limits: gate.Limits{Message: 1000}})
	message := "Subject: long\n\n" + strings.Repeat("x\n", 1_500_000) + "the end"
	if got := say(t, "unix", path, request4("bob", message, "classify")); got != "spam; probability=0.9987+\n" {
		t.Errorf("answer %q", got)
	}
	if got := back.texts[0]; len(got) < 990 || len(got) > 1000 || !strings.HasPrefix(got, "Subject: long\n\n") || !strings.HasSuffix(got, "the end") || !back.cut {
		t.Errorf("the backend saw %d bytes, cut: %v", len(got), back.cut)
	}
	memory := gate.NewMemory(1<<20, 1<<20)
	memory.Patience = 0
	hog := memory.NewExcerpt(1 << 20)
	defer hog.Free()
	hog.Write(make([]byte, 1<<20))
	path = start(t, gate.Options{Backend: back, Limits: gate.Limits{Memory: memory}})
	if got := say(t, "unix", path, request4("bob", message, "classify")); got != "-\n" {
		t.Errorf("a message for which there is no memory was answered by %q", got)
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	back := &fake{learned: map[string]string{"bob a": "spam"}}
	path := start(t, gate.Options{Backend: back, Limits: gate.Limits{Connections: 2, MessageTime: 3 * time.Second, AnswerTime: 20 * time.Millisecond}})
	if got := say(t, "unix", path, request4("bob", "Subject: please hang\n\n", "classify")); got != "-\n" {
		t.Errorf("answer %q", got)
	}
	idle, drip := dial(t, "unix", path), dial(t, "unix", path)
	if got, _ := io.ReadAll(dial(t, "unix", path)); string(got) != "-\n" {
		t.Errorf("the third of two connections was answered by %q", got)
	}
	for begin := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		if _, err := drip.Write([]byte("V")); err != nil {
			break
		}
		if time.Since(begin) > 15*time.Second {
			t.Fatal("a client that drips is not cut off")
		}
	}
	if got, _ := io.ReadAll(idle); string(got) != "-\n" {
		t.Errorf("an idle client was answered by %q", got)
	}
	for say(t, "unix", path, request4("bob", "Subject: a\n\n", "classify")) != "spam; probability=0.9987+\n" {
		time.Sleep(time.Millisecond) // until both are gone
	}
}

func TestStop(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "polya")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	stop := serve(t, gate.Options{Backend: &fake{learned: map[string]string{"bob a": "spam"}}}, l)
	busy := dial(t, "unix", path)
	io.WriteString(busy, request4("bob", "Subject: a\n", "classify"))
	say(t, "unix", path, request4("bob", "Subject: b\n\n", "classify")) // which was accepted after the one above
	stopped := make(chan bool)
	go func() { stop(); close(stopped) }()
	for {
		c, err := net.Dial("unix", path)
		if err != nil {
			break
		}
		c.Close()
	}
	io.WriteString(busy, "\nbody\n")
	busy.CloseWrite()
	if got, _ := io.ReadAll(busy); string(got) != "spam; probability=0.9987+\n" {
		t.Errorf("the request in hand was answered by %q", got)
	}
	<-stopped
}

func FuzzRequest(f *testing.F) {
	f.Add([]byte(request4("bob", "Subject: a\n\nx", "learn", "spam")), 100)
	f.Add([]byte("VERSION\tscript\t3\t0\nnoreply\n\n"), 1)
	f.Add([]byte("VERSION\tscript\t4\t0\nenv_USER=\x01t\x01\n-\nx\x011\n\n"), 0)
	f.Fuzz(func(t *testing.T, data []byte, limit int) {
		limit = min(max(limit, 1), 1<<20)
		memory := gate.NewMemory(1<<24, 1<<20)
		excerpt := memory.NewExcerpt(limit)
		r, err := readRequest(newReader(bytes.NewReader(data)), excerpt)
		if len(r.Message) > limit || len(r.args) > maxLines {
			t.Fatalf("%d bytes, %d arguments", len(r.Message), len(r.args))
		}
		if err != nil || len(data) > maxLine/2 { // or it could get too long when it is escaped
			return
		}
		if !r.Cut && !bytes.HasSuffix(data, append([]byte("\n"), r.Message...)) {
			t.Errorf("message %q of %q", r.Message, data)
		}
		for _, arg := range append(r.args, r.User) {
			if len(arg) > maxLine {
				t.Errorf("argument of %d bytes", len(arg))
			}
		}
		// What was read, written again, is read as the same.
		escape := strings.NewReplacer("\x01", "\x011", "\x00", "\x010", "\t", "\x01t", "\n", "\x01n", "\r", "\x01r").Replace
		text := "VERSION\tscript\t4\t0\nenv_USER=" + escape(r.User) + "\n" + map[bool]string{false: "-\n", true: "noreply\n"}[r.noReply]
		for _, arg := range r.args {
			text += escape(arg) + "\n"
		}
		again, err := readRequest(newReader(strings.NewReader(text+"\n"+string(r.Message))), memory.NewExcerpt(limit))
		r.Cut = false // what is left is short enough
		if err != nil || fmt.Sprintf("%+v", again) != fmt.Sprintf("%+v", r) {
			t.Errorf("%+v became %+v (%v)", r, again, err)
		}
	})
}

// fixed gives every message the same answer.
type fixed struct {
	fake
	answer backend.Answer
}

func (f *fixed) Classify(context.Context, backend.Request, bool) (backend.Answer, error) {
	return f.answer, nil
}

// A script is told that a message is of a class only if the answer is that class, is not
// unsure, and is as probable as the script asks.
func TestIs(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		answer backend.Answer
		args   []string
		want   error
	}{
		{backend.Answer{Class: "spam", Probability: .75}, []string{"spam"}, nil},
		{backend.Answer{Class: "spam", Probability: .75}, []string{"ham"}, errNot},
		{backend.Answer{Class: "spam", Probability: .75, Unsure: true}, []string{"spam"}, errNot},
		{backend.Answer{Class: "spam", Probability: 1, Unsure: true}, []string{"spam", ".5"}, errNot},
		{backend.Answer{Class: "spam", Probability: .75}, []string{"spam", ".75"}, nil},
		{backend.Answer{Class: "spam", Probability: .75}, []string{"spam", ".76"}, errNot},
		{backend.Answer{Class: "spam", Probability: .75}, []string{"spam", "1.1"}, errRequest},
		{backend.Answer{Class: "spam", Probability: .75}, []string{"spam", "NaN"}, errRequest},
	} {
		s := New(gate.Options{Backend: &fixed{answer: test.answer}})
		if err := s.is(t.Context(), backend.Request{}, test.args); !errors.Is(err, test.want) {
			t.Errorf("%+v, %q: %v, want %v", test.answer, test.args, err, test.want)
		}
	}
}

// The head of a request has at most 64 lines after its version, however many are sent.
func TestManyLines(t *testing.T) {
	t.Parallel()
	for lines, want := range map[int]error{3: nil, maxLines: nil, maxLines + 1: errRequest, 1 << 16: errRequest} {
		head := "VERSION\tscript\t4\t0\n" + strings.Repeat("env_X=1\n", lines-3) + "-\nclassify\n\n"
		var r request
		if err := r.readHead(bufio.NewReader(strings.NewReader(head))); !errors.Is(err, want) {
			t.Errorf("%d lines: %v, want %v", lines, err, want)
		}
	}
}
