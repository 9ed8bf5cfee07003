package decisions

import (
	"slices"
	"strings"
	"time"

	"github.com/polya-classifier/polya/serve/backend"
)

// each calls f with the places of the decisions for a user, or for all if user is "", oldest first.
func (r *Ring) each(user string, f func(*place) error) error {
	if r == nil {
		return nil
	}
	r.settle()
	r.mu.RLock()
	defer r.mu.RUnlock()
	oldest := time.Now().Add(-r.options.Retention)
	for _, file := range r.files {
		if file == nil {
			continue
		}
		for i := range file.list {
			if p := &file.list[i]; p.Time.After(oldest) && (user == "" || p.User == user) {
				if err := f(p); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// settle waits until all decisions added before are written.
func (r *Ring) settle() {
	written := make(chan struct{})
	select {
	case r.queue <- func() { r.drop(); close(written) }:
	case <-r.ended:
		return
	}
	select {
	case <-written:
	case <-r.ended:
	}
}

// Each calls f with the decisions for a user, or for all if user is "", that are wanted, oldest
// first. One that cannot be read any more is left out.
func (r *Ring) Each(user string, wanted func(*backend.Decision) bool, f func(*Record) error) error {
	return r.each(user, func(p *place) error {
		if !wanted(&p.Decision) {
			return nil
		}
		if body, err := p.in.record(p.at); err == nil {
			if d, err := decode(body); err == nil {
				return f(&d)
			}
		}
		return nil
	})
}

// List returns the last decisions for a user, or for all if that is "", the newest first; at most limit, if not 0.
func (r *Ring) List(user string, limit int) (list []backend.Decision) {
	_ = r.each(user, func(p *place) error {
		list = append(list, p.Decision)
		return nil
	})
	slices.Reverse(list)
	if limit > 0 {
		list = list[:min(limit, len(list))]
	}
	return list
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
