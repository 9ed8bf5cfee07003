package tags

import (
	"cmp"
	"fmt"
	"sync"

	"github.com/polya-classifier/polya/classify"
)

// DefaultPrecision is the precision of a Tagger for which none is given.
const DefaultPrecision = 0.95

// Tagger predicts the tags of documents. It is safe for concurrent use: readers do not wait for
// trainers.
type Tagger struct {
	c         *classify.Classifier
	precision float64

	mu       sync.Mutex
	prepared *prepared
}

// New returns a Tagger of an open database. precision is the target precision of tags, the share of
// right answers when a tag speaks, above 0 and below 1; 0 means DefaultPrecision. The error wraps
// classify.ErrHasClasses for a database of classes.
func New(c *classify.Classifier, precision float64) (*Tagger, error) {
	if !c.Store().Tags() {
		return nil, fmt.Errorf("%s: %w", c.Store().Path(), classify.ErrHasClasses)
	}
	precision = cmp.Or(precision, DefaultPrecision)
	if !(precision > 0 && precision < 1) {
		return nil, fmt.Errorf("precision %v: want more than 0 and less than 1", precision)
	}
	return &Tagger{c: c, precision: precision}, nil
}

// Classifier returns the open database.
func (t *Tagger) Classifier() *classify.Classifier { return t.c }
