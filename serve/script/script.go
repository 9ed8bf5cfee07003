// Package script answers the Sieve scripts of Dovecot: Pigeonhole's pipe, filter and
// execute talk to a unix socket as they would to a program. A script learns a message that
// the user moved, or asks for its class when it is delivered, by the database of its
// recipient.
//
// The first argument is what to do:
//
//	classify     answers with the value of the field X-Polya-Class
//	learn CLASS  learns the message, or moves it to the class
//	forget       takes back what was learned of it
//
// The user is the one that Dovecot names, whose mailbox it is. Who may connect to the
// socket may learn for each user: its permissions are the guard.
package script

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"time"

	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/internal/accept"
)

// Limits keep a client from taking more than its share. For each that is zero, the
// default is used.
type Limits struct {
	// Connections at once, each with one request. One more is answered with a failure.
	// Default 200: Dovecot delivers in 100 processes by default.
	Connections int
	// MessageBytes of a message are looked at; the rest is read past. Default 1 MiB.
	MessageBytes int
	// Transfer time of a whole request. Dovecot sends at once what it has at hand. Default
	// 30 seconds.
	Transfer time.Duration
	// Answer time. Dovecot waits for 10 seconds by default. Default 10 seconds.
	Answer time.Duration
}

// Options say how a Server answers.
type Options struct {
	Backend backend.Backend
	Log     *slog.Logger // nothing of the contents of a message is logged; nil for no log
	Limits  Limits
}

// A Server answers Sieve scripts.
type Server struct{ Options }

// New returns a Server, or an error if an option makes no sense.
func New(o Options) (*Server, error) {
	if o.Backend == nil {
		return nil, errors.New("no backend")
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	l := &o.Limits
	setDefault(&l.Connections, 200)
	setDefault(&l.MessageBytes, 1<<20)
	setDefault(&l.Transfer, 30*time.Second)
	setDefault(&l.Answer, 10*time.Second)
	return &Server{o}, nil
}

func setDefault[T int | time.Duration](v *T, to T) {
	if *v <= 0 {
		*v = to
	}
}

// How a request ends: the last line of an answer.
const (
	done   = "+\n"
	failed = "-\n"
)

// Serve answers requests that come to l, until ctx is done: then it closes l and finishes
// the requests in hand, for at most 20 seconds. It returns nil if ctx ended it, and else
// the error of l.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	o := accept.Options{Max: s.Limits.Connections, Log: s.Log, Refuse: func(c net.Conn) {
		c.SetWriteDeadline(time.Now().Add(10 * time.Millisecond))
		c.Write([]byte(failed))
	}}
	return accept.Serve(ctx, l, o, s.converse)
}

// converse answers the one request of a connection.
func (s *Server) converse(ctx context.Context, conn net.Conn) {
	start := time.Now()
	conn.SetDeadline(start.Add(s.Limits.Transfer))
	r, err := readRequest(newReader(conn), s.Limits.MessageBytes)
	var output, what string
	if err == nil {
		what = r.args0()
		// A request in hand is finished, even if the server is told to stop.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.Limits.Answer)
		output, err = s.answer(ctx, r)
		cancel()
	}
	if err != nil {
		s.Log.Warn("script: request failed", "what", what, "error", err)
	} else {
		s.Log.Info("script: request done", "what", what, "bytes", len(r.message), "took", time.Since(start))
	}
	if r.noReply {
		return
	}
	if err == nil {
		output += done
	} else {
		output = failed
	}
	conn.SetDeadline(time.Now().Add(s.Limits.Transfer))
	conn.Write([]byte(output))
}

// args0 is what is asked for, for the log.
func (r *request) args0() string {
	if len(r.args) == 0 {
		return ""
	}
	return r.args[0]
}

// answer does what is asked for and returns what the script gets to read.
func (s *Server) answer(ctx context.Context, r request) (string, error) {
	ask := backend.Request{User: r.user, Message: r.message, Source: "dovecot"}
	switch {
	case len(r.args) == 1 && r.args[0] == "classify":
		answer, err := s.Backend.Classify(ctx, ask, false)
		if errors.Is(err, backend.ErrUser) && ask.User != "" {
			ask.User = ""
			answer, err = s.Backend.Classify(ctx, ask, false)
		}
		if err != nil {
			return "", err
		}
		return answer.Field(), nil
	case len(r.args) == 2 && r.args[0] == "learn":
		_, err := s.Backend.Learn(ctx, ask, r.args[1])
		return "", err
	case len(r.args) == 1 && r.args[0] == "forget":
		_, err := s.Backend.Forget(ctx, ask)
		return "", err
	}
	return "", fmt.Errorf("%w: %q is none of classify, learn CLASS, forget", errRequest, r.args)
}
