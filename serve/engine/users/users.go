// Package users holds the databases of users, of which a bounded number is open at a time.
package users

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/engine/learn"
)

// Options say which users have a database of their own, and where, which is added to the shared one for their
// answers; see classify.View. The zero value has no users: all requests go to the shared database.
type Options struct {
	// Path is the path of a user's database with %u for his name, once
	// and in the name of the file: "users/%u.polya".
	Path string `toml:"path"`

	// Names are those of users for whom the first training makes a database, and Pattern, a regular
	// expression that compiles, is of whole names of others. For anybody else who has no database the
	// shared one answers, and training fails with backend.ErrUser.
	Names   []string `toml:"names"`
	Pattern string   `toml:"pattern"`

	// StripDomain leaves out of a user's name, which is in lower case, the @ and what follows.
	StripDomain bool `toml:"strip-domain"`

	// MaxOpen is the number of users' databases that are open at a time, and of requests that use one, not counting
	// those whose models are being fitted, that a log changes, or that are handed over; 0 is 50.
	MaxOpen int `toml:"max-open"`
}

// maxName is the largest length in bytes of a user's name, which is part of a file name.
const maxName = 128

// A Pool holds the databases of users, of which a bounded number is open.
type Pool struct {
	users   Options
	pattern *regexp.Regexp
	base    *learn.Database
	each    learn.Options // of each database

	requests chan struct{} // has a token of each request that holds a database

	mu    sync.Mutex
	known map[string]*learn.Database
	open  []*learn.Database // those that may be open, the least recently used first
}

// Name returns the name used here for the user of a request.
func (p *Pool) Name(user string) string {
	if p.users.StripDomain {
		user, _, _ = strings.Cut(user, "@")
	}
	return strings.ToLower(user)
}

// knows reports whether the first training makes a database for a name. Root's spamc names root, and
// means everybody's database rather than one of his own.
func (p *Pool) knows(name string) bool {
	return slices.Contains(p.users.Names, name) || p.users.Pattern != "" && name != "root" && p.pattern.MatchString(name)
}

// Has reports whether a user has a database of his own or may have one.
func (p *Pool) Has(user string) bool {
	name, _ := p.place(user, true)
	return name != ""
}

// path returns the name of a user and the path of a database of his, or "" if he can have none.
func (p *Pool) path(user string) (name, path string) {
	if p.users.Path == "" || user == "" || !utf8.ValidString(user) || strings.ContainsFunc(user, looksLike) {
		return "", ""
	}
	name = p.Name(user)
	path = strings.ReplaceAll(p.users.Path, "%u", name)
	if !validName(name) || filepath.Clean(path) == filepath.Clean(p.base.Path) { // the shared database is nobody's own
		return "", ""
	}
	return name, path
}

// place is path, and "" too unless the user has a database or, with create, may have one.
func (p *Pool) place(user string, create bool) (name, path string) {
	name, path = p.path(user)
	if name == "" || create && p.knows(name) {
		return name, path
	}
	if _, err := os.Stat(path); err != nil { // not under the lock: a disk that is busy keeps no other user waiting
		return "", ""
	}
	return name, path
}

// Owner returns the user whose database has this file name.
func (p *Pool) Owner(file string) (name string, has bool) {
	before, behind, _ := strings.Cut(filepath.Base(p.users.Path), "%u")
	name, begins := strings.CutPrefix(file, before)
	name, ends := strings.CutSuffix(name, behind)
	_, path := p.place(name, false)
	return name, begins && ends && path != "" && filepath.Base(path) == file
}

// Names lists the users who have databases.
func (p *Pool) Names() ([]string, error) {
	if p.users.Path == "" {
		return nil, nil
	}
	files, err := os.ReadDir(filepath.Dir(p.users.Path))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	var names []string
	for _, f := range files {
		if name, has := p.Owner(f.Name()); has {
			names = append(names, name)
		}
	}
	return names, err
}

// All returns the databases that were used.
func (p *Pool) All() []*learn.Database {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Collect(maps.Values(p.known))
}

// looksLike reports whether a letter becomes another one in lower case than that which it looks
// like: the sign of Kelvin is no k, and who has it in his name does not have the database of k.
func looksLike(r rune) bool {
	lower := unicode.ToLower(r)
	return lower != r && unicode.ToUpper(lower) != r
}

// validName reports whether a name can be part of the name of exactly one file.
func validName(name string) bool {
	if name == "" || len(name) > maxName || name[0] == '.' || !utf8.ValidString(name) {
		return false
	}
	return !strings.ContainsFunc(name, func(r rune) bool { return strings.ContainsRune(`/\:*?"<>|`, r) || !unicode.IsPrint(r) })
}

// New returns the databases of users that are added to base and opened with the same options.
func New(o Options, base *learn.Database, each learn.Options) *Pool {
	o.MaxOpen = cmp.Or(max(o.MaxOpen, 0), 50)
	each.Base = base
	return &Pool{
		users: o, pattern: regexp.MustCompile("^(?:" + o.Pattern + ")$"), base: base, each: each,
		requests: make(chan struct{}, o.MaxOpen), known: make(map[string]*learn.Database),
	}
}

// Acquire returns the database of a user, which stays open until release is called, or nil if
// he has none and, with create, may have none. As many requests have one at a time as databases may
// be open. Another waits, behind those that came before it, and gets backend.ErrBusy when ctx ends.
func (p *Pool) Acquire(ctx context.Context, user string, create bool) (d *learn.Database, release func(), err error) {
	name, path := p.place(user, create)
	if name == "" {
		return nil, func() {}, nil
	}
	select {
	case p.requests <- struct{}{}:
	case <-ctx.Done():
		return nil, func() {}, backend.ErrBusy
	}
	d = p.hold(name, path)
	return d, func() { d.Release(); <-p.requests }, nil
}

// Reserve returns the database of a user, whoever may have one, for a log that changes it, or nil if
// user is not a name that a log gives. The caller releases it. It may be open
// beyond the number of others: trainings that hold these wait for the log.
func (p *Pool) Reserve(user string) *learn.Database {
	name, path := p.path(user)
	if name == "" || name != user {
		return nil
	}
	return p.hold(name, path)
}

// hold makes the database of a name the most recently used one, and closes others that nobody
// uses, the least recently used first, if there would be too many.
func (p *Pool) hold(name, path string) *learn.Database {
	p.mu.Lock()
	defer p.mu.Unlock()
	d := p.known[name]
	if d == nil {
		each := p.each
		each.User = name
		d = learn.New(path, each)
		p.known[name] = d
	}
	d.Hold()
	p.open = append(slices.DeleteFunc(p.open, func(open *learn.Database) bool { return open == d }), d)
	for len(p.open) > p.users.MaxOpen {
		at := slices.IndexFunc(p.open, (*learn.Database).CloseIdle)
		if at < 0 {
			break
		}
		p.open = slices.Delete(p.open, at, at+1)
	}
	return d
}
