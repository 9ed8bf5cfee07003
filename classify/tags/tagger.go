package tags

import (
	"bytes"
	"context"
	"fmt"
	"sync"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/calibration"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// DefaultPrecision is the Precision of the zero Options.
const DefaultPrecision = 0.95

// Options are the options of Open.
type Options struct {
	// Analyzer is the spec of the analyzer of a new database; see classify.Options.
	Analyzer string

	// Precision is the target precision of tags, the share of right answers when a tag
	// speaks, above 0 and below 1. Zero means DefaultPrecision.
	Precision float64

	// ByHand turns off fitting by trainings: the program calls Refit or Calibrate.
	ByHand bool

	// Store has the options of the file. Its Analyzer is not used.
	Store store.Options
}

// Tagger learns tags and predicts the tags of documents. It is safe for concurrent use:
// readers do not wait for trainers.
type Tagger struct {
	c       *classify.Classifier
	options Options
	owns    bool // Close closes c

	fitting sync.Mutex // held while fitting

	mu       sync.Mutex
	data     []byte // binary form of the calibration last read
	fit      *fitted
	prepared *prepared
}

// Open opens the database of tags at path, or makes it. The errors are those of
// classify.Open: classify.ErrHasClasses, wrapped, for a database of classes.
func Open(path string, o Options) (*Tagger, error) {
	c, err := classify.Open(path, classify.Options{Analyzer: o.Analyzer, Holds: classify.Tags, Fitting: classify.FitByHand, Store: o.Store})
	if err != nil {
		return nil, err
	}
	t, err := New(c, o)
	if err != nil {
		c.Close()
		return nil, err
	}
	t.owns = true
	return t, nil
}

// New returns a Tagger of an open database, which the caller closes. It ignores o.Analyzer
// and o.Store. The error wraps classify.ErrHasClasses for a database of classes.
func New(c *classify.Classifier, o Options) (*Tagger, error) {
	if !c.Store().Tags() {
		return nil, fmt.Errorf("%s: %w", c.Store().Path(), classify.ErrHasClasses)
	}
	if o.Precision == 0 {
		o.Precision = DefaultPrecision
	}
	if !(o.Precision > 0 && o.Precision < 1) {
		return nil, fmt.Errorf("precision %v: want more than 0 and less than 1", o.Precision)
	}
	return &Tagger{c: c, options: o}, nil
}

// Close closes the database that Open opened.
func (t *Tagger) Close() error {
	if !t.owns {
		return nil
	}
	return t.c.Close()
}

// Classifier returns the open database, for documents, for its Store, and for a Batch whose
// classes are sets of tags; see count.TagSet.
func (t *Tagger) Classifier() *classify.Classifier { return t.c }

// Train learns documents with exactly these tags, all in one transaction, and returns when
// they are on disk. A document that was learned before gets these tags instead.
func (t *Tagger) Train(ctx context.Context, tags []string, docs ...classify.Document) (store.Applied, error) {
	return t.apply(ctx, tags, docs, (*classify.Batch).Train)
}

// Observe learns documents that have no tag, as background, unless they were learned
// before: those keep their tags.
func (t *Tagger) Observe(ctx context.Context, docs ...classify.Document) (store.Applied, error) {
	return t.apply(ctx, nil, docs, func(b *classify.Batch, class string, doc classify.Document) error {
		b.Delta().OnlyNew = true
		return b.Train(class, doc)
	})
}

// SetTags gives learned documents exactly these tags, in one transaction. If one was never
// learned, the error wraps count.ErrNotLearned and nothing changes.
func (t *Tagger) SetTags(ctx context.Context, tags []string, docs ...classify.Document) (store.Applied, error) {
	return t.apply(ctx, tags, docs, (*classify.Batch).Relabel)
}

// Forget removes documents, exactly as they were learned, in one transaction. If one was
// never learned, the error wraps count.ErrNotLearned and nothing changes.
func (t *Tagger) Forget(ctx context.Context, docs ...classify.Document) (store.Applied, error) {
	return t.apply(ctx, nil, docs, func(b *classify.Batch, _ string, doc classify.Document) error { return b.Forget(doc) })
}

func (t *Tagger) apply(ctx context.Context, tags []string, docs []classify.Document, put func(*classify.Batch, string, classify.Document) error) (store.Applied, error) {
	set, err := count.TagSet(tags...)
	if err != nil {
		return store.Applied{}, err
	}
	var b classify.Batch
	for _, doc := range docs {
		if err := put(&b, set, doc); err != nil {
			return store.Applied{}, err
		}
	}
	return t.Apply(ctx, &b)
}

// Apply applies the batch, whose classes are sets of tags, in one transaction, and returns
// when it is on disk. Then it fits if that is due, unless Options.ByHand is set.
func (t *Tagger) Apply(ctx context.Context, b *classify.Batch) (store.Applied, error) {
	applied, err := t.c.Apply(ctx, b)
	if err != nil || t.options.ByHand || applied.Learned+applied.Moved+applied.Forgotten == 0 {
		return applied, err
	}
	// The documents are learned: a failed fit must not return an error.
	if t.fitting.TryLock() {
		defer t.fitting.Unlock()
		if due, _, err := t.due(calibration.TrainGrowth); err == nil && due {
			_ = t.calibrate(ctx, 0)
		}
	}
	return applied, nil
}

// TagsOf returns the tags of documents from the ledger: nil for a document that was never
// learned, and an empty slice, not nil, for one without tags.
func (t *Tagger) TagsOf(ids ...count.DocID) (tags [][]string, err error) {
	err = t.c.Store().View(func(s *store.Snapshot) error {
		for _, id := range ids {
			e, err := s.Entry(id)
			if err != nil {
				return err
			}
			var list []string
			if e != nil {
				list = count.Tags(e.Class)
			}
			tags = append(tags, list)
		}
		return nil
	})
	return tags, err
}

// readFit returns the stored calibration, nil if there is none.
func (t *Tagger) readFit(s *store.Snapshot) *fitted {
	data := s.State(keyCalibration)
	t.mu.Lock()
	defer t.mu.Unlock()
	if !bytes.Equal(data, t.data) {
		t.data, t.fit = data, parseFitted(data, s.State(keyLayer))
	}
	return t.fit
}
