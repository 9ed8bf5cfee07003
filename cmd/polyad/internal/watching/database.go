package watching

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/calibration"
	"github.com/polya-classifier/polya/classify/decision"
	"github.com/polya-classifier/polya/classify/mail"
	"github.com/polya-classifier/polya/classify/tags"
	"github.com/polya-classifier/polya/cmd/polyad/internal/filing"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// A Database is a Book over a database of classes or of tags. With tags, the class of a folder
// is a tag or a set of them, and a message keeps its other tags. It holds the file only while it reads or
// writes: other commands and a daemon can use it in between.
type Database struct {
	Source  string   // the ledger's source of its lessons
	Classes []string // of the folders; with Sets, the tags
	Sets    bool     // a class is a set of tags; see filing.Untagged
	Share   float64  // of right answers that tags must have reached

	// Read opens the database for questions, and Write for changes. Done is called after the
	// database that Write opened is closed.
	Read, Write func() (*classify.Classifier, error)
	Done        func()

	// Asked is told of each message that is asked about, unless it is nil.
	Asked func(ctx context.Context, message []byte, source string)

	asked *classify.Classifier // nil before the first question
}

// Made reports whether the file exists.
func (d *Database) Made() (bool, error) {
	c, err := d.open()
	return c != nil, err
}

// Learned returns the ledger's entries for messages.
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
				list[i] = filing.Learned{Class: d.class(c, e), Auto: e.Source == backend.AutoSource}
			}
		}
		return ctx.Err()
	})
}

// class returns the class of a message; in a database of tags, those that have folders, as one class.
func (d *Database) class(c *classify.Classifier, e *store.Entry) string {
	if !c.Store().Tags() {
		return e.Class
	}
	own := slices.DeleteFunc(count.Tags(e.Class), func(tag string) bool { return !slices.Contains(d.Classes, tag) })
	if d.Sets {
		return SetOf(own)
	}
	return append(own, "")[0]
}

// SetOf returns the set of tags of which a database has a set, or parts of one, or that the settings name.
func SetOf(tags []string) string {
	set, err := count.TagSet(tags...)
	if err != nil {
		panic(err)
	}
	return set
}

// Decision is that of the classifier which Database.Read opens: it says what precision answers have earned.
var Decision = decision.Precision{Share: Precision}

// Answer classifies a message. It is unsure until the probabilities are calibrated.
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
	if d.Asked != nil {
		d.Asked(ctx, message, d.Source)
	}
	a := filing.Answer{
		Class: r.Class, Probability: r.Probability, Precision: r.Precision, Junk: k != nil && r.LogOdds >= junkOdds(k),
		Unsure: k == nil || r.Unsure && r.Reason != decision.Unearned, // each folder asks for a precision of its own
	}
	for _, p := range r.Posterior {
		if k != nil && len(a.Likely) < mostSuggested && p.Probability >= leastLikely {
			a.Likely = append(a.Likely, p.Class)
		}
	}
	return a, err
}

// What is suggested for new mail: three folders are read at a glance, and a class below
// leastLikely is hardly ever right.
const (
	mostSuggested = 3
	leastLikely   = .05
)

// tag returns the tags of folders that reach their thresholds, which few tags of a person have, or are as
// probable as answers are to be right: the most probable of them, or all with Sets.
func (d *Database) tag(ctx context.Context, c *classify.Classifier, message []byte) (filing.Answer, error) {
	t, err := tags.New(c, d.Share)
	if err != nil {
		return filing.Answer{}, err
	}
	r, err := t.Score(ctx, mail.Document(c, message))
	if errors.Is(err, classify.ErrNoDocuments) {
		return filing.Answer{Unsure: true}, nil
	}
	a := filing.Answer{Precision: 1}
	var speak []string
	for _, score := range r.Scores {
		if !slices.Contains(d.Classes, score.Tag) {
			continue
		}
		speaks := score.Speaks || score.Calibrated && r.Terms > 0 && score.Probability >= d.Share
		if speaks && (d.Sets || speak == nil) {
			speak, a.Class, a.Probability = append(speak, score.Tag), score.Tag, score.Probability
		}
		if len(a.Likely) < mostSuggested && score.Probability >= leastLikely {
			if a.Likely == nil && speak == nil {
				a.Probability = score.Probability
			}
			a.Likely = append(a.Likely, score.Tag)
		}
	}
	a.Unsure, a.Junk = speak == nil, a.Probability >= junkProbability
	if d.Sets {
		a.Class = SetOf(speak)
		for i, tag := range a.Likely {
			a.Likely[i] = SetOf([]string{tag})
		}
	}
	return a, err
}

// open opens the database for questions; nil if it does not exist yet.
func (d *Database) open() (_ *classify.Classifier, err error) {
	if d.asked == nil {
		d.asked, err = d.Read()
	}
	if errors.Is(err, store.ErrNotExist) || errors.Is(err, store.ErrEmpty) {
		err = nil
	}
	return d.asked, err
}

// Close closes the database opened for questions.
func (d *Database) Close() error {
	if d.asked == nil {
		return nil
	}
	err := d.asked.Close()
	d.asked = nil
	return err
}

// Fit fits the models if none are, as after a training that was interrupted: until then all answers are unsure.
func (d *Database) Fit(ctx context.Context) error {
	c, err := d.open()
	if c == nil || err != nil {
		return err
	}
	k, err := c.Calibration()
	due := k == nil
	if c.Store().Tags() {
		due, err = c.FitDue(calibration.RefitGrowth)
	}
	if err != nil || !due || c.Store().Ledger() != count.LedgerFull {
		return err
	}
	return d.Teach(ctx, nil)
}

// Teach learns the lessons in one transaction. One that the ledger knows only by a digest of another
// text keeps no other from being learned.
func (d *Database) Teach(ctx context.Context, lessons []Lesson) (err error) {
	if err := d.Close(); err != nil { // nobody can commit while it is open for reading
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
	err = d.teach(ctx, c, lessons)
	if errors.Is(err, store.ErrNoCounts) { // one stays: the ledger has a digest of it, with another header
		for i := range lessons {
			if err = d.teach(ctx, c, lessons[i:i+1]); err != nil && !errors.Is(err, store.ErrNoCounts) {
				return err
			}
		}
		err = nil
	}
	if err != nil {
		return err
	}
	return c.Refit(ctx)
}

// teach learns lessons, all of them or none.
func (d *Database) teach(ctx context.Context, c *classify.Classifier, lessons []Lesson) error {
	b := new(classify.Batch)
	err := c.Store().View(func(s *store.Snapshot) error {
		for i := range lessons {
			if err := d.add(b, c, s, &lessons[i]); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		_, err = c.Apply(ctx, b)
	}
	return err
}

func (d *Database) add(b *classify.Batch, c *classify.Classifier, s *store.Snapshot, l *Lesson) error {
	e, err := s.Entry(l.ID)
	if err != nil || l.Forget && (e == nil || d.class(c, e) != l.Class) {
		return err // it was already forgotten
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
	switch {
	case l.Forget:
	case d.Sets:
		set = append(set, count.Tags(l.Class)...)
	default:
		set = append(set, l.Class)
	}
	name, err := count.TagSet(set...)
	if err != nil {
		return err
	}
	return b.Train(name, doc)
}
