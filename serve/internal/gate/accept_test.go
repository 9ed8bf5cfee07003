package gate

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// pipes is a listener whose connections are made by dial. An error that is sent to fails
// is returned by one Accept.
type pipes struct {
	conns  chan net.Conn
	fails  chan error
	closed chan struct{}
}

func newPipes() *pipes {
	return &pipes{make(chan net.Conn), make(chan error), make(chan struct{})}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case err := <-p.fails:
		return nil, err
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	select {
	case <-p.closed:
	default:
		close(p.closed)
	}
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipes"} }

func (p *pipes) dial() net.Conn {
	ours, theirs := net.Pipe()
	p.conns <- theirs
	return ours
}

var quiet = slog.New(slog.DiscardHandler)

func ended(c net.Conn) bool {
	c.SetReadDeadline(time.Now().Add(time.Second))
	_, err := c.Read(make([]byte, 1))
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrClosedPipe)
}

func TestLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newPipes()
		var log bytes.Buffer
		all := limited(2, slog.New(slog.NewTextHandler(&log, nil)))
		all.Refusal = ""
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		all.Converse = func(_ context.Context, c net.Conn) { io.Copy(io.Discard, c) }
		go func() { done <- all.Serve(ctx, l) }()
		first, second := l.dial(), l.dial()
		if third := l.dial(); !ended(third) || strings.Count(log.String(), "connection refused") != 1 {
			t.Errorf("a third connection was not refused: %s", log.String())
		}
		first.Close()
		synctest.Wait()
		if fourth := l.dial(); ended(fourth) {
			t.Error("a connection was refused though one had ended")
		} else {
			fourth.Close()
		}
		// One that does not end by itself is closed after the grace.
		begin := time.Now()
		cancel()
		if err := <-done; err != nil || time.Since(begin) != Grace || !ended(second) {
			t.Errorf("Serve ended with %v after %v", err, time.Since(begin))
		}
	})
}

func TestPanicAndErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newPipes()
		done := make(chan error)
		s := limited(1, quiet)
		s.Converse = func(context.Context, net.Conn) { panic("bad message") }
		go func() { done <- s.Serve(t.Context(), l) }()
		begin := time.Now()
		for range 3 {
			if !ended(l.dial()) {
				t.Error("a connection outlives its panic")
			}
			synctest.Wait()
			l.fails <- errors.New("too many open files")
			l.fails <- errors.New("too many open files")
		}
		if took := time.Since(begin); took > time.Second {
			t.Errorf("errors took %v", took)
		}
		l.Close()
		if err := <-done; !errors.Is(err, net.ErrClosed) {
			t.Errorf("a listener that was closed ended with %v", err)
		}
	})
}
