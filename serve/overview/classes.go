package overview

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/tags"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// Statistics are the contents of a database.
type Statistics struct {
	Documents, Vocabulary uint64
	Bytes                 int64
	Analyzer, Ledger      string
	Classes               []ClassStatistics // by name
	Calibrated            uint64            // documents at the last calibration, 0 if never calibrated
}

// ClassStatistics are the documents of one class in a database.
type ClassStatistics struct {
	Name             string
	Documents, Terms uint64
	Auto             uint64    // documents in the ledger that were learned automatically
	Last             time.Time // when others were learned last; zero if that is not known
	Fixed            bool      // the configuration names it
	Needs            uint64    // documents until its probabilities can be calibrated
}

// enough is the number of documents from which a class's probabilities are calibrated rather
// than assumed: half of what a calibration needs of two classes.
const enough = 10

// Statistics returns the contents of a user's database.
func (d *Admin) Statistics(ctx context.Context, user string) (h Statistics, err error) {
	names, err := d.Classes(ctx, user)
	if err != nil {
		return h, err
	}
	fixed := d.Configured()
	for _, name := range names {
		h.Classes = append(h.Classes, ClassStatistics{Name: name, Fixed: slices.Contains(fixed, name), Needs: enough})
	}
	err = d.read(ctx, user, func(c *classify.Classifier) (err error) {
		if h.Bytes, err = c.Store().Size(); err != nil {
			return err
		}
		h.Analyzer, h.Ledger = c.Store().Analyzer(), c.Store().Ledger().String()
		if k, err := c.Calibration(); err != nil {
			return err
		} else if k != nil {
			h.Calibrated = k.Documents
		}
		if err := c.Store().View(func(s *store.Snapshot) error { return statistics(ctx, &h, s) }); err != nil || !c.Store().Tags() {
			return err
		}
		return needs(c, &h)
	})
	return h, err
}

// needs sets what is known of tags by their calibration.
func needs(c *classify.Classifier, h *Statistics) error {
	t, err := tags.New(c, 0)
	if err != nil {
		return err
	}
	info, err := t.Info()
	h.Calibrated = info.Calibrated
	for i := range h.Classes {
		h.Classes[i].Needs = 0
		for _, one := range info.Tags {
			if one.Tag == h.Classes[i].Name && one.Needed != nil {
				h.Classes[i].Needs = uint64(*one.Needed)
			}
		}
	}
	return err
}

// Tags reports whether a user's database has tags.
func (d *Admin) Tags(ctx context.Context, user string) (has bool, err error) {
	err = d.read(ctx, user, func(c *classify.Classifier) error {
		has = c.Store().Tags()
		return nil
	})
	if errors.Is(err, backend.ErrUser) {
		err = nil
	}
	return has, err
}

// namesOf returns the name of a class or, of a set of tags, these.
func namesOf(class string) []string {
	if list := count.Tags(class); list != nil {
		return list
	}
	return []string{class}
}

func statistics(ctx context.Context, h *Statistics, s *store.Snapshot) error {
	h.Documents, h.Vocabulary = s.Documents(), s.Vocabulary()
	of := make(map[string]*ClassStatistics)
	for i := range h.Classes {
		of[h.Classes[i].Name] = &h.Classes[i]
	}
	for _, c := range s.Classes() {
		for _, name := range namesOf(c.Name) {
			if k := of[name]; k != nil {
				k.Documents, k.Terms = k.Documents+c.Docs, k.Terms+c.Terms
				k.Needs -= min(k.Needs, c.Docs)
			}
		}
	}
	return s.Entries(func(e *store.Entry) error {
		for _, name := range namesOf(e.Class) {
			k := of[name]
			switch {
			case k == nil:
			case e.Source == backend.AutoSource:
				k.Auto++
			case e.Time.After(k.Last):
				k.Last = e.Time.UTC()
			}
		}
		return ctx.Err()
	})
}

// Rename gives a class another name.
func (d *Admin) Rename(ctx context.Context, user, class, name string) error {
	return d.change(ctx, user, class, true, func(db *store.DB) error { return tags.RenameClass(ctx, db, class, name) })
}

// Merge moves the documents of a class into another and removes it.
func (d *Admin) Merge(ctx context.Context, user, class, into string) error {
	return d.change(ctx, user, class, true, func(db *store.DB) error { return tags.MergeClass(ctx, db, class, into) })
}

// Delete forgets the documents of a class and removes it, or takes a tag from its documents.
func (d *Admin) Delete(ctx context.Context, user, class string) error {
	return d.change(ctx, user, class, false, func(db *store.DB) error { return tags.DeleteClass(ctx, db, class) })
}

// change changes a class, or a tag, in turn with other trainings. A class that the configuration names
// keeps its name, since answers depend on it.
func (d *Admin) change(ctx context.Context, user, class string, leaves bool, f func(*store.DB) error) error {
	if leaves && slices.Contains(d.Configured(), class) {
		return backend.ErrFixed
	}
	err := d.Change(ctx, user, func(c *classify.Classifier) error { return f(c.Store()) })
	switch {
	case errors.Is(err, store.ErrNoClass), errors.Is(err, store.ErrNotExist):
		return backend.ErrClass
	case errors.Is(err, store.ErrClassExists):
		return backend.ErrClassExists
	case errors.Is(err, count.ErrInvalid):
		return backend.ErrClassName
	}
	return err
}
