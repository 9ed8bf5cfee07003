package watching

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/mail"
	"github.com/polya-classifier/polya/classify/tags"
	"github.com/polya-classifier/polya/cmd/polya/internal/filing"
	"github.com/polya-classifier/polya/serve/engine"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// A Database is the Book of a database of classes, or of one of tags: there the class of a folder is
// a tag, and other tags of a message stay. It has the file only while it reads or writes it:
// other commands and a daemon use it meanwhile.
type Database struct {
	Source  string   // of what it teaches, in the ledger
	Classes []string // of the folders

	// Read opens the database for questions, and Write for changes. Done is called when what
	// Write has opened is closed.
	Read, Write func() (*classify.Classifier, error)
	Done        func()

	asked *classify.Classifier // nil until something is asked
}

// Made reports whether the file is there.
func (d *Database) Made() (bool, error) {
	c, err := d.open()
	return c != nil, err
}

// Learned returns what the ledger says of messages.
func (d *Database) Learned(ctx context.Context, ids []count.DocID) ([]filing.Learned, error) {
	list := make([]filing.Learned, len(ids))
	c, err := d.open()
	if c == nil {
		return list, err
	}
	return list, c.Store().View(func(s *store.Snapshot) error {
		for i, id := range ids {
			e, err := s.Entry(id)
			if err != nil {
				return err
			}
			if e != nil {
				list[i] = filing.Learned{Class: d.class(c, e), Auto: e.Source == engine.AutoSource}
			}
		}
		return ctx.Err()
	})
}

// class returns what a message is learned as, of a database of tags the one that a folder has.
func (d *Database) class(c *classify.Classifier, e *store.Entry) string {
	if !c.Store().Tags() {
		return e.Class
	}
	for _, tag := range count.Tags(e.Class) {
		if slices.Contains(d.Classes, tag) {
			return tag
		}
	}
	return ""
}

// Answer asks the database. It is unsure until the probabilities are calibrated.
func (d *Database) Answer(ctx context.Context, message []byte) (filing.Answer, error) {
	c, err := d.open()
	if c == nil {
		return filing.Answer{Unsure: true}, err
	}
	if c.Store().Tags() {
		return d.tag(ctx, c, message)
	}
	k, err := c.Calibration()
	if err != nil {
		return filing.Answer{}, err
	}
	r, err := c.Classify(ctx, mail.Document(c, message))
	if errors.Is(err, classify.ErrNoDocuments) {
		return filing.Answer{Unsure: true}, nil
	}
	return filing.Answer{Class: r.Class, Probability: r.Probability, Unsure: r.Unsure || k == nil}, err
}

// tag asks a database of tags for the most probable of the folders' tags that speak.
func (d *Database) tag(ctx context.Context, c *classify.Classifier, message []byte) (filing.Answer, error) {
	t, err := tags.New(c, tags.Options{})
	if err != nil {
		return filing.Answer{}, err
	}
	r, err := t.Score(ctx, mail.Document(c, message))
	if errors.Is(err, classify.ErrNoDocuments) {
		return filing.Answer{Unsure: true}, nil
	}
	for _, score := range r.Scores {
		if score.Speaks && slices.Contains(d.Classes, score.Tag) {
			return filing.Answer{Class: score.Tag, Probability: score.Probability}, nil
		}
	}
	return filing.Answer{Unsure: true}, err
}

// open opens the database to ask it. One that has yet to be made is nil.
func (d *Database) open() (_ *classify.Classifier, err error) {
	if d.asked == nil {
		d.asked, err = d.Read()
	}
	if errors.Is(err, store.ErrNotExist) || errors.Is(err, store.ErrEmpty) {
		err = nil
	}
	return d.asked, err
}

// Close closes what was opened to ask.
func (d *Database) Close() error {
	if d.asked == nil {
		return nil
	}
	err := d.asked.Close()
	d.asked = nil
	return err
}

// Teach learns the lessons in one transaction.
func (d *Database) Teach(ctx context.Context, lessons []Lesson) (err error) {
	if err := d.Close(); err != nil { // nobody can commit while it is open to read
		return err
	}
	defer d.Done()
	c, err := d.Write()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	if c.Store().Ledger() == count.LedgerNone {
		return fmt.Errorf("%s: the database keeps no ledger, and cannot tell what was learned", c.Store().Path())
	}
	b := new(classify.Batch)
	err = c.Store().View(func(s *store.Snapshot) error {
		for i := range lessons {
			if err := d.add(b, c, s, &lessons[i]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if !c.Store().Tags() {
		if _, err = c.Apply(ctx, b); err == nil {
			err = c.Refit(ctx)
		}
		return err
	}
	t, err := tags.New(c, tags.Options{})
	if err == nil {
		_, err = t.Apply(ctx, b)
	}
	if err == nil {
		err = t.Refit(ctx)
	}
	return err
}

// add adds a lesson to a batch.
func (d *Database) add(b *classify.Batch, c *classify.Classifier, s *store.Snapshot, l *Lesson) error {
	e, err := s.Entry(l.ID)
	if err != nil || l.Forget && (e == nil || d.class(c, e) != l.Class) {
		return err // it is forgotten already
	}
	doc := mail.Document(c, l.Message)
	doc.Source = d.Source
	if !c.Store().Tags() {
		if l.Forget {
			return b.Forget(doc)
		}
		return b.Train(l.Class, doc)
	}
	var set []string
	if e != nil {
		set = slices.DeleteFunc(count.Tags(e.Class), func(tag string) bool { return slices.Contains(d.Classes, tag) })
	}
	if !l.Forget {
		set = append(set, l.Class)
	}
	name, err := count.TagSet(set...)
	if err != nil {
		return err
	}
	return b.Train(name, doc)
}
