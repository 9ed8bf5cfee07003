// Package control serves the sockets by which polya's commands reach the daemon that holds a
// database: one beside the shared database, and one in the folder of users' databases. Only root
// and the user that the daemon runs as may use it. A connection carries one request, a line and
// then a message, and its reply.
package control

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"time"

	"github.com/polya-classifier/polya/serve/access"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/control/client"
	"github.com/polya-classifier/polya/serve/control/internal/wire"
	"github.com/polya-classifier/polya/serve/internal/gate"
)

// Path returns the path of a database's socket.
func Path(database string) string { return client.Path(database) }

// FolderPath returns the path of the socket for all databases in the folder of a path.
func FolderPath(database string) string { return client.FolderPath(database) }

// Options say how a Server answers.
type Options struct {
	Log *slog.Logger // of failures, without content; nil logs nothing
	gate.Limits

	// Owner returns the user whose database has this file name. nil knows no users.
	Owner func(file string) (user string, err error)

	// Lend lends the file of a user's database, or of the shared one if user is "", until
	// giveBack is called. nil lends none.
	Lend func(ctx context.Context, user string) (giveBack func(), err error)

	// Keeper has the last answers. nil keeps none.
	Keeper Keeper
}

// A Server answers the commands of polya.
type Server struct {
	backend     backend.Backend
	options     Options
	connections *gate.Connections
	memory      *gate.Memory
}

// New makes a server for a classifier.
func New(b backend.Backend, o Options) *Server {
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	o.Limits = o.Limits.Filled()
	return &Server{b, o, gate.NewConnections(o.Connections, o.Log), gate.NewMemory(o.Memory, o.Connections)}
}

// Serve answers the connections of l, a unix socket, until ctx is done. Then it closes l,
// gives requests in progress at most 20 seconds, and returns nil. It returns an error if
// l fails.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	return gate.Serve(ctx, s.connections.Listener(l, ""), s.options.Log, s.converse)
}

// converse answers the one request of a connection.
func (s *Server) converse(ctx context.Context, c net.Conn) {
	c.SetDeadline(time.Now().Add(s.options.MessageTime))
	user, text, err := s.answer(context.WithoutCancel(ctx), c)
	if errors.Is(err, errLend) {
		if err = s.lend(ctx, user, c); err == nil {
			return
		}
	}
	if err != nil && !errors.Is(err, backend.ErrUser) {
		s.options.Log.Warn("control: request failed", "error", err)
	}
	if err != nil {
		text = wire.AppendError(nil, err)
	}
	c.SetDeadline(time.Now().Add(s.options.MessageTime))
	_, _ = c.Write(text)
	gate.Linger(c)
}

// errLend says that the request asks for the file itself.
var errLend = errors.New("the database is not lent")

// lend lends the file until the connection or the server ends.
func (s *Server) lend(ctx context.Context, user string, c net.Conn) error {
	if s.options.Lend == nil {
		return errLend
	}
	waiting, cancel := context.WithTimeout(ctx, s.options.AnswerTime)
	defer cancel()
	giveBack, err := s.options.Lend(waiting, user)
	if err != nil {
		return err
	}
	defer giveBack()
	c.SetDeadline(time.Time{})
	defer context.AfterFunc(ctx, func() { c.SetDeadline(time.Unix(1, 0)) })()
	if _, err := io.WriteString(c, "lent\n"); err == nil {
		_, _ = io.Copy(io.Discard, c)
	}
	return nil
}

// answer reads a request and returns the reply, and the user whose database it is about.
func (s *Server) answer(ctx context.Context, c net.Conn) (user string, reply []byte, err error) {
	if !access.Owner(access.Caller{UID: access.UID(c)}) {
		return "", nil, backend.ErrForbidden
	}
	in := bufio.NewReaderSize(c, wire.MaxLine)
	line, err := in.ReadSlice('\n')
	if err != nil {
		return "", nil, wire.ErrProtocol
	}
	q, err := wire.ParseRequest(string(line[:len(line)-1]))
	if err != nil {
		return "", nil, err
	}
	if user, err = s.owner(&q); err != nil {
		return "", nil, err
	}
	if int64(q.Length) > s.options.Message {
		return user, nil, backend.ErrSize
	}
	message, free, err := s.memory.Read(io.LimitReader(in, int64(q.Length)), int64(q.Length))
	defer free()
	if err == nil && len(message) < q.Length {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return user, nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, s.options.AnswerTime)
	defer cancel()
	reply, err = s.do(ctx, user, &q, message)
	return user, reply, err
}

// owner returns the user whose database a request is about, "" if it is the shared one.
func (s *Server) owner(q *wire.Request) (string, error) {
	switch {
	case q.File == "":
		return "", nil
	case s.options.Owner == nil:
		return "", backend.ErrUser
	}
	return s.options.Owner(q.File)
}

func (s *Server) do(ctx context.Context, user string, q *wire.Request, message []byte) ([]byte, error) {
	r := backend.Request{Message: message, Cut: q.Cut, User: user, Source: q.Source}
	var outcome backend.Outcome
	var err error
	switch q.Verb {
	case "classify":
		a, err := s.backend.Classify(ctx, r, false)
		return wire.AppendAnswer(nil, &a), err
	case "classes":
		classes, err := s.backend.Classes(ctx, user)
		return wire.AppendClasses(nil, classes), err
	case "lend":
		return nil, errLend
	case "decisions":
		return s.decisions(cmp.Or(user, q.User), q.Limit)
	case "teach":
		return s.teach(ctx, cmp.Or(user, q.User), q)
	case "learn":
		outcome, err = s.backend.Learn(ctx, r, q.Class)
	case "forget":
		outcome, err = s.backend.Forget(ctx, r)
	default:
		return nil, wire.ErrProtocol
	}
	return wire.AppendOutcome(nil, outcome), err
}
