// Package milter lets a mail server (Postfix, Sendmail) ask for the class of each message
// before it accepts it, over the milter protocol, versions 2 to 6. A field with the answer
// is added to the header, fields of that name that came with the message are deleted, and
// messages of chosen classes may be quarantined or refused.
package milter

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"time"

	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/internal/gate"
)

// An Action is what happens to a message.
type Action int

// What a rule may do. A message is never dropped: its sender learns of a refusal.
const (
	Deliver    Action = iota // with the field in its header
	Quarantine               // into the hold queue of the mail server, with the field
	TempFail                 // refused for now; the sender tries again
	Reject                   // refused for good
)

// A Rule gives the action for answers. It does not apply where the classifier abstains.
type Rule struct {
	Class  string  // the class it is for, "" for each
	Above  float64 // the least probability, 0 to 1
	Action Action
	Text   string // what the sender is told after 550 5.7.1 or 451 4.7.1, or the reason for the quarantine; "" for our words
}

// A UserFrom says whose database is asked.
type UserFrom int

// Where the name of the user comes from.
const (
	Fixed         UserFrom = iota // Options.User
	Recipient                     // the recipient's address; Options.User for messages to several
	Authenticated                 // the login name of the sender; Options.User without a login
)

// maxForged is how many fields of our name are deleted from a message. Each makes the mail server
// search the whole header; a message with more is rejected.
const maxForged = 100

// Options say how a Server answers.
type Options struct {
	Backend  backend.Backend
	Log      *slog.Logger // nothing of the contents of a message is logged; nil for no log
	Header   string       // the field, by default backend.ResultField
	Rules    []Rule       // the first that applies; without one, Deliver
	UserFrom UserFrom
	User     string // "" for the shared database
	// TempFailOnError refuses a message for now if the backend fails or is busy. Otherwise
	// the message is delivered without an answer, and without forged ones.
	TempFailOnError bool
	// Of a message longer than Limits.Message the beginning and the end are read, and one for which
	// there is no memory is refused for now: if it passed, a sender could fill the memory to have it
	// pass unread. HeaderTime is how long the mail server may wait between commands while no part of
	// a message has come, MessageTime how long a packet may take, and how long the parts of a message
	// may be apart, which the mail server has at hand. 0 selects the default of gate.Limits except:
	// 1,000 connections, since Postfix needs one for each smtpd process, 100 by default; 16 MiB of a
	// message, which is more than mail servers accept; 10 minutes between commands, since an SMTP
	// client may wait for 5 between its own; 30 seconds for a packet; and 10 for the answer, since
	// that client waits with Postfix. One connection more is closed, and the mail server does what it
	// does without a filter.
	gate.Limits
}

// A Server answers mail servers.
type Server struct {
	Options
	connections *gate.Connections
	quarantines bool
}

// New returns a Server, or an error if an option makes no sense.
func New(o Options) (*Server, error) {
	if o.Backend == nil {
		return nil, errors.New("no backend")
	}
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	o.Header = cmp.Or(o.Header, backend.ResultField)
	if strings.ContainsFunc(o.Header, func(r rune) bool { return r <= ' ' || r > '~' || r == ':' }) {
		return nil, fmt.Errorf("%q is no name of a header field", o.Header)
	}
	if o.UserFrom < Fixed || o.UserFrom > Authenticated {
		return nil, fmt.Errorf("there is no way %d to find the user", o.UserFrom)
	}
	s := &Server{Options: o}
	for _, r := range o.Rules {
		if err := r.check(); err != nil {
			return nil, err
		}
		s.quarantines = s.quarantines || r.Action == Quarantine
	}
	s.Connections = cmp.Or(s.Connections, 1000)
	s.Message = cmp.Or(s.Message, 16<<20)
	s.HeaderTime = cmp.Or(s.HeaderTime, 10*time.Minute)
	s.MessageTime = cmp.Or(s.MessageTime, 30*time.Second)
	s.AnswerTime = cmp.Or(s.AnswerTime, 10*time.Second)
	s.Limits = s.Limits.Filled()
	s.connections = gate.NewConnections(s.Connections, s.Log)
	return s, nil
}

// maxText keeps a reply within the 512 bytes of a line of SMTP.
const maxText = 400

// CheckText returns why a Rule cannot have a text.
func CheckText(text string) error {
	if len(text) > maxText || strings.ContainsFunc(text, func(c rune) bool { return c < ' ' || c > '~' }) {
		return fmt.Errorf("the text must be one line of at most %d ASCII characters", maxText)
	}
	return nil
}

func (r Rule) check() error {
	switch {
	case r.Action < Deliver || r.Action > Reject:
		return fmt.Errorf("rule for class %q: there is no action %d", r.Class, r.Action)
	case !(r.Above >= 0 && r.Above <= 1):
		return fmt.Errorf("rule for class %q: %v is no probability", r.Class, r.Above)
	}
	if err := CheckText(r.Text); err != nil {
		return fmt.Errorf("rule for class %q: %w", r.Class, err)
	}
	return nil
}

// Serve answers mail servers that connect to l, until ctx is done: then it closes l and
// idle connections, and finishes the current messages, for at most 20 seconds. It returns
// nil if ctx ended it, and else the error of l.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	return gate.Serve(ctx, s.connections.Listener(l, ""), s.Log, func(ctx context.Context, conn net.Conn) {
		c := newConversation(s, conn)
		defer c.reset()
		if err := c.run(ctx); err != nil {
			s.Log.Info("milter: connection ended early", "queue", c.queue, "error", err)
		}
	})
}
