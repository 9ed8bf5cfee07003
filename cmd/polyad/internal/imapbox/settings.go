package imapbox

import (
	_ "embed"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/polya-classifier/polya/cmd/polyad/internal/filing"
	"github.com/polya-classifier/polya/cmd/polyad/internal/watching"
	"github.com/polya-classifier/polya/internal/settings"
)

// Settings are the settings of a mailbox on a server.
type Settings struct {
	watching.Settings
	Server Server   `toml:"server"`
	Others []string `toml:"others"` // folders without a rule that are watched
}

// Server says how to reach the server.
type Server struct {
	Host            string   `toml:"host"`
	Port            int      `toml:"port"` // 0 is the standard port
	User            string   `toml:"user"`
	Password        string   `toml:"password"` // refused
	PasswordCommand []string `toml:"password-command"`
	Security        string   `toml:"security"`
	Authority       string   `toml:"certificate-authority"` // a file; "" is what the system trusts
}

// How a connection is secured.
const (
	securityTLS      = "tls"
	securityStartTLS = "starttls"
	securityNone     = "none"
)

// Template is a settings file to start from.
//
//go:embed settings.toml
var Template []byte

// Load reads settings and checks them.
func Load(path string) (*Settings, filing.Rules, error) {
	s := &Settings{
		Settings: watching.Settings{Source: "imap", Interval: time.Minute, Inbox: watching.InboxSettings{Folder: "INBOX"}},
		Server:   Server{Security: securityTLS},
		Others:   []string{"Trash", "Archive"},
	}
	k, err := settings.Load(path, s)
	if err != nil {
		return nil, nil, err
	}
	rules := s.Rules(k)
	s.Server.check(k)
	for _, name := range s.Others {
		if rules.Named(name) == nil {
			rules = append(rules, &filing.Folder{Name: name})
		}
	}
	return s, rules, k.Err()
}

func (s *Server) check(k *settings.Checker) {
	k.Path(&s.Authority)
	if s.Host == "" {
		k.Wrong("server.host", "want the name of the server")
	}
	if s.User == "" {
		k.Wrong("server.user", "want the name of the user")
	}
	if s.Port < 0 || s.Port > 65535 {
		k.Wrong("server.port", "%d is no port", s.Port)
	}
	switch s.Security {
	case securityTLS, securityStartTLS:
	case securityNone:
		if ip := net.ParseIP(s.Host); s.Host != "localhost" && (ip == nil || !ip.IsLoopback()) {
			k.Wrong("server.security", "none would send the password in the clear: want tls or starttls for any server but this machine")
		}
	default:
		k.Wrong("server.security", "want tls, starttls or none, not %q", s.Security)
	}
	if s.Password != "" {
		k.Wrong("server.password", "no password is read from a file: want password-command, or %s", passwordVariable)
	}
	if slices.Contains(s.PasswordCommand, "") {
		k.Wrong("server.password-command", "want a program and its arguments, as [\"pass\", \"show\", \"mail\"]")
	}
}

// address returns the address of the server.
func (s *Settings) address() string {
	port := s.Server.Port
	if port == 0 {
		port = 143
		if s.Server.Security == securityTLS {
			port = 993
		}
	}
	return net.JoinHostPort(s.Server.Host, strconv.Itoa(port))
}

// Mailbox returns a unique name of the mailbox.
func (s *Settings) Mailbox() string { return "imap://" + s.Server.User + "@" + s.address() }

// keyword returns the keyword of a folder: its class, in characters that a keyword may have.
func (s *Settings) keyword(folder string) string {
	for _, f := range s.Folders {
		if f.Name == folder {
			return strings.Map(func(r rune) rune {
				if r <= ' ' || r >= 0x7f || strings.ContainsRune(`(){%*"\]`, r) {
					return '_'
				}
				return r
			}, f.Class)
		}
	}
	return ""
}
