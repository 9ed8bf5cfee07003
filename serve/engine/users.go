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

// Users say who has a database of his own, and where. What a user teaches goes there, and
// his answers are those of the shared database blended with it; see package
// classify/blend. The zero value has no users: all requests go to the shared database.
type Users struct {
	// Path is the path of a user's database with %u for his name: "users/%u.polya".
	Path string

	// Known reports whether there is a user of that name, for whom the first training
	// makes a database. nil knows those whose database is there. A request of anybody
	// else is answered by the shared database, and teaches nothing: backend.ErrUser.
	Known func(name string) bool

	// Name returns the name that a request's user has here; nil is strings.ToLower.
	Name func(user string) string

	// MaxOpen is the number of databases of users that are open at a time, beside one
	// whose models are being fitted; 0 is 50.
	MaxOpen int
}

// maxName is the length in bytes of the name of a user, which is part of a file name.
const maxName = 128

// pool holds the databases of users, of which a bounded number is open.
type pool struct {
	users   Users
	options classify.Options
	base    *database
	fits    *fitter
	log     *slog.Logger

	mu    sync.Mutex
	known map[string]*database
	open  []*database // those that may be open, the least recently used first

	closing sync.WaitGroup // those that are being closed to make room
}

func newPool(u Users, o classify.Options, base *database, fits *fitter, log *slog.Logger) *pool {
	if u.Name == nil {
		u.Name = strings.ToLower
	}
	u.MaxOpen = positive(u.MaxOpen, 50)
	o.Decision = nil // it is made when the answers are blended
	return &pool{users: u, options: o, base: base, fits: fits, log: log, known: make(map[string]*database)}
}

// acquire returns the database of a user, which stays open until it is released, or nil if
// he has none and, with create, may have none. It returns backend.ErrBusy if as many as
// may be open are all in use.
func (p *pool) acquire(user string, create bool) (*database, error) {
	if p.users.Path == "" || user == "" || !utf8.ValidString(user) {
		return nil, nil
	}
	name := p.users.Name(user)
	if !validName(name) {
		return nil, nil
	}
	path := strings.ReplaceAll(p.users.Path, "%u", name)
	known := p.users.Known != nil && p.users.Known(name)
	if d := p.named(name); (d == nil || d.current() == nil) && !(known && create) {
		// Not under the lock: a disk that is busy keeps no other user waiting.
		if _, err := os.Stat(path); err != nil {
			return nil, nil
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	d := p.known[name]
	if d == nil {
		d = newDatabase(path, p.options, p.fits, p.log)
		d.base, d.pool = p.base, p
		p.known[name] = d
	}
	if err := p.makeRoom(d); err != nil {
		return nil, err
	}
	d.hold()
	return d, nil
}

// named returns the database of that name, nil if nobody asked for it yet.
func (p *pool) named(name string) *database {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.known[name]
}

// makeRoom makes d the most recently used database, and closes another if there would be
// too many.
func (p *pool) makeRoom(d *database) error {
	if at := slices.Index(p.open, d); at >= 0 {
		p.open = append(slices.Delete(p.open, at, at+1), d)
		return nil
	}
	most := p.users.MaxOpen
	for _, open := range p.open {
		if open.onlyFitted() {
			most++ // nobody is refused because of it
		}
	}
	for len(p.open) >= most {
		at := slices.IndexFunc(p.open, p.closeIdle)
		if at < 0 {
			return backend.ErrBusy
		}
		p.open = slices.Delete(p.open, at, at+1)
	}
	p.open = append(p.open, d)
	return nil
}

// reserve keeps d open while its models are fitted. It makes room for a user's database
// that has changed and was closed before that; and returns false if there is no room:
// when it is opened the next time, it is due again.
func (d *database) reserve() bool {
	if d.pool != nil && d.unblended.Load() {
		d.pool.mu.Lock()
		defer d.pool.mu.Unlock()
		if d.pool.makeRoom(d) != nil {
			return false
		}
	}
	d.fitted(true)
	return true
}

// all returns the databases that may be open.
func (p *pool) all() []*database {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.open)
}

// validName reports whether a name can be part of the name of a file, and of no other
// file than its own.
func validName(name string) bool {
	if name == "" || len(name) > maxName || name[0] == '.' || !utf8.ValidString(name) {
		return false
	}
	return !strings.ContainsFunc(name, func(r rune) bool {
		return r == '/' || r == '\\' || r == ':' || r == '*' || r == '?' || r == '"' || r == '<' || r == '>' || r == '|' || !unicode.IsPrint(r)
	})
}

// hold keeps d open.
func (d *database) hold() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.holders++
}

// onlyFitted reports whether nobody uses the database but who fits its models.
func (d *database) onlyFitted() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.fitting && d.holders == 1
}

// fitted says whether somebody fits its models.
func (d *database) fitted(now bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.fitting = now
	if now {
		d.holders++
	} else {
		d.holders--
	}
}

func (d *database) release() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.holders--
}

// closeIdle begins to close a database unless somebody uses it, and returns whether it
// did. Who opens it again waits until it is closed.
func (p *pool) closeIdle(d *database) bool {
	select {
	case d.opening <- struct{}{}:
	default:
		return false
	}
	d.mu.Lock()
	idle, c := d.holders == 0, d.c
	if idle {
		d.c, d.failed = nil, nil
	}
	d.mu.Unlock()
	if !idle || c == nil {
		<-d.opening
		return idle
	}
	p.closing.Go(func() {
		defer func() { <-d.opening }()
		if err := c.Close(); err != nil {
			d.log.Error("cannot close database", "path", d.path, "error", err)
		}
	})
	return true
}

// prepare readies a user's database for being opened: its terms are to be those of the
// base, and its folder is to be there.
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
