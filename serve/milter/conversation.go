package milter

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"time"

	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/internal/gate"
)

// A conversation is one connection of a mail server. It has many messages, one after
// another, and sometimes of one SMTP client after another.
type conversation struct {
	*Server
	conn       net.Conn
	in         *bufio.Reader
	room       []byte // of the packet that was read last
	out        []byte // packets to be written
	negotiated bool
	agreed     session
	auth, rcpt string // macros that came ahead of MAIL and RCPT
	queue      string // the server's id of the message, for the log
	m          message
}

func newConversation(s *Server, conn net.Conn) *conversation {
	c := &conversation{Server: s, conn: conn, in: bufio.NewReader(conn)}
	c.m.text = s.Memory.NewExcerpt(int(s.Message))
	return c
}

// run answers until the mail server sends no more, or ctx is done between two messages.
func (c *conversation) run(ctx context.Context) error {
	for {
		cmd, data, err := c.next(ctx)
		if err != nil {
			if !c.m.begun && (errors.Is(err, io.EOF) || ctx.Err() != nil) {
				return nil
			}
			return err
		}
		if cmd == cmdQuit {
			return nil
		}
		if !c.negotiated && cmd != cmdNegotiate {
			return fmt.Errorf("%w: command %q before the negotiation", errPacket, cmd)
		}
		if err := c.obey(ctx, cmd, data); err != nil {
			return err
		}
		if err := c.flush(); err != nil {
			return err
		}
	}
}

// next reads the next packet. Between two messages it returns an error as soon as ctx is done.
func (c *conversation) next(ctx context.Context) (byte, []byte, error) {
	wait := c.HeaderTime
	if c.m.text.Len() > 0 || c.m.busy {
		wait = c.MessageTime
	}
	c.conn.SetReadDeadline(time.Now().Add(wait))
	if !c.m.begun {
		if err := gate.Await(ctx, c.conn, c.in); err != nil {
			return 0, nil, err
		}
	} else if _, err := c.in.Peek(1); err != nil {
		return 0, nil, err
	}
	// A client that sends a byte of a packet now and then does not hold the connection.
	c.conn.SetReadDeadline(time.Now().Add(c.MessageTime))
	cmd, data, whole, err := readPacket(c.in, c.room)
	if !whole {
		c.m.text.Leave()
	}
	c.room = data
	return cmd, data, err
}

func (c *conversation) obey(ctx context.Context, cmd byte, data []byte) error {
	switch cmd {
	case cmdNegotiate:
		return c.negotiate(data)
	case cmdMacros:
		c.macros(data)
	case cmdMail:
		c.reset()
		c.m.begun, c.m.auth, c.auth = true, c.auth, "" // the login comes again with each message
	case cmdRecipient:
		c.m.addRecipient(c.rcpt, data)
		c.rcpt = ""
	case cmdHeader:
		c.m.addField(data, c.agreed.protocol&leadSpace != 0)
	case cmdEndHeader:
		c.m.endHeader()
	case cmdBody:
		c.m.addBody(data)
	case cmdEnd:
		c.m.addBody(data)
		c.finish(ctx)
		fallthrough
	case cmdAbort, cmdQuitNew:
		// After the latter, the next SMTP client follows under the same agreement.
		c.reset()
		c.queue = ""
	case cmdConnect, cmdHelo, cmdData, cmdUnknown:
	default:
		return fmt.Errorf("%w: unknown command %q", errPacket, cmd)
	}
	if spared, replies := noReply[cmd]; replies && c.agreed.protocol&spared == 0 {
		c.reply(replyContinue)
	}
	return nil
}

func (c *conversation) negotiate(data []byte) error {
	if len(data) < 12 {
		return fmt.Errorf("%w: negotiation of %d bytes", errPacket, len(data))
	}
	offer := parseSession(data)
	if offer.version < minVersion {
		return fmt.Errorf("the mail server speaks version %d of the milter protocol, we need %d", offer.version, minVersion)
	}
	c.agreed = negotiate(offer, c.quarantines)
	c.negotiated = true
	if need := actionAddHeaders | actionChangeHeaders; c.agreed.actions&need != need {
		c.Log.Warn("milter: the mail server does not let us change the header")
	}
	if c.quarantines && c.agreed.actions&actionQuarantine == 0 {
		c.Log.Warn("milter: the mail server has no quarantine")
	}
	c.reply(cmdNegotiate, word(c.agreed.version), word(c.agreed.actions), word(c.agreed.protocol))
	return nil
}

func (c *conversation) macros(data []byte) {
	if len(data) == 0 {
		return
	}
	cmd, data := data[0], data[1:]
	switch cmd {
	case cmdMail:
		c.auth = macro(data, "auth_authen")
	case cmdRecipient:
		c.rcpt = macro(data, "rcpt_addr")
	}
	if id := macro(data, "i"); id != "" {
		c.queue = id
	}
}

func (c *conversation) reset() {
	c.m.text.Free()
	if c.m.begun {
		c.m, c.room = message{text: c.m.text}, nil
	}
}

func (c *conversation) reply(cmd byte, parts ...string) { c.out = appendPacket(c.out, cmd, parts...) }

func (c *conversation) flush() error {
	if len(c.out) == 0 {
		return nil
	}
	c.conn.SetWriteDeadline(time.Now().Add(c.MessageTime))
	_, err := c.conn.Write(c.out)
	c.out = c.out[:0]
	return err
}

var lineEnd = []byte("\r\n")

// A message is the state of one mail transaction.
type message struct {
	begun     bool          // there was a MAIL command, or a part of a message
	auth      string        // login name of the sender, "" without a login
	recipient string        // the first of them
	several   bool          // there are other recipients
	text      *gate.Excerpt // header and body
	busy      bool          // there was no memory for them
	inBody    bool
	forged    int // fields of our name in the message as received
}

// addRecipient takes the argument of RCPT, if the server gave no macro with the address.
func (m *message) addRecipient(macro string, args []byte) {
	m.begun = true
	if macro == "" {
		arg, _ := cut(args)
		macro = strings.TrimSuffix(strings.TrimPrefix(string(arg[:min(len(arg), maxName)]), "<"), ">")
	}
	switch {
	case m.recipient == "":
		m.recipient = macro
	case !strings.EqualFold(m.recipient, macro):
		m.several = true
	}
}

// addField takes a field of the header, unless it has our name. Its value has the space after the colon if
// leadSpace was agreed on, and newlines where it is folded.
func (m *message) addField(data []byte, spaced bool) {
	m.begun = true
	name, rest := cut(data)
	value, _ := cut(rest)
	if strings.EqualFold(string(bytes.TrimRight(name, " \t")), backend.ResultField) {
		m.forged++
		return
	}
	m.add(name)
	m.add([]byte{':'})
	if !spaced {
		m.add([]byte{' '})
	}
	for line := range bytes.SplitSeq(value, []byte{'\n'}) {
		m.add(bytes.TrimSuffix(line, []byte{'\r'}))
		m.add(lineEnd)
	}
}

func (m *message) addBody(data []byte) {
	m.endHeader()
	m.add(data)
}

// add keeps a piece of the text. If there is no memory for it, nothing is kept.
func (m *message) add(piece []byte) {
	if m.busy {
		return
	}
	if _, err := m.text.Write(piece); err != nil {
		m.busy = true
		m.text.Free()
	}
}

func (m *message) endHeader() {
	m.begun = true
	if !m.inBody {
		m.inBody = true
		m.add(lineEnd)
	}
}
