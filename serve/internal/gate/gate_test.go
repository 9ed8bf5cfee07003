package gate

import (
	"bytes"
	"io"
	"log/slog"
	"net"
	"strings"
	"testing"
	"time"
)

func limited(connections int, log *slog.Logger) *Server {
	s := New(Options{Log: log, Limits: Limits{Connections: connections}}, Limits{})
	s.Refusal = "busy\r\n"
	return s
}

func TestConnections(t *testing.T) {
	t.Parallel()
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := limited(2, quiet).Listener(inner)
	defer l.Close()
	accepted := make(chan net.Conn)
	go func() {
		defer close(accepted)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			accepted <- c
		}
	}()
	dial := func() net.Conn {
		c, err := net.Dial("tcp", inner.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		c.SetDeadline(time.Now().Add(2 * time.Minute))
		return c
	}
	dial()
	first := <-accepted
	dial()
	second := <-accepted
	server := l.(*listener).server
	server.refused.Add(refusals - 1)
	for range 3 { // a flood of them takes no more than so many that are told
		c := dial()
		for server.refused.Load() < refusals {
			time.Sleep(time.Millisecond)
		}
		if said, _ := io.ReadAll(dial()); len(said) > 0 {
			t.Errorf("one too many beside %d that are being told was told %q", refusals, said)
		}
		c.Write(bytes.Repeat([]byte("a message that nobody wants\r\n"), 1000))
		if said, err := io.ReadAll(c); err != nil || string(said) != "busy\r\n" {
			t.Errorf("one too many was told %q, %v", said, err)
		}
		c.Close()
		for server.refused.Load() >= refusals {
			time.Sleep(time.Millisecond)
		}
	}
	server.refused.Add(1 - refusals)
	first.Close()
	first.Close() // gives back one place
	dial()
	<-accepted
	c := dial()
	c.Write([]byte("x"))
	if said, _ := io.ReadAll(c); string(said) != "busy\r\n" {
		t.Errorf("one too many was told %q", said)
	}
	second.Close()
	l.Close()
	if _, open := <-accepted; open {
		t.Error("accepted after it was closed")
	}
}

// One too many that says nothing is told so all the same, and one that stays then does not keep its place.
func TestRefusedWhoStays(t *testing.T) {
	t.Parallel()
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := limited(1, quiet).Listener(inner)
	defer l.Close()
	go func() {
		for {
			if _, err := l.Accept(); err != nil {
				return
			}
		}
	}()
	dialFrom(t, "127.0.0.2", inner.Addr())
	c := dialFrom(t, "127.0.0.2", inner.Addr())
	if said, err := io.ReadAll(c); err != nil || string(said) != "busy\r\n" {
		t.Errorf("it was told %q, %v", said, err)
	}
	for end := time.Now().Add(2 * time.Minute); l.(*listener).server.refused.Load() > 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it keeps its place")
		}
	}
}

// dialFrom connects from an address of loopback.
func dialFrom(t *testing.T, from string, to net.Addr) net.Conn {
	t.Helper()
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
	c, err := d.Dial("tcp", to.String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(2 * time.Minute))
	return c
}

// remote is a connection from an address.
type remote struct {
	net.Conn
	address string
}

func (r remote) RemoteAddr() net.Addr { return &net.TCPAddr{IP: net.ParseIP(r.address)} }

// A host is one peer by whichever of the addresses of its network it comes.
func TestPeerOf(t *testing.T) {
	t.Parallel()
	of := func(address string) string { return peerOf(remote{address: address}) }
	if of("2001:db8::1") != of("2001:db8::ffff:2") || of("2001:db8::1") == of("2001:db8:0:1::1") ||
		of("192.0.2.1") != of("::ffff:192.0.2.1") || of("192.0.2.1") == of("192.0.2.2") {
		t.Error("hosts are not told apart by their networks")
	}
}

// A peer that has all places gives up those that are idle longest for others, until they have as
// many; it is refused itself, and others are when places are shared.
func TestPeersShare(t *testing.T) {
	t.Parallel()
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	l := limited(5, slog.New(slog.NewTextHandler(&log, nil))).Listener(inner)
	defer l.Close()
	accepted := make(chan net.Conn, 16)
	done := make(chan bool)
	go func() {
		defer close(done)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			accepted <- c
		}
	}()
	var greedy []net.Conn
	var first net.Conn
	for range 5 {
		greedy = append(greedy, dialFrom(t, "127.0.0.2", inner.Addr()))
		last := <-accepted
		if len(greedy) == 5 { // the first one is not idle any more
			greedy = append(greedy[1:], greedy[0])
			greedy[4].Write([]byte("x"))
			first.Read(make([]byte, 1))
		} else if first == nil {
			first = last
		}
	}
	refused := func(from string) {
		t.Helper()
		c := dialFrom(t, from, inner.Addr())
		c.Write([]byte("x"))
		if said, _ := io.ReadAll(c); string(said) != "busy\r\n" {
			t.Errorf("%s beyond its share was told %q", from, said)
		}
	}
	refused("127.0.0.2")
	for i := range 2 {
		dialFrom(t, "127.0.0.3", inner.Addr())
		<-accepted
		if !ended(greedy[i]) {
			t.Errorf("connection %d of the peer with the most goes on", i)
		}
	}
	refused("127.0.0.3") // three and two stay as they are
	refused("127.0.0.2")
	l.Close()
	<-done
	if n := strings.Count(log.String(), "\n"); n != 5 {
		t.Errorf("%d lines about five connections:\n%s", n, log.String())
	}
}
