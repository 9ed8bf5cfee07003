package gate

import (
	"cmp"
	"context"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/polya-classifier/polya/serve/access"
	"github.com/polya-classifier/polya/serve/backend"
)

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
