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
	"time"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"
	"github.com/emersion/go-sasl"
)

// dialTimeout is how long a server may take to answer at all.
const dialTimeout = 30 * time.Second

// connect makes a connection, unless there is one.
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
		return fmt.Errorf("%s: %w", b.settings.address(), err)
	}
	stop := context.AfterFunc(ctx, func() { c.Close() })
	defer stop()
	if err := b.logIn(ctx, c); err != nil {
		c.Close()
		return fmt.Errorf("%s: %w", b.settings.address(), err)
	}
	b.client, b.selected = c, ""
	return nil
}

func (b *Box) dial(ctx context.Context) (*imapclient.Client, error) {
	s := &b.settings.Server
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
	o := &imapclient.Options{TLSConfig: config, UnilateralDataHandler: &imapclient.UnilateralDataHandler{
		Expunge: func(uint32) { b.event() },
		Mailbox: func(*imapclient.UnilateralDataMailbox) { b.event() },
		Fetch:   func(m *imapclient.FetchMessageData) { _, _ = m.Collect(); b.event() },
	}}
	d := net.Dialer{Timeout: dialTimeout}
	conn, err := d.DialContext(ctx, "tcp", b.settings.address())
	if err != nil {
		return nil, err
	}
	conn.SetDeadline(time.Now().Add(dialTimeout))
	defer conn.SetDeadline(time.Time{})
	switch s.Security {
	case securityStartTLS:
		return imapclient.NewStartTLS(conn, o)
	case securityTLS:
		config.NextProtos = []string{"imap"}
		over := tls.Client(conn, config)
		if err := over.HandshakeContext(ctx); err != nil {
			conn.Close()
			return nil, err
		}
		return imapclient.New(over, o), nil
	}
	return imapclient.New(conn, o), nil
}

// logIn authenticates the user.
func (b *Box) logIn(ctx context.Context, c *imapclient.Client) error {
	if err := c.WaitGreeting(); err != nil {
		return err
	}
	password, err := b.password(ctx)
	if err != nil {
		return err
	}
	user := b.settings.Server.User
	if c.Caps().Has(imap.AuthCap("PLAIN")) {
		return c.Authenticate(sasl.NewPlainClient("", user, password))
	}
	return c.Login(user, password).Wait()
}

// passwordVariable is the environment variable that has the password, unless a command prints it.
const passwordVariable = "POLYA_IMAP_PASSWORD"

// password returns the password, which is not stored.
func (b *Box) password(ctx context.Context) (string, error) {
	command := b.settings.Server.PasswordCommand
	if len(command) == 0 {
		if password, ok := os.LookupEnv(passwordVariable); ok {
			return password, nil
		}
		return "", fmt.Errorf("no password: neither password-command prints one, nor %s has it", passwordVariable)
	}
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Stdin, cmd.Stderr = os.Stdin, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("password-command %s: %w", command[0], err)
	}
	line, _, _ := bytes.Cut(out, []byte("\n"))
	password := strings.TrimSuffix(string(line), "\r")
	if password == "" {
		return "", errors.New("password-command prints nothing")
	}
	return password, nil
}
