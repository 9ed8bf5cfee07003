// Package rspamd answers like rspamd's workers over HTTP, for rspamc and what else speaks
// to rspamd: /checkv2, /learnspam, /learnham, /learnclass, /stat and the like.
package rspamd

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/polya-classifier/polya/serve/access"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/internal/gate"
)

// The limits of who sets none.
const (
	// DefaultConnections leaves room for those that are kept open between requests.
	DefaultConnections = 2048
	// DefaultMessage is more than mail servers accept, and rspamd's own limit of 50 MB.
	DefaultMessage = 64 << 20
	// DefaultMemory lets four of the longest messages in at a time.
	DefaultMemory = 256 << 20
	// DefaultHeaderTime is how long a client may take for the lines before the message.
	DefaultHeaderTime = 10 * time.Second
	// DefaultMessageTime is how long a request may take to come, and the reply to go.
	DefaultMessageTime = time.Minute
	// DefaultIdleTime is how long a connection is kept open between two requests.
	DefaultIdleTime = time.Minute
	// DefaultAnswerTime is how long the classifier may take.
	DefaultAnswerTime = 30 * time.Second
	// DefaultGraceTime is how long what is in hand may take when the server ends.
	DefaultGraceTime = 10 * time.Second
	// headerBytes is more than any client sends, with a recipient a line.
	headerBytes = 64 << 10
)

// Options says how a Server answers. What is zero has its default.
type Options struct {
	Log      *slog.Logger // where requests and failures are logged, without content; nil is nowhere
	Password string       // what callers show to teach over TCP; "" is never
	MayLearn access.Rule  // who may teach; nil is access.Owner
	Version  string       // of the program, for /stat

	Connections int           // at a time, over all listeners
	Message     int64         // bytes of a message
	Memory      int64         // bytes of all messages in hand
	HeaderTime  time.Duration // for the lines before the message
	MessageTime time.Duration // for a request with its message, and for the reply
	IdleTime    time.Duration // between two requests of a connection
	AnswerTime  time.Duration // for the classifier
	GraceTime   time.Duration // for what is in hand when the server ends
}

// A Server answers requests. It may serve several listeners at a time.
type Server struct {
	backend     backend.Backend
	options     Options
	connections *gate.Connections
	memory      *gate.Memory
	handler     http.Handler
	start       time.Time

	scanned, spam, learned atomic.Int64
}

// New makes a server for a classifier.
func New(b backend.Backend, o Options) *Server {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.MayLearn == nil {
		o.MayLearn = access.Owner
	}
	o.Connections = cmp.Or(o.Connections, DefaultConnections)
	o.Message = cmp.Or(o.Message, DefaultMessage)
	o.Memory = cmp.Or(o.Memory, DefaultMemory)
	o.HeaderTime = cmp.Or(o.HeaderTime, DefaultHeaderTime)
	o.MessageTime = cmp.Or(o.MessageTime, DefaultMessageTime)
	o.IdleTime = cmp.Or(o.IdleTime, DefaultIdleTime)
	o.AnswerTime = cmp.Or(o.AnswerTime, DefaultAnswerTime)
	o.GraceTime = cmp.Or(o.GraceTime, DefaultGraceTime)
	s := &Server{backend: b, options: o, connections: gate.NewConnections(o.Connections, o.Log), memory: gate.NewMemory(o.Memory), start: time.Now()}
	s.handler = s.routes()
	return s
}

// busy is what a connection too many is told.
const busy = "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 1\r\nContent-Type: application/json\r\n" +
	"Content-Length: 40\r\n\r\n" + `{"error":"too many connections at once"}`

// uidKey is the key of a connection's peer in its context.
type uidKey struct{}

// Serve answers the connections of l until ctx is done. Then it closes l, ends what is
// in hand, for GraceTime at most, and returns nil. It returns an error if l fails.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	h := &http.Server{
		Handler:           s.handler,
		ReadHeaderTimeout: s.options.HeaderTime,
		ReadTimeout:       s.options.MessageTime,
		WriteTimeout:      2*s.options.MessageTime + s.options.AnswerTime,
		IdleTimeout:       s.options.IdleTime,
		MaxHeaderBytes:    headerBytes,
		ErrorLog:          slog.NewLogLogger(s.options.Log.Handler(), slog.LevelWarn),
		BaseContext:       func(net.Listener) context.Context { return context.WithoutCancel(ctx) },
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			return context.WithValue(ctx, uidKey{}, access.UID(c))
		},
	}
	failed := make(chan error, 1)
	go func() { failed <- h.Serve(s.connections.Listener(l, busy)) }()
	select {
	case err := <-failed:
		if ctx.Err() == nil {
			h.Close()
			return err
		}
		failed <- err // who ended ctx has closed l as well
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.options.GraceTime)
	defer cancel()
	if h.Shutdown(grace) != nil {
		h.Close()
	}
	<-failed
	return nil
}

// A failure is an error that the client is told.
type failure struct {
	code int
	text string
}

func (f failure) Error() string { return f.text }

func failureOf(err error) failure {
	var f failure
	switch {
	case errors.As(err, &f):
		return f
	case errors.Is(err, backend.ErrClass), errors.Is(err, backend.ErrUser):
		return failure{http.StatusNotFound, err.Error()}
	case errors.Is(err, backend.ErrSize):
		return failure{http.StatusRequestEntityTooLarge, "message too large"}
	case errors.Is(err, backend.ErrForbidden):
		return failure{http.StatusUnauthorized, "Unauthorized"}
	case errors.Is(err, backend.ErrBusy):
		return failure{http.StatusServiceUnavailable, "too many requests at once"}
	case errors.Is(err, context.DeadlineExceeded):
		return failure{http.StatusGatewayTimeout, "timeout"}
	default:
		return failure{http.StatusServiceUnavailable, "service unavailable"}
	}
}
