package spamd

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/internal/gate"
	"github.com/polya-classifier/polya/serve/internal/servetest"
)

func dial(t *testing.T, address string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(time.Minute))
	return c
}

// TestSlowClients holds that clients that say nothing, or a byte now and then, or do not
// read what they asked for, are closed when their time is up and stall nobody meanwhile.
func TestSlowClients(t *testing.T) {
	t.Parallel()
	limit := 5 * time.Second // so long that no honest client reaches it on a slow machine
	address := servetest.Serve(t, "tcp", New(gate.Options{Backend: &servetest.Backend{}, Limits: gate.Limits{HeaderTime: limit, MessageTime: limit}}).Serve)
	starts := map[string]string{"idle": "", "dripping": "CHECK SPA", "no message": "CHECK SPAMC/1.5\r\nContent-length: 100\r\n\r\nSubject: x"}
	closed := make(chan string)
	for name, start := range starts {
		for range 30 {
			c := dial(t, address)
			io.WriteString(c, start)
			go func() {
				go func() {
					for {
						if _, err := io.WriteString(c, strings.Repeat("x", len(start)%2)); err != nil {
							return
						}
						time.Sleep(limit / 10)
					}
				}()
				said, err := io.ReadAll(c)
				closed <- fmt.Sprintf("%s: %q, %v", name, said, err)
			}()
		}
	}
	lazy := dial(t, address)
	long := "Subject: x\r\n\r\n" + strings.Repeat("cherry\r\n", 1<<20)
	go fmt.Fprintf(lazy, "PROCESS SPAMC/1.5\r\nContent-length: %d\r\n\r\n%s", len(long), long)
	start := time.Now()
	for range 50 {
		if got := ask(t, "tcp", address, "CHECK SPAMC/1.5\r\n\r\n"+spam); !strings.Contains(got, "True") {
			t.Errorf("meanwhile: %q", got)
		}
	}
	t.Logf("50 requests beside the slow ones took %v", time.Since(start))
	want := map[string]string{"idle": `idle: "", <nil>`, "dripping": `dripping: "SPAMD/1.0 79 Timeout\r\n", <nil>`,
		"no message": `no message: "SPAMD/1.0 79 Timeout\r\n", <nil>`}
	for range 30 * len(starts) {
		got := <-closed
		name, _, _ := strings.Cut(got, ":")
		if got != want[name] {
			t.Errorf("%s, want %s", got, want[name])
		}
	}
}

func TestOverload(t *testing.T) {
	t.Parallel()
	in, hold := make(chan struct{}), make(chan struct{})
	b := &servetest.Backend{Before: func(context.Context, backend.Request) error { in <- struct{}{}; <-hold; return nil }}
	memory := gate.NewMemory(1<<20, 1<<20)
	memory.Patience = 0
	hog := memory.NewExcerpt(1 << 20)
	defer hog.Free()
	hog.Write(make([]byte, 1<<20))
	address := servetest.Serve(t, "tcp", New(gate.Options{Backend: b, Limits: gate.Limits{Connections: 2, Memory: memory}}).Serve)
	replies := make(chan string)
	check := func() { replies <- ask(t, "tcp", address, "CHECK SPAMC/1.5\r\n\r\n"+spam) }
	go check()
	<-in
	long := "CHECK SPAMC/1.5\r\n\r\n" + strings.Repeat(spam, 1<<16)
	if got, want := ask(t, "tcp", address, long), "SPAMD/1.0 75 too many requests at once\r\n"; got != want {
		t.Errorf("with no memory left: %q", got)
	}
	for taken := false; !taken; { // the place of the long one is given back a moment after its reply
		go check()
		select {
		case <-in:
			taken = true
		case <-replies:
		}
	}
	if got, want := ask(t, "tcp", address, "CHECK SPAMC/1.5\r\n\r\n"+spam), "SPAMD/1.0 75 too many connections at once\r\n"; got != want {
		t.Errorf("the third: %q", got)
	}
	close(hold)
	for range 2 {
		if got := <-replies; !strings.Contains(got, "True") {
			t.Errorf("one of those in hand: %q", got)
		}
	}
}

// TestInflated holds that a message that is short only as long as it is compressed is
// refused before it is in memory.
func TestInflated(t *testing.T) {
	t.Parallel()
	address := servetest.Serve(t, "tcp", New(gate.Options{Backend: &servetest.Backend{}, Limits: gate.Limits{Message: 1 << 20}}).Serve)
	bomb := deflate(strings.Repeat("\x00", 5<<20))
	got := ask(t, "tcp", address, fmt.Sprintf("CHECK SPAMC/1.5\r\nCompress: zlib\r\nContent-length: %d\r\n\r\n%s", len(bomb), bomb))
	if want := "SPAMD/1.0 65 message too large\r\n"; got != want {
		t.Errorf("%q", got)
	}
}

// TestRecipients holds that a request of many long lines takes no memory while its message is awaited.
func TestRecipients(t *testing.T) {
	t.Parallel()
	lines := "CHECK RSPAMC/1.3\r\n" + strings.Repeat("Rcpt: "+strings.Repeat("x", 4000)+"\r\n", 250) + "\r\n"
	q, err := readRequest(bufio.NewReaderSize(strings.NewReader(lines), lineBytes))
	if err != nil || len(q.recipients) != 2 || q.recipient() != "" {
		t.Errorf("%d recipients are kept, for %.10q: %v", len(q.recipients), q.recipient(), err)
	}
}

// TestEnd holds that what is in hand is finished when the server ends, and that who says
// nothing is not waited for.
func TestEnd(t *testing.T) {
	t.Parallel()
	in, out := make(chan struct{}), make(chan struct{})
	b := &servetest.Backend{Before: func(context.Context, backend.Request) error { close(in); <-out; return nil }}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- New(gate.Options{Backend: b}).Serve(ctx, l) }()
	idle := dial(t, l.Addr().String())
	working := dial(t, l.Addr().String())
	fmt.Fprintf(working, "CHECK SPAMC/1.5\r\nContent-length: %d\r\n\r\n%s", len(spam), spam)
	<-in
	cancel()
	if said, err := io.ReadAll(idle); len(said) > 0 || err != nil {
		t.Errorf("the idle one: %q, %v", said, err)
	}
	idle.Close()
	if c, err := net.Dial("tcp", l.Addr().String()); err == nil {
		c.Close()
		t.Error("connected to a server that ends")
	}
	close(out)
	if said, err := io.ReadAll(working); !strings.Contains(string(said), "True") || err != nil {
		t.Errorf("the one in hand: %q, %v", said, err)
	}
	working.Close()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
