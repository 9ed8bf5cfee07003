package page

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/tags"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// classes is the data of the screen of that name.
type classes struct {
	Statistics
	Most     uint64           // documents of the largest class
	Deleting string           // the class that is to be deleted, "" if none is
	Changing *ClassStatistics // the class whose name is to be changed, nil if none is
}

// Lacking returns the classes that have too few documents.
func (c *classes) Lacking() []ClassStatistics {
	return slices.DeleteFunc(slices.Clone(c.Statistics.Classes), func(k ClassStatistics) bool { return k.Needs == 0 })
}

func (p *page) classes(v *visit) (err error) {
	b := new(classes)
	if v.posted() {
		if err := p.changeClass(v, b); err != nil {
			return err
		}
	}
	if b.Statistics, err = p.Admin.Statistics(v, v.User); err != nil {
		return err
	}
	for _, k := range b.Statistics.Classes {
		b.Most = max(b.Most, k.Documents)
		if k.Name == v.field("class") && v.Status == nil {
			b.Changing = &k
		}
	}
	v.Screen, v.Title, v.Body = "classes", "Classes", b
	return nil
}

// changeClass renames, merges or deletes a class. To delete a class the user has to type its name.
func (p *page) changeClass(v *visit, b *classes) (err error) {
	class, done := v.form.Get("class"), ""
	switch v.form.Get("do") {
	case "rename":
		name := strings.TrimSpace(v.form.Get("name"))
		rename := func(db *store.DB) error { return tags.RenameClass(v, db, class, name) }
		err, done = p.Admin.change(v, v.User, class, true, rename), fmt.Sprintf("%s is called %s now.", class, name)
	case "merge":
		into := v.form.Get("into")
		merge := func(db *store.DB) error { return tags.MergeClass(v, db, class, into) }
		err, done = p.Admin.change(v, v.User, class, true, merge), fmt.Sprintf("The documents of %s are of %s now.", class, into)
	case "delete":
		if b.Deleting = class; !v.form.Has("typed") {
			return nil
		}
		if strings.TrimSpace(v.form.Get("typed")) != class {
			v.Status = &status{Text: "Nothing was deleted: what you typed is not the name of the class."}
			return nil
		}
		b.Deleting = ""
		remove := func(db *store.DB) error { return tags.DeleteClass(v, db, class) }
		err, done = p.Admin.change(v, v.User, class, false, remove), fmt.Sprintf("%s and all that was learned of it are deleted.", class)
		if v.Tags {
			done = fmt.Sprintf("%s is taken from all documents.", class)
		}
	default:
		return nil
	}
	if err != nil {
		return err
	}
	v.Status = &status{Text: done}
	v.Classes, err = p.Backend.Classes(v, v.User)
	return err
}

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
	Name      string
	Documents uint64
	Auto      uint64    // documents in the ledger that were learned automatically
	Last      time.Time // when others were learned last; zero if that is not known
	Fixed     bool      // the configuration names it
	Made      bool      // the database has it, perhaps without documents
	Needs     uint64    // documents until its probabilities can be calibrated
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
	err = d.Read(ctx, user, func(c *classify.Classifier) (err error) {
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

func (d *Admin) tags(ctx context.Context, user string) (has bool, err error) {
	err = d.Read(ctx, user, func(c *classify.Classifier) error {
		has = c.Store().Tags()
		return nil
	})
	if errors.Is(err, backend.ErrUser) {
		err = nil
	}
	return has, err
}

func statistics(ctx context.Context, h *Statistics, s *store.Snapshot) error {
	h.Documents, h.Vocabulary = s.Documents(), s.Vocabulary()
	of := make(map[string]*ClassStatistics)
	for i := range h.Classes {
		of[h.Classes[i].Name] = &h.Classes[i]
	}
	for _, c := range s.Classes() {
		for _, name := range count.Labels(c.Name) {
			if k := of[name]; k != nil {
				k.Made = true
				k.Documents += c.Docs
				k.Needs -= min(k.Needs, c.Docs)
			}
		}
	}
	return s.Entries(func(e *store.Entry) error {
		for _, name := range count.Labels(e.Class) {
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
