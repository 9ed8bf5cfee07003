package config

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/user"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/serve/api/client"
	"github.com/polya-classifier/polya/serve/milter"
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/tokenize"
)

// config checks c, and makes its paths absolute.
func (k *checker) config(c *Config) {
	k.database(&c.Database)
	k.users(&c.Database, &c.Users)
	k.Path(&c.Learning.TokenFile)
	if file := c.Learning.TokenFile; file != "" {
		if _, err := os.Lstat(file); !errors.Is(err, fs.ErrNotExist) { // a daemon makes it: MakeToken
			c.Token = k.Token("learning.token-file", file)
		}
	}
	if a := c.Auto; !(a.Error > 0 && a.Error < .5) || a.People == 0 || a.Slack <= 0 {
		k.Wrong("auto", "want an error above 0 and below 0.5, and people and slack of at least 1")
	}
	if c.Log.Format != "text" && c.Log.Format != "json" {
		k.Wrong("log.format", "want text or json, not %q", c.Log.Format)
	}
	if c.Decisions.Size < 1<<20 || c.Decisions.Retention <= 0 {
		k.Wrong("decisions", "want a size of at least 1 MiB and a retention above 0; keep = false keeps none")
	}
	if c.Decisions.Message < 0 || c.Decisions.Message > maxKept {
		k.Wrong("decisions.message", "want a size of at most 1 MiB, or 0 to keep no messages")
	}
	seen := map[string]string{}
	for _, kind := range []struct {
		name string
		list []Listener
	}{{"spamd", c.Spamd}, {"rspamd", c.Rspamd}, {"script", c.Script}, {"spool", c.Spool}} {
		for i := range kind.list {
			k.listener(fmt.Sprintf("%s[%d]", kind.name, i), &kind.list[i], c, seen)
		}
	}
	for i := range c.HTTP {
		k.listener(fmt.Sprintf("http[%d]", i), &c.HTTP[i].Listener, c, seen)
	}
	for i := range c.Milter {
		k.milter(fmt.Sprintf("milter[%d]", i), &c.Milter[i], c, seen)
	}
	if len(seen) == 0 {
		k.Wrong("", "there is no listener: want at least one of [[spamd]], [[rspamd]], [[milter]], [[script]], [[spool]], [[http]]")
	}
}

// maxKept bounds the bytes kept of a message: all that wait to be written are in memory.
const maxKept = 1 << 20

func (k *checker) database(d *Database) {
	if d.Path == "" {
		k.Wrong("database.path", "want the path of the database")
	}
	k.Path(&d.Path)
	if d.Control && len(client.Path(d.Path)) > maxSocket {
		k.Wrong("database.path", "the path of the socket beside it would be too long: want at most %d bytes, or control = false", maxSocket-len(client.Path("")))
	}
	for key, names := range map[string][]string{"database.spam": d.Spam, "database.classes": d.Classes} {
		for _, name := range names {
			if err := count.CheckClass(name); err != nil {
				k.Wrong(key, "class %q: %v", name, err)
			}
		}
	}
	switch {
	case d.FalsePositiveRate < 0 || d.FalsePositiveRate >= 1:
		k.Wrong("database.false-positive-rate", "want a share, above 0 and below 1")
	case d.FalsePositiveRate > 0 && len(d.Spam) != 1:
		k.Wrong("database.false-positive-rate", "there is one for a single class of spam only")
	}
	if !(d.Threshold >= 0 && d.Threshold < 1) {
		k.Wrong("database.threshold", "want a probability, at least 0 and below 1")
	}
	if _, err := classify.ParseModel(d.Model); err != nil {
		k.Wrong("database.model", "%v", err)
	}
	if d.Analyzer != "" {
		if _, err := tokenize.New(d.Analyzer); err != nil {
			k.Wrong("database.analyzer", "%v", err)
		}
	}
	if ledgers[d.Ledger] == 0 {
		k.Wrong("database.ledger", "want full, digest or none, not %q", d.Ledger)
	}
	if d.MaxMemory < 2*d.MaxMessage {
		k.Wrong("database.max-memory", "want at least twice max-message")
	}
	for key, n := range map[string]int{"max-message": int(d.MaxMessage), "max-waiting": d.MaxWaiting, "max-answers": d.MaxAnswers, "fit-after": int(d.FitAfter)} {
		if n <= 0 {
			k.Wrong("database."+key, "want a value above 0")
		}
	}
}

func (k *checker) users(d *Database, u *Users) {
	k.Path(&u.Path)
	switch {
	case u.Path != "" && strings.Count(filepath.Base(u.Path), "%u") != 1:
		k.Wrong("users.path", "want %%u once, for the name of the user, in the name of the file")
	case u.Path != "" && strings.Contains(filepath.Dir(u.Path), "%u"):
		k.Wrong("users.path", "%%u can stand in the name of the file only")
	case u.Path != "" && d.Control && len(client.FolderPath(u.Path)) > maxSocket:
		k.Wrong("users.path", "the path of the socket in the folder would be too long: want a folder of at most %d bytes, or control = false", maxSocket-len(client.FolderPath("/")))
	case u.Path == "" && (u.Names != nil || u.Pattern != ""):
		k.Wrong("users", "there are users, but no path of their databases")
	}
	if _, err := regexp.Compile(u.Pattern); err != nil {
		k.Wrong("users.pattern", "%v", err)
	}
	if u.MaxOpen <= 0 {
		k.Wrong("users.max-open", "want at least 1")
	}
}

func (k *checker) listener(key string, l *Listener, c *Config, seen map[string]string) {
	if network, path := l.Where(); network == "unix" && path != "" {
		k.Path(&path)
		l.Address = path
	}
	network, address := l.Where()
	kind, _, _ := strings.Cut(key, "[")
	switch {
	case l.Address == "":
		k.Wrong(key+".address", "want the path of a socket, an address as \"127.0.0.1:783\", or \"systemd:NAME\"")
	case network == "unix" && address == "":
		k.Wrong(key+".address", "want the path of a socket")
	case network == "unix" && len(address) > maxSocket:
		k.Wrong(key+".address", "the path of a socket has at most %d bytes", maxSocket)
	case network == "tcp":
		k.tcp(key, l, address)
	}
	if other := seen[network+address]; other != "" {
		k.Wrong(key+".address", "%s listens there already", other)
	}
	seen[network+address] = key
	if l.Mode == 0 {
		l.Mode = 0o600
		if l.Group != "" {
			l.Mode = 0o660
		}
	}
	if l.Group != "" {
		if _, err := GroupID(l.Group); err != nil {
			k.Wrong(key+".group", "%v", err)
		}
	}
	if network != "unix" && l.Group != "" {
		k.Wrong(key+".group", "only a socket that polya makes has a group")
	}
	if l.Connections < 0 {
		k.Wrong(key+".connections", "want a number of connections, or 0 for the default")
	}
	k.teach(key, kind, l, c)
}

// Teacher is who may teach by default, as a value of Listener.Teach.
func (c *Config) Teacher() string {
	if c.Users.Path != "" {
		return "self"
	}
	return "owner"
}

// maxSocket is the longest path of a socket that all systems accept, less the suffix that the
// name has while the socket is made.
const maxSocket = 100

func (k *checker) teach(key, kind string, l *Listener, c *Config) {
	network, _ := l.Where()
	scripts := kind == "script" || kind == "spool"
	switch {
	case kind == "milter" && l.Teach != "":
		k.Wrong(key+".teach", "nobody teaches over this protocol")
	case l.Teach == "" && scripts:
		l.Teach = "anyone"
	case l.Teach == "":
		l.Teach = c.Teacher()
	}
	switch {
	case !slices.Contains([]string{"owner", "self", "anyone", "nobody"}, l.Teach):
		k.Wrong(key+".teach", "want owner, self, anyone or nobody, not %q", l.Teach)
	case l.Teach == "self" && c.Users.Path == "":
		k.Wrong(key+".teach", "self is for databases of users, and there is no users.path")
	case l.Teach == "anyone" && network == "tcp" && !scripts:
		k.Wrong(key+".teach", "over a network nobody teaches without the token")
	case scripts && network == "tcp":
		k.Wrong(key+".address", "Dovecot's scripts speak to a socket only")
	case kind == "http" && network == "tcp" && l.Address != "" && c.Learning.TokenFile == "":
		k.Wrong(key+".address", "the API over a network needs learning.token-file; a socket does without")
	}
}

func (k *checker) tcp(key string, l *Listener, address string) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		k.Wrong(key+".address", "%q: want the path of a socket, an address as \"127.0.0.1:783\", or \"systemd:NAME\"", address)
		return
	}
	if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
		k.Wrong(key+".address", "%q is no port", port)
	}
	if !l.Remote && !Loopback(host) {
		k.Wrong(key+".address", "other machines reach %s: if that is meant, set remote = true", address)
	}
}

// Loopback reports whether only this machine reaches a host.
func Loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

func (k *checker) milter(key string, m *Milter, c *Config, seen map[string]string) {
	k.listener(key, &m.Listener, c, seen)
	if m.UserFrom == "" {
		m.UserFrom = "fixed"
	}
	if _, known := userFrom[m.UserFrom]; !known {
		k.Wrong(key+".user-from", "want fixed, recipient or authenticated, not %q", m.UserFrom)
	}
	for i, r := range m.Rules {
		key := fmt.Sprintf("%s.rules[%d]", key, i)
		if _, known := actions[r.Action]; !known {
			k.Wrong(key+".action", "want deliver, quarantine, tempfail or reject, not %q", r.Action)
		}
		if !(r.Above >= 0 && r.Above <= 1) {
			k.Wrong(key+".above", "want a probability, 0 to 1")
		}
		if err := milter.CheckText(r.Text); err != nil {
			k.Wrong(key+".text", "%v", err)
		}
	}
}

// Where returns the network of the listener and its address there: unix and a path, which has
// a slash or follows "unix:", tcp and host:port, or systemd and the name of sockets that
// systemd has opened.
func (l *Listener) Where() (network, address string) {
	if name, ok := strings.CutPrefix(l.Address, "systemd:"); ok {
		return "systemd", name
	}
	if path, ok := strings.CutPrefix(l.Address, "unix:"); ok {
		return "unix", path
	}
	if strings.Contains(l.Address, "/") {
		return "unix", l.Address
	}
	return "tcp", l.Address
}

// GroupID returns the number of a group given by name or number.
func GroupID(group string) (int, error) {
	if n, err := strconv.Atoi(group); err == nil && n >= 0 {
		return n, nil
	}
	g, err := user.LookupGroup(group)
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(g.Gid)
}
