// Package client asks the daemon that holds a database over HTTP, on the socket beside it or in the folder of
// users' databases. It does without net/http, so that a program that asks once starts and ends quickly.
package client

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/polya-classifier/polya/serve/backend"
)

// Path returns the path of a database's socket.
func Path(database string) string { return database + ".sock" }

// FolderPath returns the path of the socket for all databases in the folder of a path. It
// cannot be the name of a database: no user's name begins with a dot.
func FolderPath(database string) string {
	return Path(filepath.Join(filepath.Dir(database), ".polya"))
}

// leastTimeout is time for a daemon that does not hang to answer: not to wait for a database in use
// is not to ask nobody.
const leastTimeout = time.Second

// Of returns the Client for a database, nil if there is no socket. The timeout is a second at least.
func Of(database string, timeout time.Duration) *Client {
	for _, c := range []*Client{{Path: Path(database)}, {Path: FolderPath(database), File: filepath.Base(database)}} {
		if info, err := os.Lstat(c.Path); err == nil && info.Mode().Type() == os.ModeSocket {
			c.Timeout = max(timeout, leastTimeout)
			return c
		}
	}
	return nil
}

// ErrAbsent says that there is no daemon, that it holds another database, that it has no
// connection left, or that it did not answer in time. The training may have happened nevertheless.
var ErrAbsent = errors.New("no answer from the daemon")

// ErrNotKept says how to have decisions kept.
var ErrNotKept = errors.New("no decisions are kept: in the configuration of the daemon, keep = true in [decisions] keeps them")

// DefaultTimeout is how long a command waits for a database to read.
const DefaultTimeout = 10 * time.Second

// A Client asks the daemon, with a connection for each call. It
// serves one database, unless a Request names a user, and gives no reasons.
type Client struct {
	Path    string        // of the socket
	File    string        // the name of the file of a user's database, "" for the shared one
	Timeout time.Duration // of connecting, and of a call then
}

// Classify answers for a message.
func (c *Client) Classify(_ context.Context, r backend.Request, _ bool) (a backend.Answer, err error) {
	err = c.ask("POST", "classify", about(&r), r.Message, &a)
	return a, err
}

// Learn trains the message as class, or moves it there, or takes back what was learned of it if class is "".
func (c *Client) Learn(_ context.Context, r backend.Request, class string) (backend.Outcome, error) {
	route, q := "forget", about(&r)
	if class != "" {
		route = "train"
		q.Set("class", class)
	}
	var done Trained
	err := c.ask("POST", route, q, r.Message, &done)
	return done.Outcome, err
}

func about(r *backend.Request) url.Values {
	q := url.Values{"source": {r.Source}}
	if r.Cut {
		q.Set("cut", "")
	}
	if r.User != "" {
		q.Set("user", r.User)
	}
	return q
}

// Decisions returns the last answers that the daemon keeps, for a user or for all if that
// is "": at most limit of them, or all if limit is 0.
func (c *Client) Decisions(user string, limit int) (all Decisions, err error) {
	err = c.ask("GET", "decisions", url.Values{"user": {user}, "limit": {strconv.Itoa(limit)}}, nil, &all)
	if err == nil && !all.Kept {
		err = ErrNotKept
	}
	return all, err
}

// Teach learns the message of a decision, whose id begins with id, as class, or moves it there, in the database
// of the user who was answered. It is one for that user, or for anybody if user is "".
func (c *Client) Teach(user, id, class, source string) (done Trained, err error) {
	err = c.ask("POST", "teach", url.Values{"user": {user}, "id": {id}, "class": {class}, "source": {source}}, nil, &done)
	return done, err
}

// Borrow asks the daemon, which goes on to answer, to let this process write its file until giveBack is called
// or the process ends. Keep giveBack until then; it is nil after an error.
func (c *Client) Borrow() (giveBack func(), err error) {
	return c.hold("POST", "lend", url.Values{}, nil, new(struct{}))
}

func (c *Client) database() string {
	if c.File != "" {
		return filepath.Join(filepath.Dir(c.Path), c.File)
	}
	return strings.TrimSuffix(c.Path, Path(""))
}

// ask sends a request and reads the reply into into.
func (c *Client) ask(method, route string, q url.Values, message []byte, into any) error {
	end, err := c.hold(method, route, q, message, into)
	if err == nil {
		end()
	}
	return err
}

// hold is ask with a connection that lasts until end is called, which is nil after an error.
func (c *Client) hold(method, route string, q url.Values, message []byte, into any) (end func(), err error) {
	if c.File != "" {
		q.Set("file", c.File)
	}
	s, err := c.dial()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrAbsent, err)
	}
	if err = exchange(s, method+" /v1/"+route+"?"+q.Encode(), message, into); err != nil {
		s.Close()
		return nil, err
	}
	return func() { s.Close() }, nil
}

// Trained is the reply to a training: what it changed.
type Trained struct {
	Outcome  backend.Outcome `json:"outcome"`
	From     string          `json:"from,omitempty"`    // the class that the message of a decision was learned as before, if any
	FromTags []string        `json:"fromTags,omitzero"` // the same in a database of tags: all that it had
}

// Decisions is the reply that lists the last answers.
type Decisions struct {
	Decisions []backend.Decision `json:"decisions"` // the newest first
	Kept      bool               `json:"kept"`      // whether the daemon keeps its answers
}
