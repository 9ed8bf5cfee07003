// Package client talks to the daemon that holds a database, over the control socket beside the
// shared database or in the folder of users' databases. It starts nothing and imports little, so
// that a program which asks once ends quickly.
package client

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/control/internal/wire"
)

// Path returns the path of a database's socket.
func Path(database string) string { return database + ".sock" }

// FolderPath returns the path of the socket for all databases in the folder of a path. It
// cannot be the name of a database: no user's name begins with a dot.
func FolderPath(database string) string {
	return Path(filepath.Join(filepath.Dir(database), ".polya"))
}

// Of returns the Client for a database, nil if there is no socket.
func Of(database string, timeout time.Duration) *Client {
	for _, c := range []*Client{{Path: Path(database)}, {Path: FolderPath(database), File: filepath.Base(database)}} {
		if info, err := os.Lstat(c.Path); err == nil && info.Mode().Type() == os.ModeSocket {
			c.Timeout = timeout
			return c
		}
	}
	return nil
}

// ErrAbsent says that there is no daemon, that it holds another database, or that it did not
// answer in time. The training may have happened nevertheless.
var ErrAbsent = errors.New("no answer from the daemon")

// IsTimeout reports whether an error says that a running daemon did not answer in time.
func IsTimeout(err error) bool {
	var t interface{ Timeout() bool }
	return errors.As(err, &t) && t.Timeout()
}

// DefaultTimeout is how long a command waits for a database to read.
const DefaultTimeout = 10 * time.Second

// A Client is a backend.Backend that asks the daemon, with a connection for each call. It
// serves one database and gives no reasons.
type Client struct {
	Path    string        // of the socket
	File    string        // the name of the file of a user's database, "" for the shared one
	Timeout time.Duration // for each step of a call
}

// Classify answers for a message.
func (c *Client) Classify(_ context.Context, r backend.Request, _ bool) (backend.Answer, error) {
	got, err := c.ask(wire.Request{Verb: "classify", Cut: r.Cut}, "answer", r.Message)
	return got.Answer, err
}

// Learn trains the message as class, or moves it there.
func (c *Client) Learn(_ context.Context, r backend.Request, class string) (backend.Outcome, error) {
	got, err := c.ask(wire.Request{Verb: "learn", Cut: r.Cut, Class: class, Source: r.Source}, "outcome", r.Message)
	return got.Outcome, err
}

// Forget takes back what was learned of the message.
func (c *Client) Forget(_ context.Context, r backend.Request) (backend.Outcome, error) {
	got, err := c.ask(wire.Request{Verb: "forget", Cut: r.Cut}, "outcome", r.Message)
	return got.Outcome, err
}

// Classes lists the names of the classes.
func (c *Client) Classes(context.Context, string) ([]string, error) {
	got, err := c.ask(wire.Request{Verb: "classes"}, "classes", nil)
	return got.Classes, err
}

// Decisions are the last answers of a daemon.
type Decisions = wire.Decisions

// Decisions returns the last answers that the daemon keeps, for a user or for all if that
// is "": at most limit of them, or all if limit is 0.
func (c *Client) Decisions(user string, limit int) (Decisions, error) {
	got, err := c.ask(wire.Request{Verb: "decisions", User: user, Limit: limit}, "decisions", nil)
	return got.Decisions, err
}

// Teach learns the message of a decision as class, or moves it there. The decision is the one
// about the message whose id begins with id, for a user, or for anybody if user is ""; it is
// learned in the database of the user who was answered. Teach also returns the class that the
// message was learned as before, or "" if it was not learned.
func (c *Client) Teach(user, id, class, source string) (o backend.Outcome, from string, err error) {
	got, err := c.ask(wire.Request{Verb: "teach", User: user, ID: id, Class: class, Source: source}, "taught", nil)
	return got.Outcome, got.From, err
}

// Borrow has the daemon lend its file to this process until giveBack is called or the process ends.
// Keep giveBack until then; it is nil after an error. Meanwhile the daemon answers but writes
// nothing.
func (c *Client) Borrow() (giveBack func(), err error) {
	_, giveBack, err = c.hold(wire.Request{Verb: "lend"}, "lent", nil)
	return giveBack, err
}

// database is the path of the file.
func (c *Client) database() string {
	if c.File != "" {
		return filepath.Join(filepath.Dir(c.Path), c.File)
	}
	return strings.TrimSuffix(c.Path, Path(""))
}

// ask sends a request and returns the reply, or an error if it is not of the given kind.
func (c *Client) ask(q wire.Request, kind string, message []byte) (wire.Reply, error) {
	r, end, err := c.hold(q, kind, message)
	if err == nil {
		end()
	}
	return r, err
}

// hold is ask with a connection that lasts until end is called or the process ends; end is
// nil after an error.
func (c *Client) hold(q wire.Request, kind string, message []byte) (r wire.Reply, end func(), err error) {
	q.Length, q.File = len(message), c.File
	line := q.Append(make([]byte, 0, 128))
	if len(line) > wire.MaxLine {
		return r, nil, wire.ErrProtocol
	}
	text, end, err := c.exchange(line, message)
	if err != nil {
		return r, nil, fmt.Errorf("%w: %w", ErrAbsent, err)
	}
	if r, err = wire.ParseReply(text); err == nil && r.Kind != kind {
		err = wire.ErrProtocol
	}
	if errors.Is(err, wire.ErrProtocol) || errors.Is(err, backend.ErrUser) {
		err = fmt.Errorf("%w: %w", ErrAbsent, err)
	}
	if err != nil {
		end()
		return r, nil, err
	}
	return r, end, nil
}
