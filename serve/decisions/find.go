package decisions

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/serve/backend"
)

// Each calls f with the decisions for a user, or for all if user is "", oldest first.
func (r *Ring) Each(user string, f func(*Record) error) error {
	r.settle()
	oldest := time.Now().Add(-r.options.Retention)
	for _, path := range []string{r.old(), r.path} {
		_, err := scan(path, func(body []byte) error {
			d, err := decode(body)
			if err != nil || d.Time.Before(oldest) || user != "" && d.User != user {
				return nil
			}
			return f(&d)
		})
		if err != nil && !errors.Is(err, errDamaged) && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
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
// at most limit of them.
func (r *Ring) List(user string, limit int) ([]backend.Decision, error) {
	var list []backend.Decision
	err := r.Each(user, func(d *Record) error {
		if len(list) >= 2*limit {
			list = append(list[:0], list[len(list)-limit:]...)
		}
		list = append(list, d.Decision)
		return nil
	})
	list = list[max(0, len(list)-limit):]
	slices.Reverse(list)
	return list, err
}

// Find returns the message whose id begins with id, in hexadecimal digits, as a document to
// learn, and the users who were answered, each once: only user, unless that is "". The error is
// backend.ErrDecision or backend.ErrAmbiguous.
func (r *Ring) Find(user, id string) (users []string, doc classify.Document, err error) {
	var found Record
	id = strings.ToLower(id)
	err = r.Each(user, func(d *Record) error {
		if id == "" || !strings.HasPrefix(d.ID, id) {
			return nil
		}
		if found.ID != "" && found.ID != d.ID {
			return backend.ErrAmbiguous
		}
		if !slices.Contains(users, d.User) {
			users = append(users, d.User)
		}
		found = Record{Decision: d.Decision, counts: append(found.counts[:0], d.counts...)}
		return nil
	})
	switch {
	case err != nil:
		return nil, doc, err
	case found.ID == "":
		return nil, doc, backend.ErrDecision
	}
	doc, err = found.Document()
	return users, doc, err
}
