package gate

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/polya-classifier/polya/serve/access"
	"github.com/polya-classifier/polya/serve/backend"
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

// Limits keep clients from taking more than their share. Zero selects the default, for
// which some protocols have their own.
type Limits struct {
	Connections int   // at a time, over all sockets of a listener; 2048, so that a thousand idle ones leave room for others
	Message     int64 // bytes of a message, as sent and inflated; 64 MiB is more than mail servers accept

	// Memory is that of all listeners. Nil is 256 MiB of its own, or four times Message.
	Memory *Memory
	// HeaderTime is how long a client may take to begin and to send the lines before the
	// message; 10 seconds. All clients send them without a pause.
	HeaderTime time.Duration
	// MessageTime is how long the message may take, and then the client to read the reply;
	// a minute. spamc gives up after 600 seconds, Exim after 120.
	MessageTime time.Duration
	// AnswerTime is how long the classifier may take; 30 seconds.
	AnswerTime time.Duration
}

// Options are those of a server, of any protocol.
type Options struct {
	Backend  backend.Backend
	Log      *slog.Logger // where requests and failures are logged, without content; nil logs nothing
	Token    string       // what callers over a network show, to teach or for all; "" is nobody's
	MayTeach access.Rule  // who may teach; nil is the default of the protocol, or access.Owner
	Version  string       // of the program
	Limits
}

// A Server has the options and the connections of a protocol, on several listeners at a time.
type Server struct {
	Options
	Refusal string // what connections are sent for which there is no place, "" for nothing; set before use
	// Converse answers a connection, which it need not close. Shortly after the server was told to stop
	// its context is done, and an idle connection is to end; set before Serve.
	Converse func(context.Context, net.Conn)

	refused atomic.Int64 // connections that are sent a refusal now

	mu    sync.Mutex
	open  int                       // connections
	peers map[string]map[*conn]bool // these
}

// New returns a Server with limits in place of those that are zero: of the protocol, or the defaults.
func New(o Options, protocol Limits) *Server {
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	if o.MayTeach == nil {
		o.MayTeach = access.Owner
	}
	l := &o.Limits
	l.Connections = cmp.Or(l.Connections, protocol.Connections, 2048)
	l.Message = cmp.Or(l.Message, protocol.Message, 64<<20)
	l.Memory = cmp.Or(l.Memory, NewMemory(max(256<<20, 4*l.Message), l.Message))
	l.HeaderTime = cmp.Or(l.HeaderTime, protocol.HeaderTime, 10*time.Second)
	l.MessageTime = cmp.Or(l.MessageTime, protocol.MessageTime, time.Minute)
	l.AnswerTime = cmp.Or(l.AnswerTime, protocol.AnswerTime, 30*time.Second)
	return &Server{Options: o, peers: map[string]map[*conn]bool{}}
}

// Listener accepts the connections of l for which there is a place. Others are closed.
func (s *Server) Listener(l net.Listener) net.Listener {
	return &listener{l, s}
}
