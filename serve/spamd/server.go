// Package spamd answers like SpamAssassin's spamd, in the versions 1.2 to 1.5 of its protocol, for spamc, Exim,
// spamass-milter and others, and on the same socket in the form of rspamd's protocol that Exim speaks.
package spamd

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"time"

	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/internal/gate"
)

// A Server answers requests. It may serve several listeners at a time.
type Server struct{ *gate.Server }

// New makes a server.
func New(o gate.Options) *Server {
	s := &Server{gate.New(o, gate.Limits{})}
	s.Refusal, s.Converse = failure{exTempFail, "too many connections at once"}.String(), s.converse
	return s
}

// converse answers the one request of a connection.
func (s *Server) converse(ctx context.Context, c net.Conn) {
	defer gate.Linger(c)
	c.SetReadDeadline(time.Now().Add(s.HeaderTime))
	r := bufio.NewReaderSize(c, lineBytes)
	if gate.Await(ctx, c, r) != nil {
		return // the server ends, or the client changed its mind
	}
	c.SetReadDeadline(time.Now().Add(s.HeaderTime))
	q, err := readRequest(r)
	if err == nil {
		c.SetReadDeadline(time.Now().Add(s.MessageTime))
		err = s.answer(context.WithoutCancel(ctx), c, r, q)
	}
	if err != nil {
		f := failureOf(err)
		s.Log.Warn("spamd: request failed", "verb", q.verb, "user", s.logged(q), "code", f.code, "error", err)
		s.write(c, f.String())
	}
}

func (s *Server) write(c net.Conn, reply string, message ...[]byte) error {
	c.SetWriteDeadline(time.Now().Add(s.MessageTime))
	buffers := append(net.Buffers{[]byte(reply)}, message...)
	_, err := buffers.WriteTo(c)
	return err
}

// The codes of replies, from sysexits.h except the last.
const (
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

// codes are those of Failures that are not of the message.
var codes = map[backend.Failure]int{backend.ErrUser: exNoUser, backend.ErrForbidden: exNoPerm, backend.ErrBusy: exTempFail}

func failureOf(err error) failure {
	var f failure
	var told backend.Failure
	switch {
	case errors.As(err, &f):
		return f
	case errors.As(err, &told):
		return failure{cmp.Or(codes[told], exData), told.Text}
	case errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, context.DeadlineExceeded):
		return failure{exTimeout, "Timeout"}
	}
	return failure{exTempFail, "Service Unavailable"}
}
