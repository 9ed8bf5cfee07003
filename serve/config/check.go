package config

import (
	"cmp"
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
	"github.com/polya-classifier/polya/serve/engine"
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
	a, d := c.Auto, c.Decisions
	k.Want(a.Error > 0 && a.Error < .5 && a.People > 0 && a.Slack > 0, "auto", "want an error above 0 and below 0.5, and people and slack of at least 1")
	k.Want(c.Log.Format == "text" || c.Log.Format == "json", "log.format", "want text or json, not %q", c.Log.Format)
	k.Want(d.Size >= 1<<20 && d.Retention > 0, "decisions", "want a size of at least 1 MiB and a retention above 0; keep = false keeps none")
	k.Want(d.Message >= 0 && d.Message <= maxKept, "decisions.message", "want a size of at most 1 MiB, or 0 to keep no messages")
	seen := map[string]string{}
	c.Each(func(kind string, n int, l *Listener) { k.listener(kind, fmt.Sprintf("%s[%d]", kind, n), l, c, seen) })
	k.Want(len(seen) > 0, "", "there is no listener: want at least one of [[spamd]], [[rspamd]], [[milter]], [[script]], [[spool]], [[http]]")
}

// maxKept bounds the bytes kept of a message: all that wait to be written are in memory.
const maxKept = 1 << 20

func (k *checker) database(d *Database) {
	k.Want(d.Path != "", "database.path", "want the path of the database")
	k.Path(&d.Path)
	k.Want(!d.Control || len(client.Path(d.Path)) <= maxSocket, "database.path",
		"the path of the socket beside it would be too long: want at most %d bytes, or control = false", maxSocket-len(client.Path("")))
	for _, name := range d.Spam {
		k.class("database.spam", name)
	}
	for _, name := range d.Classes {
		k.class("database.classes", name)
	}
	k.Want(d.FalsePositiveRate >= 0 && d.FalsePositiveRate < 1, "database.false-positive-rate", "want a share, above 0 and below 1")
	k.Want(!(d.FalsePositiveRate > 0) || len(d.Spam) == 1, "database.false-positive-rate", "there is one for a single class of spam only")
	k.Want(d.Threshold >= 0 && d.Threshold < 1, "database.threshold", "want a probability, at least 0 and below 1")
	_, err := classify.ParseModel(d.Model)
	k.Want(err == nil, "database.model", "%v", err)
	if d.Analyzer != "" {
		_, err := tokenize.New(d.Analyzer)
		k.Want(err == nil, "database.analyzer", "%v", err)
	}
	_, err = count.ParseLedger(d.Ledger)
	k.Want(err == nil, "database.ledger", "want full, digest or none, not %q", d.Ledger)
	k.Want(d.MaxMemory >= 2*d.MaxMessage, "database.max-memory", "want at least twice max-message")
	k.Want(d.MaxMessage > 0, "database.max-message", "want a size above 0")
}

func (k *checker) class(key, name string) {
	err := count.CheckClass(name)
	k.Want(err == nil, key, "class %q: %v", name, err)
}

func (k *checker) users(d *Database, u *engine.Users) {
	k.Path(&u.Path)
	if u.Path != "" {
		k.Want(strings.Count(filepath.Base(u.Path), "%u") == 1, "users.path", "want %%u once, for the name of the user, in the name of the file")
		k.Want(!strings.Contains(filepath.Dir(u.Path), "%u"), "users.path", "%%u can stand in the name of the file only")
		k.Want(!d.Control || len(client.FolderPath(u.Path)) <= maxSocket, "users.path",
			"the path of the socket in the folder would be too long: want a folder of at most %d bytes, or control = false", maxSocket-len(client.FolderPath("/")))
	}
	k.Want(u.Path != "" || u.Names == nil && u.Pattern == "", "users", "there are users, but no path of their databases")
	_, err := regexp.Compile(u.Pattern)
	k.Want(err == nil, "users.pattern", "%v", err)
	k.Want(u.MaxOpen > 0, "users.max-open", "want at least 1")
}

// wantAddress says how an address is written.
const wantAddress = `want the path of a socket with a slash, as "./polya.sock", an address as "127.0.0.1:783", or "systemd:NAME"`

func (k *checker) listener(kind, key string, l *Listener, c *Config, seen map[string]string) {
	if network, path := l.Where(); network == "unix" && path != "" {
		k.Path(&path)
		l.Address = path
	}
	network, address := l.Where()
	switch {
	case l.Address == "":
		k.Wrong(key+".address", wantAddress)
	case network == "unix":
		k.Want(address != "", key+".address", "want the path of a socket")
		k.Want(len(address) <= maxSocket, key+".address", "the path of a socket has at most %d bytes", maxSocket)
	case network == "tcp":
		k.tcp(key, l, address)
	}
	k.Want(seen[network+address] == "", key+".address", "%s listens there already", seen[network+address])
	seen[network+address] = key
	if l.Group != "" {
		_, err := GroupID(l.Group)
		k.Want(err == nil, key+".group", "%v", err)
		k.Want(network == "unix", key+".group", "only a socket that polya makes has a group")
		l.Mode = cmp.Or(l.Mode, 0o660)
	}
	l.Mode = cmp.Or(l.Mode, 0o600)
	k.Want(l.Connections >= 0, key+".connections", "want a number of connections, or 0 for the default")
	k.teach(kind, key, l, c)
	k.Want(kind == "http" || l.Hosts == nil, key+".hosts", "only [[http]] has hosts")
	k.Want(kind == "milter" || l.Policy == nil, key, "only [[milter]] has rules, user, user-from and tempfail-on-error")
	l.Policy = cmp.Or(l.Policy, new(milter.Policy))
	k.Want(slices.Contains([]milter.UserFrom{"", milter.Fixed, milter.Recipient, milter.Authenticated}, l.UserFrom), key+".user-from",
		"want fixed, recipient or authenticated, not %q", l.UserFrom)
	for n, r := range l.Rules {
		err := r.Check()
		k.Want(err == nil, fmt.Sprintf("%s.rules[%d]", key, n), "%v", err)
	}
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

func (k *checker) teach(kind, key string, l *Listener, c *Config) {
	network, _ := l.Where()
	scripts := kind == "script" || kind == "spool"
	k.Want(kind != "milter" || l.Teach == "", key+".teach", "nobody teaches over this protocol")
	if scripts {
		l.Teach = cmp.Or(l.Teach, "anyone")
	}
	l.Teach = cmp.Or(l.Teach, c.Teacher())
	k.Want(slices.Contains([]string{"owner", "self", "anyone", "nobody"}, l.Teach), key+".teach", "want owner, self, anyone or nobody, not %q", l.Teach)
	k.Want(l.Teach != "self" || c.Users.Path != "", key+".teach", "self is for databases of users, and there is no users.path")
	if network == "tcp" && l.Address != "" {
		k.Want(l.Teach != "anyone" || scripts, key+".teach", "over a network nobody teaches without the token")
		k.Want(!scripts, key+".address", "Dovecot's scripts speak to a socket only")
		k.Want(kind != "http" || c.Learning.TokenFile != "", key+".address", "the API over a network needs learning.token-file; a socket does without")
	}
}

func (k *checker) tcp(key string, l *Listener, address string) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		k.Wrong(key+".address", "%q: "+wantAddress, address)
		return
	}
	n, err := strconv.Atoi(port)
	k.Want(err == nil && n >= 1 && n <= 65535, key+".address", "%q is no port", port)
	k.Want(l.Remote || Loopback(host), key+".address", "other machines reach %s: if that is meant, set remote = true", address)
}

// Loopback reports whether only this machine reaches a host.
func Loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Where returns the network of the listener and its address there: unix and a path, tcp and host:port, or
// systemd and the name of sockets that systemd has opened.
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
	if n, err := strconv.ParseUint(group, 10, 31); err == nil {
		return int(n), nil
	}
	g, err := user.LookupGroup(group)
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(g.Gid)
}
