package gate

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"
)

// grace is how long connections may continue after the listener was told to stop. Systemd
// kills a service 90 seconds after it asked it to stop.
const grace = 20 * time.Second

// resting is the number of goroutines that wait for the next connection after theirs has
// ended. Their stacks have grown already; growing a new one takes as long as a small answer.
const resting = 64

// Serve takes connections from l, as Listener does, and hands each to Converse, in a goroutine
// of its own. When ctx is done, it closes l, gives the connections 20 seconds to finish, and then
// closes them. It returns when all have ended: nil if ctx ended it, or else the error of the listener.
func (o *Server) Serve(ctx context.Context, l net.Listener) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	l = o.Listener(l)
	s := &server{log: o.Log, handle: o.Converse, open: map[net.Conn]bool{}, next: make(chan net.Conn)}
	defer context.AfterFunc(ctx, func() { l.Close() })()
	err := s.loop(ctx, l)
	if ctx.Err() != nil {
		err = nil
	}
	l.Close()
	cancel()
	late := time.AfterFunc(grace, s.closeAll)
	s.running.Wait()
	late.Stop()
	return err
}

type server struct {
	log     *slog.Logger
	handle  func(context.Context, net.Conn)
	running sync.WaitGroup
	next    chan net.Conn // to resting goroutines
	rest    atomic.Int64
	mu      sync.Mutex
	open    map[net.Conn]bool
}

func (s *server) loop(ctx context.Context, l net.Listener) error {
	var pause time.Duration
	for {
		c, err := l.Accept()
		if err != nil {
			if ctx.Err() != nil || errors.Is(err, net.ErrClosed) {
				return err
			}
			// Out of descriptors, most likely: some are closed sooner or later.
			pause = min(max(2*pause, 5*time.Millisecond), time.Second)
			s.log.Warn("accepting a connection failed", "address", l.Addr().String(), "error", err, "pause", pause)
			select {
			case <-time.After(pause):
			case <-ctx.Done():
			}
			continue
		}
		pause = 0
		s.mu.Lock()
		s.open[c] = true
		s.mu.Unlock()
		select {
		case s.next <- c:
		default:
			s.running.Go(func() { s.work(ctx, c) })
		}
	}
}

// work serves a connection, and then later ones.
func (s *server) work(ctx context.Context, c net.Conn) {
	for {
		s.converse(ctx, c)
		if s.rest.Add(1) > resting {
			s.rest.Add(-1)
			return
		}
		select {
		case c = <-s.next:
			s.rest.Add(-1)
		case <-ctx.Done():
			return
		}
	}
}

func (s *server) converse(ctx context.Context, c net.Conn) {
	defer func() {
		// A message that makes us panic must not end the other connections.
		if p := recover(); p != nil {
			s.log.Error("a connection ended in a panic", "panic", p, "stack", string(debug.Stack()))
		}
		c.Close()
		s.mu.Lock()
		delete(s.open, c)
		s.mu.Unlock()
	}()
	s.handle(ctx, c)
}

func (s *server) closeAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.open {
		c.Close()
	}
}
