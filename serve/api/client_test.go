package api

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/polya-classifier/polya/serve/api/client"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/engine"
	"github.com/polya-classifier/polya/serve/internal/gate"
	"github.com/polya-classifier/polya/serve/internal/servetest"
	"github.com/polya-classifier/polya/store"
)

// listen makes a socket with a short name; long names are impossible.
func listen(t *testing.T) (net.Listener, string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "control")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	path := client.Path(filepath.Join(dir, "p"))
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l, path
}

// empty returns an engine without a database.
func empty(t *testing.T, o engine.Options) *engine.Engine {
	t.Helper()
	o.Path = filepath.Join(t.TempDir(), "mail.polya")
	e, err := engine.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

// serve serves commands, and returns a client.
func serve(t *testing.T, b backend.Backend, o Options) *client.Client {
	t.Helper()
	l, path := listen(t)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	o.Backend = b
	o.Engine, o.Commands = cmp.Or(o.Engine, empty(t, engine.Options{})), true
	go func() { done <- New(o).Serve(ctx, l) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return &client.Client{Path: path, Timeout: 10 * time.Second}
}

// A command that does not wait for a database in use asks the daemon that has it all the same.
func TestNoTimeToWait(t *testing.T) {
	t.Parallel()
	path := serve(t, &servetest.Backend{}, Options{}).Path
	if _, err := client.Of(strings.TrimSuffix(path, client.Path("")), 1).Classify(t.Context(), backend.Request{Message: []byte("a")}, false); err != nil {
		t.Error(err)
	}
}

// What the client returns is what the backend behind the server returns.
func TestClient(t *testing.T) {
	t.Parallel()
	b := &servetest.Backend{}
	c := serve(t, b, Options{})
	ctx := t.Context()
	for _, message := range []string{"", "Subject: x\n\nplum\n", "Subject: x\n\nperhaps", "a: b\r\n\r\n\x00\xff\n", strings.Repeat("long\n", 1<<20)} {
		r := backend.Request{Message: []byte(message), Source: "a \"source\"\n"}
		want, _ := b.Classify(ctx, r, false)
		if got, err := c.Classify(ctx, r, false); err != nil || got.Class != want.Class || got.Unsure != want.Unsure || got.Spam != want.Spam ||
			got.Probability != want.Probability || got.Score != want.Score || got.Threshold != want.Threshold {
			t.Errorf("%.20q: %+v, want %+v: %v", message, got, want, err)
		}
	}
	r := backend.Request{Message: []byte("Subject: y\n\nbody"), Source: "by \"hand\"\n"}
	for i, want := range []backend.Outcome{backend.Learned, backend.Unchanged} {
		if got, err := c.Learn(ctx, r, "werbung"); got != want || err != nil {
			t.Errorf("learn %d: %v, %v", i, got, err)
		}
	}
	if calls := b.Calls(); calls[len(calls)-1].Source != r.Source {
		t.Errorf("source %q", calls[len(calls)-1].Source)
	}
	if got, err := c.Learn(ctx, r, ""); got != backend.Forgotten || err != nil {
		t.Errorf("forget: %v, %v", got, err)
	}
	if _, err := c.Learn(ctx, r, "a \"class\"\nthat is none"); !errors.Is(err, backend.ErrClass) {
		t.Errorf("unknown class: %v", err)
	}
}

// Errors arrive as what they are, and limits are kept.
func TestErrors(t *testing.T) {
	t.Parallel()
	fails := errors.New("disk\nfull")
	c := serve(t, &servetest.Backend{Before: func(context.Context, backend.Request) error { return fails }}, Options{Options: gate.Options{Limits: gate.Limits{Message: 100}}})
	if _, err := c.Classify(t.Context(), backend.Request{}, false); err == nil || err.Error() != fails.Error() {
		t.Errorf("%v", err)
	}
	for _, size := range []int{101, 10 << 20} {
		if _, err := c.Classify(t.Context(), backend.Request{Message: make([]byte, size)}, false); !errors.Is(err, backend.ErrSize) {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
	for _, request := range []string{
		"GET / HTTP/1.0\r\nHost: polya\r\n\r\n", "GET /v1/classify HTTP/1.0\r\n\r\n", "POST /v1/dump HTTP/1.0\r\n\r\n",
		"POST /v1/train HTTP/1.0\r\n\r\n", "GET /v1/classes?file=none.polya HTTP/1.0\r\n\r\n", "polya1 classes 0 \"\"\n",
		"GET /v1/decisions?limit=-1 HTTP/1.0\r\n\r\n", "GET /v1/decisions?limit=x HTTP/1.0\r\n\r\n",
	} {
		reply, err := said(c.Path, request)
		if status, _, _ := strings.Cut(reply, "\r\n"); err != nil || !regexp.MustCompile(`^HTTP/1\.[01] 4\d\d `).MatchString(status) {
			t.Errorf("%.30q: %q, %v", request, reply, err)
		}
	}
}

// said sends a request and returns the reply.
func said(path, request string) (string, error) {
	c, err := net.Dial("unix", path)
	if err != nil {
		return "", err
	}
	defer c.Close()
	if _, err := io.WriteString(c, request); err != nil {
		return "", err
	}
	b, err := io.ReadAll(c)
	return string(b), err
}

// Where there is no daemon, or one that is stuck, the client says so in time.
func TestAbsent(t *testing.T) {
	t.Parallel()
	l, path := listen(t)
	go func() {
		for _, reply := range []string{"", "HTTP/1.1 ", "HTTP/1.1 200 OK\r\n\r\n{", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{}", "error what?\n", "HTTP/1.1 404 Not Found\r\n\r\n404 page not found\n"} {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			conn.Read(make([]byte, 10))
			io.WriteString(conn, reply)
			conn.Close()
		}
	}()
	c := &client.Client{Path: path, Timeout: 200 * time.Millisecond}
	for range 6 {
		if _, err := c.Classify(t.Context(), backend.Request{}, false); !errors.Is(err, client.ErrAbsent) {
			t.Error(err)
		}
	}
	for range 2 { // nobody accepts
		start := time.Now()
		if _, err := c.Classify(t.Context(), backend.Request{Message: make([]byte, 10<<20)}, false); !errors.Is(err, client.ErrAbsent) || time.Since(start) > 10*time.Second {
			t.Errorf("after %v: %v", time.Since(start), err)
		}
	}
	go func() { // a reply that never ends
		for conn, err := l.Accept(); err == nil; conn, err = l.Accept() { // of those before too
			go func() {
				defer conn.Close()
				for _, err := io.WriteString(conn, "HTTP/1.1 200 OK\r\n"); err == nil; _, err = io.WriteString(conn, "x: y\r\n") {
					time.Sleep(20 * time.Millisecond)
				}
			}()
		}
	}()
	answered := make(chan error, 1)
	go func() {
		_, err := c.Classify(t.Context(), backend.Request{}, false)
		answered <- err
	}()
	select {
	case err := <-answered:
		if !errors.Is(err, client.ErrAbsent) {
			t.Error(err)
		}
	case <-time.After(2 * time.Minute):
		t.Error("the client waits for a reply that never ends")
	}
	l.Close()
	for _, path := range []string{path, path + ".none", strings.Repeat("x", 200)} {
		if _, err := (&client.Client{Path: path, Timeout: time.Second}).Classify(t.Context(), backend.Request{}, false); !errors.Is(err, client.ErrAbsent) {
			t.Errorf("%.20s: %v", path, err)
		}
	}
}

// follower is a log that nobody applies.
type follower struct{}

func (follower) Publish(context.Context, string, *store.Delta) (store.Applied, error) {
	return store.Applied{}, backend.ErrBusy
}
func (follower) Ready() error { return nil }

// A file is lent until the connection ends, or the server.
func TestLend(t *testing.T) {
	t.Parallel()
	e := empty(t, engine.Options{})
	lent := func() bool {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		defer cancel()
		giveBack, err := e.Lend(ctx, "")
		if err == nil {
			giveBack()
		}
		return err != nil
	}
	l, path := listen(t)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		done <- New(Options{Options: gate.Options{Backend: &servetest.Backend{}}, Engine: e, Commands: true}).Serve(ctx, l)
	}()
	conn, err := net.Dial("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(conn, "POST /v1/lend HTTP/1.0\r\nHost: polya\r\n\r\n")
	servetest.Until(t, "the file", lent)
	conn.Close()
	servetest.Until(t, "its return", func() bool { return !lent() })
	for range 2 {
		giveBack, err := (&client.Client{Path: path, Timeout: time.Minute}).Borrow()
		if err != nil {
			t.Fatal(err)
		}
		if !lent() {
			t.Error("it is given back at once")
		}
		giveBack()
		servetest.Until(t, "its return", func() bool { return !lent() })
	}
	if _, err := (&client.Client{Path: path, Timeout: time.Minute}).Borrow(); err != nil { // this process ends later
		t.Fatal(err)
	}
	cancel()
	servetest.Until(t, "its return at the end of the server", func() bool { return !lent() })
	if err := <-done; err != nil {
		t.Error(err)
	}
	follows := empty(t, engine.Options{Publisher: follower{}})
	if _, err := serve(t, &servetest.Backend{}, Options{Engine: follows}).Borrow(); err == nil || !strings.Contains(err.Error(), store.ErrFollows.Error()) {
		t.Errorf("of a daemon that does not lend: %v", err)
	}
}
