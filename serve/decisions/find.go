package decisions

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/polya-classifier/polya/internal/newfile"
	"github.com/polya-classifier/polya/serve/backend"
)

// index is where the records of the files are. It is read when somebody looks at decisions, then
// only what was added since, and forgotten when nobody has looked for a while.
type index struct {
	mu    sync.Mutex
	turns int      // those of the Ring when it was read
	ends  [2]int64 // of what was read of the old file and of the new one
	list  []place  // the oldest first
	idle  *time.Timer
}

// place is where the record of a decision is.
type place struct {
	backend.Decision
	path   string
	at     int64
	length int
}

// forgotten is how long an index is kept that nobody uses: some 400 bytes a decision.
const forgotten = 10 * time.Minute

// places returns the places of all decisions, the oldest first. The caller holds r.naming.
func (r *Ring) places() ([]place, error) {
	x := &r.index
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.turns != r.turns {
		x.turns, x.ends, x.list = r.turns, [2]int64{}, nil
	}
	for i, path := range []string{r.old(), r.path} {
		end, err := scan(path, x.ends[i], func(at int64, body []byte) error {
			if d, err := decode(body); err == nil {
				x.list = append(x.list, place{d.Decision, path, at, len(body)})
			}
			return nil
		})
		if err != nil && !errors.Is(err, errDamaged) && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		x.ends[i] = end
	}
	if x.idle != nil {
		x.idle.Stop()
	}
	x.idle = time.AfterFunc(forgotten, func() {
		x.mu.Lock()
		defer x.mu.Unlock()
		x.ends, x.list = [2]int64{}, nil
	})
	return x.list[:len(x.list):len(x.list)], nil
}

// each calls f with the places of the decisions for a user, or for all if user is "", oldest first.
func (r *Ring) each(user string, f func(*place) error) error {
	r.settle()
	r.naming.RLock()
	defer r.naming.RUnlock()
	all, err := r.places()
	if err != nil {
		return err
	}
	oldest := time.Now().Add(-r.options.Retention)
	for i := range all {
		if p := &all[i]; p.Time.After(oldest) && (user == "" || p.User == user) {
			if err := f(p); err != nil {
				return err
			}
		}
	}
	return nil
}

// Each calls f with the decisions for a user, or for all if user is "", that are wanted, oldest
// first.
func (r *Ring) Each(user string, wanted func(*backend.Decision) bool, f func(*Record) error) error {
	return r.each(user, func(p *place) error {
		if !wanted(&p.Decision) {
			return nil
		}
		d, err := p.read()
		if errors.Is(err, errDamaged) || errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		return f(&d)
	})
}

func (p *place) read() (d Record, err error) {
	file, err := newfile.OpenOwn(p.path, false)
	if err != nil {
		return d, err
	}
	defer file.Close()
	record := make([]byte, head+p.length)
	if _, err := file.ReadAt(record, p.at); err != nil {
		return d, errDamaged
	}
	if !sound(record[:head], record[head:]) {
		return d, errDamaged
	}
	return decode(record[head:])
}

// settle waits until all decisions added before are written.
func (r *Ring) settle() {
	e := entry{written: make(chan struct{})}
	select {
	case r.queue <- e:
	case <-r.ended:
		return
	}
	select {
	case <-e.written:
	case <-r.ended:
	}
}

// List returns the last decisions for a user, or for all if user is "", the newest first,
// at most limit of them, unless that is 0.
func (r *Ring) List(user string, limit int) (list []backend.Decision, err error) {
	err = r.each(user, func(p *place) error {
		list = append(list, p.Decision)
		return nil
	})
	slices.Reverse(list)
	if limit > 0 {
		list = list[:min(limit, len(list))]
	}
	return list, err
}

// Find returns the id of the message that begins with id, in hexadecimal digits, of those answered for a
// user, or for anybody if user is "". The error is backend.ErrDecision or backend.ErrAmbiguous.
func (r *Ring) Find(user, id string) (found string, err error) {
	id = strings.ToLower(id)
	err = r.each(user, func(p *place) error {
		switch {
		case id == "" || !strings.HasPrefix(p.ID, id):
		case found != "" && found != p.ID:
			return backend.ErrAmbiguous
		default:
			found = p.ID
		}
		return nil
	})
	if err == nil && found == "" {
		err = backend.ErrDecision
	}
	return found, err
}
