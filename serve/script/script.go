// Package script answers the Sieve scripts of Dovecot: Pigeonhole's pipe, filter and
// execute talk to a unix socket as they would to a program. A script learns a message that
// the user moved, or asks for its class when it is delivered, by the database of its
// recipient.
//
// The first argument is what to do:
//
//	is CLASS [PROBABILITY]  succeeds if the message is of the class, at least so probably
//	classify                answers with the value of the field X-Polya-Class
//	learn CLASS             learns the message, or moves it to the class
//	forget                  takes back what was learned of it
//
// Dovecot 2.3 ends its process if it waits for the output of a program that does not
// answer in time, or is killed, and the mail server has to deliver again. If it waits for
// success only, it goes on: at delivery, "is" is better than "classify".
//
// The user is the one that Dovecot names, whose mailbox it is. Who can open the socket can
// teach for each user, if Options.MayLearn does not look closer.
package script

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strconv"
	"time"

	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/internal/gate"
)

// Limits keep a client from taking more than its share. For each that is zero, the
// default is used.
type Limits struct {
	// Connections at once, each with one request. One more is answered with a failure.
	// Default 200: Dovecot delivers in 100 processes by default.
	Connections int
	// MessageBytes of a message are looked at; of a longer one the beginning and the end. It is
	// more than mail servers accept. Default 16 MiB.
	MessageBytes int
	// HeldBytes of all messages in hand. One that finds no room is answered with a failure.
	// Half of them are shared out among Connections. Default 256 MiB.
	HeldBytes int64
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
	// MayLearn reports whether the other side of conn may teach for the user. If it is nil, everybody
	// may who can open a unix socket, and nobody over a network.
	MayLearn func(conn net.Conn, user string) bool
	Limits   Limits
}

// A Server answers Sieve scripts.
type Server struct {
	Options
	connections *gate.Connections
	memory      *gate.Memory
}

// New returns a Server, or an error if an option makes no sense.
func New(o Options) (*Server, error) {
	if o.Backend == nil {
		return nil, errors.New("no backend")
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.MayLearn == nil {
		o.MayLearn = func(conn net.Conn, _ string) bool { return conn.LocalAddr().Network() == "unix" }
	}
	l := &o.Limits
	setDefault(&l.Connections, 200)
	setDefault(&l.MessageBytes, 16<<20)
	setDefault(&l.HeldBytes, 256<<20)
	setDefault(&l.Transfer, 30*time.Second)
	setDefault(&l.Answer, 10*time.Second)
	return &Server{Options: o, connections: gate.NewConnections(l.Connections, o.Log), memory: gate.NewMemory(l.HeldBytes, l.Connections)}, nil
}

func setDefault[T int | int64 | time.Duration](v *T, to T) {
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
	// A refusal reads the request, too: Dovecot 2.3 may end its process if it cannot send it.
	return gate.Serve(ctx, s.connections.Listener(l, failed), s.Log, s.converse)
}

// converse answers the one request of a connection.
func (s *Server) converse(ctx context.Context, conn net.Conn) {
	start := time.Now()
	conn.SetDeadline(start.Add(s.Limits.Transfer))
	text := s.memory.NewExcerpt(s.Limits.MessageBytes)
	defer text.Free()
	r, err := readRequest(newReader(conn), text)
	var output string
	if err == nil {
		// A request in hand is finished, even if the server is told to stop.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.Limits.Answer)
		output, err = s.answer(ctx, conn, r)
		cancel()
	}
	if err != nil && !errors.Is(err, errNot) {
		s.Log.Warn("script: request failed", "what", r.args, "error", err)
	} else {
		s.Log.Info("script: request done", "what", r.args, "success", err == nil, "bytes", len(r.message), "cut", r.cut, "took", time.Since(start))
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

// errNot is the answer to a question that was understood.
var errNot = errors.New("the message is of another class")

// answer does what is asked for and returns what the script gets to read.
func (s *Server) answer(ctx context.Context, conn net.Conn, r request) (string, error) {
	ask := backend.Request{User: r.user, Message: r.message, Cut: r.cut, Source: "dovecot"}
	verb, args := "", []string(nil)
	if len(r.args) > 0 {
		verb, args = r.args[0], r.args[1:]
	}
	switch {
	case verb == "is" && (len(args) == 1 || len(args) == 2):
		return "", s.is(ctx, ask, args)
	case verb == "classify" && len(args) == 0:
		answer, err := s.classify(ctx, ask)
		if err != nil {
			return "", err
		}
		return answer.Field(), nil
	case (verb == "learn" || verb == "forget") && !s.MayLearn(conn, r.user):
		return "", backend.ErrForbidden
	case verb == "learn" && len(args) == 1:
		_, err := s.Backend.Learn(ctx, ask, args[0])
		return "", err
	case verb == "forget" && len(args) == 0:
		_, err := s.Backend.Forget(ctx, ask)
		return "", err
	}
	return "", fmt.Errorf("%w: there is no %q", errRequest, r.args)
}

// is returns nil if the message is of the class, errNot if not, and other errors if that
// could not be found out.
func (s *Server) is(ctx context.Context, ask backend.Request, args []string) error {
	var least float64
	if len(args) == 2 {
		var err error
		if least, err = strconv.ParseFloat(args[1], 64); err != nil || !(least >= 0 && least <= 1) {
			return fmt.Errorf("%w: %q is no probability", errRequest, args[1])
		}
	}
	answer, err := s.classify(ctx, ask)
	if err == nil && (answer.Unsure || answer.Class != args[0] || answer.Probability < least) {
		err = errNot
	}
	return err
}

// classify asks by the user's database, or by the shared one for a user without.
func (s *Server) classify(ctx context.Context, ask backend.Request) (backend.Answer, error) {
	answer, err := s.Backend.Classify(ctx, ask, false)
	if errors.Is(err, backend.ErrUser) && ask.User != "" {
		ask.User = ""
		answer, err = s.Backend.Classify(ctx, ask, false)
	}
	return answer, err
}
