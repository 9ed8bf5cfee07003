package gate

import (
	"bufio"
	"context"
	"errors"
	"net"
	"runtime/debug"
	"sync"
	"time"
)

// Grace is how long connections may continue after their server was told to stop; systemd kills a service
// after 90 seconds.
const Grace = 20 * time.Second

// lastWord is how long a message may be on its way when the listener was told to stop.
const lastWord = 300 * time.Millisecond

// Await waits for the first byte of a message, as long as the read deadline of c allows, or until ctx,
// which is that of Converse, is done. Set the deadline again afterwards.
func Await(ctx context.Context, c net.Conn, in *bufio.Reader) error {
	woken := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		c.SetReadDeadline(time.Now())
		close(woken)
	})
	_, err := in.Peek(1)
	if !stop() {
		<-woken
	}
	return err
}

// Serve takes connections from l, as Listener does, and hands each to Converse, in a goroutine
// of its own. When ctx is done, it closes l, gives the connections 20 seconds to finish, and then
// closes them. It returns when all have ended: nil if ctx ended it, or else the error of the listener.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	l = s.Listener(l)
	idle, end := context.WithCancel(context.WithoutCancel(ctx)) // done when idle connections are to end
	defer end()
	defer context.AfterFunc(ctx, func() {
		l.Close()
		time.AfterFunc(lastWord, end)
	})()
	var running sync.WaitGroup
	var open sync.Map // connections
	err := s.accept(ctx, l, func(c net.Conn) {
		open.Store(c, nil)
		running.Go(func() {
			defer open.Delete(c)
			s.converse(idle, c)
		})
	})
	if ctx.Err() != nil {
		err = nil
	}
	l.Close()
	cancel()
	late := time.AfterFunc(Grace, func() {
		for c := range open.Range {
			c.(net.Conn).Close()
		}
	})
	running.Wait()
	late.Stop()
	return err
}

// accept calls begin with each connection until l fails for good.
func (s *Server) accept(ctx context.Context, l net.Listener, begin func(net.Conn)) error {
	var pause time.Duration
	for {
		c, err := l.Accept()
		if err == nil {
			pause = 0
			begin(c)
			continue
		}
		if ctx.Err() != nil || errors.Is(err, net.ErrClosed) {
			return err
		}
		// Out of descriptors, most likely: some are closed sooner or later.
		pause = min(max(2*pause, 5*time.Millisecond), time.Second)
		s.Log.Warn("accepting a connection failed", "address", l.Addr().String(), "error", err, "pause", pause)
		select {
		case <-time.After(pause):
		case <-ctx.Done():
		}
	}
}

func (s *Server) converse(ctx context.Context, c net.Conn) {
	defer c.Close()
	defer func() {
		// A message that makes us panic must not end the other connections.
		if p := recover(); p != nil {
			s.Log.Error("a connection ended in a panic", "panic", p, "stack", string(debug.Stack()))
		}
	}()
	s.Converse(ctx, c)
}
