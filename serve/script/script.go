// Package script answers the Sieve scripts of Dovecot: Pigeonhole's pipe, filter and
// execute talk to a unix socket as they would to a program. A script learns a message that
// the user moved, or asks for its class at delivery, from the database of its recipient.
//
// The first argument is what to do:
//
//	is CLASS [PROBABILITY]  succeeds if the message is of the class, at least so probably
//	classify                answers with the value of the field X-Polya-Class
//	learn CLASS             learns the message, or moves it to the class
//	forget                  takes back what was learned of it
//
// Dovecot 2.3 ends its process if it waits for the output of a program that is killed or
// does not answer in time, and the mail server has to deliver again. If it waits only for
// success, it continues: at delivery, "is" is better than "classify".
//
// The user is the owner of the mailbox, as Dovecot names him. Everybody who can open the socket can
// teach for each user, unless MayTeach restricts that.
package script

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"time"

	"github.com/polya-classifier/polya/serve/access"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/internal/gate"
)

// A Server answers Sieve scripts.
type Server struct{ *gate.Server }

// limits are those of a Server where they are not the default: 200 connections, since Dovecot delivers
// in 100 processes; 30 seconds for the request; and 10 for the answer, since Dovecot waits.
var limits = gate.Limits{Connections: 200, MessageTime: 30 * time.Second, AnswerTime: 10 * time.Second}

// New returns a Server. Of a message longer than Limits.Message it reads the beginning and the end. If
// MayTeach is nil, everybody who can open a unix socket may teach, and nobody over a network.
func New(o gate.Options) *Server {
	if o.MayTeach == nil {
		o.MayTeach = access.Anyone
	}
	s := &Server{gate.New(o, limits)}
	// A refused request is read, too: Dovecot 2.3 may end its process if it cannot send it.
	s.Refusal, s.Converse = failed, s.converse
	return s
}

// source is the ledger's source of what scripts teach.
const source = "dovecot"

// The last line of an answer.
const (
	done   = "+\n"
	failed = "-\n"
)

// converse answers the one request of a connection.
func (s *Server) converse(ctx context.Context, conn net.Conn) {
	defer gate.Linger(conn)
	start := time.Now()
	conn.SetDeadline(start.Add(s.MessageTime))
	text := s.Memory.NewExcerpt(int(s.Message))
	defer text.Free()
	r, err := readRequest(newReader(conn), text)
	var output string
	if err == nil {
		// A request in hand is finished, even if the server is told to stop.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.AnswerTime)
		output, err = s.answer(ctx, conn, r)
		cancel()
	}
	switch {
	case err == io.EOF: // somebody has looked whether anybody listens
	case err != nil && !errors.Is(err, errNot):
		s.Log.Warn("script: request failed", "what", r.args, "error", err)
	default:
		s.Log.Info("script: request done", "what", r.args, "success", err == nil, "bytes", len(r.Message), "cut", r.Cut, "took", time.Since(start))
	}
	if r.noReply {
		return
	}
	if err == nil {
		output += done
	} else {
		output = failed
	}
	conn.SetDeadline(time.Now().Add(s.MessageTime))
	conn.Write([]byte(output))
}

// errNot is the negative answer of is, not a failure.
var errNot = errors.New("the message is of another class")

func (s *Server) answer(ctx context.Context, conn net.Conn, r request) (string, error) {
	caller := access.Over(conn)
	caller.User = r.User
	verb, args := "", []string(nil)
	if len(r.args) > 0 {
		verb, args = r.args[0], r.args[1:]
	}
	switch {
	case verb == "is" && (len(args) == 1 || len(args) == 2):
		return "", s.is(ctx, r.Request, args)
	case verb == "classify" && len(args) == 0:
		answer, err := s.Backend.Classify(ctx, r.Request, false)
		return answer.Field(), err
	case (verb == "learn" || verb == "forget") && !s.MayTeach(caller):
		return "", backend.ErrForbidden
	}
	return "", r.teach(ctx, s.Backend)
}

// teach does what a request to learn or to forget asks.
func (r *request) teach(ctx context.Context, b backend.Backend) (err error) {
	switch {
	case len(r.args) == 2 && r.args[0] == "learn": // a class, since an empty line ends the arguments
		_, err = b.Learn(ctx, r.Request, r.args[1])
	case len(r.args) == 1 && r.args[0] == "forget":
		_, err = b.Learn(ctx, r.Request, "")
	default:
		err = fmt.Errorf("%w: there is no %q", errRequest, r.args)
	}
	return err
}

// is returns nil if the message is of the class, errNot if not, or another error.
func (s *Server) is(ctx context.Context, ask backend.Request, args []string) error {
	var least float64
	if len(args) == 2 {
		var err error
		if least, err = strconv.ParseFloat(args[1], 64); err != nil || !(least >= 0 && least <= 1) {
			return fmt.Errorf("%w: %q is no probability", errRequest, args[1])
		}
	}
	answer, err := s.Backend.Classify(ctx, ask, false)
	if err == nil && (answer.Unsure || answer.Class != args[0] || answer.Probability < least) {
		err = errNot
	}
	return err
}
