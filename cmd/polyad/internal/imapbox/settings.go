package imapbox

import (
	"cmp"
	"net"
	"slices"
	"strconv"
	"strings"

	"github.com/emersion/go-imap/v2"

	"github.com/polya-classifier/polya/internal/settings"
	"github.com/polya-classifier/polya/serve/config"
)

// Settings say how to reach a mailbox on a server.
type Settings struct {
	Host            string   `toml:"host,omitempty"`
	Port            int      `toml:"port,omitzero"` // 0 is the standard port
	User            string   `toml:"user,omitempty"`
	Password        string   `toml:"password,omitempty"` // refused
	PasswordCommand []string `toml:"password-command,omitempty"`
	TokenCommand    []string `toml:"token-command,omitempty"` // prints an access token of OAuth
	Security        string   `toml:"security,omitempty"`
	Authority       string   `toml:"certificate-authority,omitempty"` // a file; "" is what the system trusts
	Others          []string `toml:"others,omitempty"`                // folders without a rule that are watched; nil: see others
}

// How a connection is secured.
const (
	securityTLS      = "tls"
	securityStartTLS = "starttls"
	securityNone     = "none"
)

// Check checks the settings of the table imap, and fills in what they do not say.
func (s *Settings) Check(k *settings.Checker) {
	s.Security = cmp.Or(s.Security, securityTLS)
	k.Path(&s.Authority)
	k.Want(s.Host != "", "imap.host", "want the name of the server")
	k.Want(s.User != "", "imap.user", "want the name of the user")
	k.Want(s.Port >= 0 && s.Port <= 65535, "imap.port", "%d is no port", s.Port)
	k.Want(s.Security != securityNone || config.Loopback(s.Host), "imap.security", "none would send the password in the clear: want tls or starttls for any server but this machine")
	k.Want(slices.Contains([]string{securityTLS, securityStartTLS, securityNone}, s.Security), "imap.security", "want tls, starttls or none, not %q", s.Security)
	k.Want(s.Password == "", "imap.password", "no password is read from a file: want password-command, or %s", passwordVariable)
	k.Want(len(s.PasswordCommand) == 0 || len(s.TokenCommand) == 0, "imap.token-command", "want a command for the password or one for a token, not both")
	for key, command := range map[string][]string{"imap.password-command": s.PasswordCommand, "imap.token-command": s.TokenCommand} {
		k.Want(!slices.Contains(command, ""), key, "want a program and its arguments, as [\"pass\", \"show\", \"mail\"]")
	}
}

func (s *Settings) address() string {
	return net.JoinHostPort(s.Host, strconv.Itoa(s.port()))
}

func (s *Settings) port() int {
	standard := 143
	if s.Security == securityTLS {
		standard = 993
	}
	return cmp.Or(s.Port, standard)
}

// Mailbox returns a unique name of the mailbox.
func (s *Settings) Mailbox() string { return "imap://" + s.User + "@" + s.address() }

// suggestion is what a keyword that suggests a folder begins with.
const suggestion = "$PolyaSuggests-"

// keyword returns the keyword that suggests a folder, in characters that one may have.
func keyword(folder string) imap.Flag {
	return imap.Flag(suggestion + strings.Map(func(r rune) rune {
		if r <= ' ' || r >= 0x7f || strings.ContainsRune(`(){%*"\]`, r) {
			return '_'
		}
		return r
	}, folder))
}
