package imapbox

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"
	"github.com/emersion/go-sasl"

	"github.com/polya-classifier/polya/cmd/polyad/internal/watching"
)

func (b *Box) connect(ctx context.Context) error {
	if b.client != nil {
		select {
		case <-b.client.Closed():
			b.Close()
		default:
			return nil
		}
	}
	c, err := b.dial(ctx)
	if err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() { c.Close() })()
	b.client, b.selected = c, ""
	err = b.logIn(ctx, c)
	if no := refused(err); errors.Is(no, watching.ErrUnusable) || errors.Is(no, watching.ErrFolder) {
		err = fmt.Errorf("%w: %w", watching.ErrLogin, err)
	}
	return err
}

func (b *Box) dial(ctx context.Context) (*imapclient.Client, error) {
	s := b.settings
	b.answers = &answers{}
	config := &tls.Config{ServerName: s.Host, MinVersion: tls.VersionTLS12}
	if s.Authority != "" {
		pem, err := os.ReadFile(s.Authority)
		if err != nil {
			return nil, err
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("%s: there is no certificate in it", s.Authority)
		}
	}
	o := &imapclient.Options{TLSConfig: config, DebugWriter: b.answers, UnilateralDataHandler: &imapclient.UnilateralDataHandler{
		Expunge: func(uint32) { b.event() },
		Mailbox: func(*imapclient.UnilateralDataMailbox) { b.event() },
		Fetch:   func(m *imapclient.FetchMessageData) { _, _ = m.Collect(); b.event() },
	}}
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", s.address())
	if err != nil {
		return nil, err
	}
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	switch s.Security {
	case securityStartTLS:
		return imapclient.NewStartTLS(conn, o)
	case securityTLS:
		config.NextProtos = []string{"imap"}
		secure := tls.Client(conn, config)
		if err := secure.HandshakeContext(ctx); err != nil { // of the client no error tells its cause
			conn.Close()
			return nil, err
		}
		return imapclient.New(secure, o), nil
	}
	return imapclient.New(conn, o), nil
}

func (b *Box) logIn(ctx context.Context, c *imapclient.Client) error {
	if err := c.WaitGreeting(); err != nil {
		return err
	}
	s := b.settings
	if len(s.TokenCommand) > 0 {
		token, err := output(ctx, "token-command", s.TokenCommand)
		if err != nil {
			return err
		}
		switch caps := c.Caps(); {
		case caps.Has(imap.AuthCap(sasl.OAuthBearer)):
			return c.Authenticate(sasl.NewOAuthBearerClient(&sasl.OAuthBearerOptions{Username: s.User, Token: token, Host: s.Host, Port: s.port()}))
		case caps.Has(imap.AuthCap(xoauth2Name)):
			return c.Authenticate(xoauth2{s.User, token})
		}
		return errors.New("the server takes no token: it offers neither OAUTHBEARER nor XOAUTH2")
	}
	password, err := b.password(ctx)
	if err != nil {
		return err
	}
	if c.Caps().Has(imap.AuthCap(sasl.Plain)) {
		return c.Authenticate(sasl.NewPlainClient("", s.User, password))
	}
	return c.Login(s.User, password).Wait()
}

const xoauth2Name = "XOAUTH2"

// xoauth2 is a sasl.Client for the mechanism of that name, which Google and Microsoft describe.
type xoauth2 struct{ user, token string }

// Start returns the initial response.
func (x xoauth2) Start() (mechanism string, response []byte, err error) {
	return xoauth2Name, []byte("user=" + x.user + "\x01auth=Bearer " + x.token + "\x01\x01"), nil
}

// Next answers the description of an error, after which the server refuses.
func (x xoauth2) Next([]byte) ([]byte, error) { return []byte{}, nil }

// passwordVariable is the environment variable that has the password, unless a command prints it.
const passwordVariable = "POLYA_IMAP_PASSWORD"

// password returns the password, which is not stored.
func (b *Box) password(ctx context.Context) (string, error) {
	command := b.settings.PasswordCommand
	if len(command) > 0 {
		return output(ctx, "password-command", command)
	}
	if password, ok := os.LookupEnv(passwordVariable); ok {
		return password, nil
	}
	return "", fmt.Errorf("no password: set the environment variable %s to it, or password-command to what prints it, and begin again", passwordVariable)
}

// output returns the first line that a command prints, which no error repeats.
func output(ctx context.Context, key string, command []string) (string, error) {
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Stdin, cmd.Stderr, cmd.WaitDelay = os.Stdin, os.Stderr, time.Second
	out, err := cmd.Output()
	if err != nil && !errors.Is(err, exec.ErrWaitDelay) { // that is of a program that it left behind
		return "", fmt.Errorf("%s %s: %w", key, command[0], err)
	}
	line, _, _ := bytes.Cut(out, []byte("\n"))
	if secret := strings.TrimSuffix(string(line), "\r"); secret != "" {
		return secret, nil
	}
	return "", fmt.Errorf("%s prints nothing", key)
}

// During one call a server may send maxAnswers bytes beside the message that was asked for: the dates of 900,000
// new messages. Each open parenthesis is a call of the decoder within another. Some are in names and texts, and in
// the first 4 KiB of a message, which are read before it is known to be one.
const (
	maxAnswers = 64 << 20
	maxOpen    = 10_000
)

// answers fails when a server has sent too much. It is the client's DebugWriter, which sees the
// text below TLS, and commands too.
type answers struct {
	mu                   sync.Mutex
	bytes, open, message int // message: bytes of one that are not counted
	err                  error
}

// Write counts what was read.
func (a *answers) Write(p []byte) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	counted := p[min(a.message, len(p)):]
	a.message -= len(p) - len(counted)
	a.bytes += len(counted)
	a.open = max(a.open+bytes.Count(counted, []byte("("))-bytes.Count(counted, []byte(")")), 0)
	if a.err == nil && (a.bytes > maxAnswers || a.open > maxOpen) {
		a.err = fmt.Errorf("the server sends more than %d MiB, or more than %d parentheses within each other", maxAnswers>>20, maxOpen)
	}
	if a.err != nil {
		return 0, a.err // none of p, or the decoder would go on with it
	}
	return len(p), nil
}

// expect counts anew, after so many bytes of a message, and returns the error of Write until now.
func (a *answers) expect(message int) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.bytes, a.open, a.message = 0, 0, message
	return a.err
}
