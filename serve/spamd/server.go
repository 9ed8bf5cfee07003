// Package spamd answers like SpamAssassin's spamd: its protocol in the versions 1.2 to
// 1.5, for spamc, Exim, spamass-milter and other clients, and on the same socket the form
// of rspamd's protocol that Exim speaks.
package spamd

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"sync"
	"time"

	"github.com/polya-classifier/polya/serve/access"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/internal/gate"
)

// Options says how a Server answers. Zero selects the default.
type Options struct {
	Log      *slog.Logger // where requests and failures are logged, without content; nil logs nothing
	Token    string       // what callers show to teach over TCP; "" is never
	MayLearn access.Rule  // who may teach; nil is access.Owner

	gate.Limits
}

// A Server answers requests. It may serve several listeners at a time.
type Server struct {
	backend     backend.Backend
	options     Options
	connections *gate.Connections
}

// New makes a server for a classifier.
func New(b backend.Backend, o Options) *Server {
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	o.Limits = o.Limits.Filled()
	return &Server{b, o, gate.NewConnections(o.Connections, o.Log)}
}

// Serve answers the connections of l until ctx is done. Then it closes l, gives requests
// in progress at most 20 seconds, and returns nil. It returns an error if l fails.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	l = s.connections.Listener(l, failure{exTempFail, "too many connections at once"}.String())
	return gate.Serve(ctx, l, s.options.Log, s.converse)
}

// readers are reused: most connections are short.
var readers = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, lineBytes) }}

// converse answers the one request of a connection.
func (s *Server) converse(ctx context.Context, c net.Conn) {
	defer gate.Linger(c)
	c.SetReadDeadline(time.Now().Add(s.options.HeaderTime))
	wake := context.AfterFunc(ctx, func() { c.SetReadDeadline(time.Unix(1, 0)) })
	r := readers.Get().(*bufio.Reader)
	r.Reset(c)
	defer readers.Put(r)
	_, err := r.Peek(1)
	if !wake() || err != nil {
		return // the server ends, or the client changed its mind
	}
	c.SetReadDeadline(time.Now().Add(s.options.HeaderTime))
	q, err := readRequest(r)
	if err == nil {
		c.SetReadDeadline(time.Now().Add(s.options.MessageTime))
		err = s.answer(context.WithoutCancel(ctx), c, r, q)
	}
	if err != nil {
		f := failureOf(err)
		s.options.Log.Warn("spamd: request failed", "verb", q.verb, "user", s.logged(q), "code", f.code, "error", err)
		s.write(c, f.String())
	}
}

// write sends a reply.
func (s *Server) write(c net.Conn, reply string, message ...[]byte) error {
	c.SetWriteDeadline(time.Now().Add(s.options.MessageTime))
	buffers := append(net.Buffers{[]byte(reply)}, message...)
	_, err := buffers.WriteTo(c)
	return err
}

// The codes of replies, from sysexits.h except the last.
const (
	exOK       = 0
	exData     = 65
	exNoUser   = 67
	exTempFail = 75
	exProtocol = 76
	exNoPerm   = 77
	exTimeout  = 79
)

// A failure is an error that the client is told.
type failure struct {
	code int
	text string
}

func (f failure) Error() string { return f.text }

// String is the reply.
func (f failure) String() string { return fmt.Sprintf("SPAMD/1.0 %d %s\r\n", f.code, f.text) }

func failureOf(err error) failure {
	var f failure
	switch {
	case errors.As(err, &f):
		return f
	case errors.Is(err, backend.ErrClass):
		return failure{exData, "no such class"}
	case errors.Is(err, backend.ErrSize):
		return failure{exData, "message too large"}
	case errors.Is(err, backend.ErrUser):
		return failure{exNoUser, "no such user"}
	case errors.Is(err, backend.ErrForbidden):
		return failure{exNoPerm, "learning is not allowed here"}
	case errors.Is(err, backend.ErrBusy):
		return failure{exTempFail, "too many requests at once"}
	case errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, context.DeadlineExceeded):
		return failure{exTimeout, "Timeout"}
	default:
		return failure{exTempFail, "Service Unavailable"}
	}
}
