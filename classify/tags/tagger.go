package tags

import (
	"bytes"
	"fmt"
	"sync"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/internal/tagged"
	"github.com/polya-classifier/polya/store"
)

// DefaultPrecision is the Precision of the zero Options.
const DefaultPrecision = 0.95

// Options are the options of New.
type Options struct {
	// Precision is the target precision of tags, the share of right answers when a tag
	// speaks, above 0 and below 1. Zero means DefaultPrecision.
	Precision float64
}

// Tagger predicts the tags of documents. It is safe for concurrent use: readers do not wait for
// trainers.
type Tagger struct {
	c       *classify.Classifier
	options Options

	mu       sync.Mutex
	data     []byte // binary form of the calibration last read
	fit      *tagged.Fitted
	prepared *prepared
}

// New returns a Tagger of an open database. The error wraps classify.ErrHasClasses for a database of
// classes.
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

// Classifier returns the open database.
func (t *Tagger) Classifier() *classify.Classifier { return t.c }

// readFit returns the stored calibration, nil if there is none.
func (t *Tagger) readFit(s *store.Snapshot) *tagged.Fitted {
	data := s.State(tagged.KeyCalibration)
	t.mu.Lock()
	defer t.mu.Unlock()
	if !bytes.Equal(data, t.data) {
		t.data, t.fit = data, tagged.Parse(data, s.State(tagged.KeyLayer))
	}
	return t.fit
}
