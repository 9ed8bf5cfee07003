// Package milter lets a mail server (Postfix, Sendmail) ask for the class of each message before it accepts it,
// over the milter protocol, versions 2 to 6. A field with the answer is put into the header in place of those
// that came with the message, and messages of chosen classes may be quarantined or refused.
package milter

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/polya-classifier/polya/serve/internal/gate"
)

// An Action is what happens to a message.
type Action string

// What a rule may do. A message is never dropped: its sender learns of a refusal.
const (
	Deliver    Action = "deliver"    // with the field in its header
	Quarantine Action = "quarantine" // into the hold queue of the mail server, with the field
	TempFail   Action = "tempfail"   // refused for now; the sender tries again
	Reject     Action = "reject"     // refused for good
)

// A Rule gives the action for answers. It does not apply where the classifier abstains.
type Rule struct {
	Class  string  `toml:"class"` // the class it is for, "" for each
	Above  float64 `toml:"above"` // the least probability, 0 to 1
	Action Action  `toml:"action"`
	Text   string  `toml:"text"` // what the sender is told after 550 5.7.1 or 451 4.7.1, or the reason for the quarantine; "" for our words
}

// A UserFrom says whose database is asked.
type UserFrom string

// Where the name of the user comes from.
const (
	Fixed         UserFrom = "fixed"         // Policy.User; so is ""
	Recipient     UserFrom = "recipient"     // the recipient's address; Policy.User for messages to several
	Authenticated UserFrom = "authenticated" // the login name of the sender; Policy.User without a login
)

// maxForged is how many fields of our name are deleted from a message. Each makes the mail server
// search the whole header; a message with more is rejected.
const maxForged = 100

// A Policy says what is asked about messages, and what happens to them.
type Policy struct {
	Rules    []Rule   `toml:"rules"` // the first that applies; without one, Deliver
	UserFrom UserFrom `toml:"user-from"`
	User     string   `toml:"user"` // "" for the shared database
	// TempFailOnError refuses a message for now if the backend fails or is busy. Otherwise
	// the message is delivered without an answer, and without forged ones.
	TempFailOnError bool `toml:"tempfail-on-error"`
}

// Check returns why a rule cannot be.
func (r *Rule) Check() error {
	switch {
	case !slices.Contains([]Action{Deliver, Quarantine, TempFail, Reject}, r.Action):
		return fmt.Errorf("action: want deliver, quarantine, tempfail or reject, not %q", r.Action)
	case !(r.Above >= 0 && r.Above <= 1):
		return errors.New("above: want a probability, 0 to 1")
	case len(r.Text) > maxText || strings.ContainsFunc(r.Text, func(c rune) bool { return c < ' ' || c > '~' }):
		return fmt.Errorf("text: want one line of at most %d ASCII characters", maxText)
	}
	return nil
}

// A Server answers mail servers.
type Server struct {
	*gate.Server
	Policy
	quarantines bool
}

// limits are those of a Server where they are not the default. HeaderTime is how long the mail server
// may wait between commands while no part of a message has come, MessageTime how long a packet may
// take, and how long the parts of a message may be apart, which the mail server has at hand: 10
// minutes, since an SMTP client may wait for 5 between its own commands, and 30 seconds. An answer has
// 10 seconds, since that client waits with Postfix, which needs a connection for each smtpd process,
// 100 by default. 16 MiB of a message is more than mail servers accept.
var limits = gate.Limits{
	Connections: 1000, Message: 16 << 20, HeaderTime: 10 * time.Minute, MessageTime: 30 * time.Second, AnswerTime: 10 * time.Second,
}

// New returns a Server. Of a message longer than Limits.Message it reads the beginning and the end, and one for
// which there is no memory is refused for now: nobody passes unread by filling the memory. Beyond
// Limits.Connections the mail server does what it does without a filter.
func New(o gate.Options, p Policy) *Server {
	s := &Server{gate.New(o, limits), p, slices.ContainsFunc(p.Rules, func(r Rule) bool { return r.Action == Quarantine })}
	s.Converse = s.converse
	return s
}

// maxText keeps a reply within the 512 bytes of a line of SMTP.
const maxText = 400

func (s *Server) converse(ctx context.Context, conn net.Conn) {
	c := newConversation(s, conn)
	defer c.reset()
	if err := c.run(ctx); err != nil {
		s.Log.Info("milter: connection ended early", "queue", c.queue, "error", err)
	}
}
