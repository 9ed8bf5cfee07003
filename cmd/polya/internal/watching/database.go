package watching

import (
	"context"
	"errors"
	"fmt"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/mail"
	"github.com/polya-classifier/polya/cmd/polya/internal/filing"
	"github.com/polya-classifier/polya/serve/engine"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// A Database is the Book of a database of classes. It has the file only while it reads or writes
// it: other commands and a daemon use it meanwhile.
type Database struct {
	Source string // of what it teaches, in the ledger

	// Read opens the database for questions, and Write for changes. Done is called when what
	// Write has opened is closed.
	Read, Write func() (*classify.Classifier, error)
	Done        func()

	asked *classify.Classifier // nil until something is asked
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
				list[i] = filing.Learned{Class: e.Class, Auto: e.Source == engine.AutoSource}
			}
		}
		return ctx.Err()
	})
}

// Answer asks the database. It is unsure until the probabilities are calibrated.
func (d *Database) Answer(ctx context.Context, message []byte) (filing.Answer, error) {
	c, err := d.open()
	if c == nil {
		return filing.Answer{Unsure: true}, err
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
	for i := range lessons {
		l := &lessons[i]
		doc := mail.Document(c, l.Message)
		doc.Source = d.Source
		if l.Forget {
			if err := forget(b, c, l, doc); err != nil {
				return err
			}
		} else if err := b.Train(l.Class, doc); err != nil {
			return err
		}
	}
	if _, err := c.Apply(ctx, b); err != nil {
		return err
	}
	return c.Refit(ctx)
}

// forget takes a message back unless that is done.
func forget(b *classify.Batch, c *classify.Classifier, l *Lesson, doc classify.Document) error {
	return c.Store().View(func(s *store.Snapshot) error {
		e, err := s.Entry(l.ID)
		if err == nil && e != nil && e.Class == l.Class {
			err = b.Forget(doc)
		}
		return err
	})
}
