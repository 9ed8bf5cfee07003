package engine

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/serve/backend"
)

// Users say which users have a database of their own, and where. It learns what its user teaches,
// and his answers add it to the shared one; see classify.View. The zero value has no users: all
// requests go to the shared database.
type Users struct {
	// Path is the path of a user's database with %u for his name, once
	// and in the name of the file: "users/%u.polya".
	Path string

	// Known reports whether there is a user of that name, for whom the first training makes
	// a database. nil knows the users whose database exists. For anybody else the shared
	// database answers, and training fails with backend.ErrUser.
	Known func(name string) bool

	// Name maps the user of a request to the name used here; nil is strings.ToLower.
	Name func(user string) string

	// MaxOpen is the number of users' databases that are open at a time, not counting one
	// whose models are being fitted; 0 is 50.
	MaxOpen int
}

// maxName is the largest length in bytes of a user's name, which is part of a file name.
const maxName = 128

// pool holds the databases of users, of which a bounded number is open.
type pool struct {
	users   Users
	options classify.Options
	base    *database
	fits    *fitter
	log     *slog.Logger

	mu      sync.Mutex
	known   map[string]*database
	open    []*database // those that may be open, the least recently used first
	waiting []*waiter   // for room, in order of arrival

	closing sync.WaitGroup // those that are being closed to make room
}

func newPool(u Users, o classify.Options, base *database, fits *fitter, log *slog.Logger) *pool {
	if u.Name == nil {
		u.Name = strings.ToLower
	}
	u.MaxOpen = positive(u.MaxOpen, 50)
	return &pool{users: u, options: o, base: base, fits: fits, log: log, known: make(map[string]*database)}
}

// acquire returns the database of a user, which stays open until it is released, or nil if
// he has none and, with create, may have none. While all of the databases that may be open
// are in use it waits, and returns backend.ErrBusy when ctx ends.
func (p *pool) acquire(ctx context.Context, user string, create bool) (*database, error) {
	name, path, has := p.place(user, create)
	if !has {
		return nil, nil
	}
	return p.enter(ctx, name, path)
}

// place returns the name of a user, the path of his database, and whether he has one or,
// with create, may have one.
func (p *pool) place(user string, create bool) (name, path string, has bool) {
	if p.users.Path == "" || user == "" || !utf8.ValidString(user) {
		return "", "", false
	}
	name = p.users.Name(user)
	if !validName(name) {
		return "", "", false
	}
	path = strings.ReplaceAll(p.users.Path, "%u", name)
	if filepath.Clean(path) == filepath.Clean(p.base.path) {
		return "", "", false // the shared database is nobody's own
	}
	if create && p.users.Known != nil && p.users.Known(name) {
		return name, path, true
	}
	if d := p.named(name); d == nil || d.current() == nil {
		// Not under the lock: a disk that is busy keeps no other user waiting.
		if _, err := os.Stat(path); err != nil {
			return "", "", false
		}
	}
	return name, path, true
}

// owner returns the user whose database has this file name.
func (p *pool) owner(file string) (name string, has bool) {
	before, behind, _ := strings.Cut(filepath.Base(p.users.Path), "%u")
	name, begins := strings.CutPrefix(file, before)
	name, ends := strings.CutSuffix(name, behind)
	_, path, has := p.place(name, false)
	return name, begins && ends && has && filepath.Base(path) == file
}

// Owner returns the user whose database has this file name. The error is backend.ErrUser
// if there is no such database.
func (e *Engine) Owner(file string) (user string, err error) {
	user, has := e.users.owner(file)
	if !has {
		return "", backend.ErrUser
	}
	return user, nil
}

// named returns the database of this name, nil if it was not used yet.
func (p *pool) named(name string) *database {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.known[name]
}

// all returns the databases that may be open.
func (p *pool) all() []*database {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.open)
}

// validName reports whether a name can be part of the name of exactly one file.
func validName(name string) bool {
	if name == "" || len(name) > maxName || name[0] == '.' || !utf8.ValidString(name) {
		return false
	}
	return !strings.ContainsFunc(name, func(r rune) bool {
		return r == '/' || r == '\\' || r == ':' || r == '*' || r == '?' || r == '"' || r == '<' || r == '>' || r == '|' || !unicode.IsPrint(r)
	})
}

// prepare makes a user's database ready to open: it takes the base's analyzer and, with
// create, makes the folder.
func (d *database) prepare(ctx context.Context, o *classify.Options, create bool) error {
	if d.base == nil {
		return nil
	}
	base, err := d.base.open(ctx, false)
	if err != nil {
		return err
	}
	if base != nil {
		o.Analyzer = base.Analyzer().Spec()
	}
	if create {
		return os.MkdirAll(filepath.Dir(d.path), 0o700)
	}
	return nil
}
