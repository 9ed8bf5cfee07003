package count

import (
	"errors"
	"fmt"
	"math"
	"strconv"
)

// Bounds of the counts. Documents are added one by one, but a dump or the sum of a Delta
// can contain any number: whatever would exceed these bounds is refused before it is
// written, since a row beyond them could not be read again.

const (
	// MaxDocs bounds the documents of a class, and so the document frequencies of its terms
	// and the counts of its attributes: U has 32 bits.
	MaxDocs = math.MaxUint32

	// MaxTokens bounds the tokens of one document.
	MaxTokens = math.MaxInt32
)

// ErrTooMany is returned, wrapped, when a class or an attribute would get more than
// MaxDocs documents. It wraps ErrInvalid.
var ErrTooMany error = tooMany{}

// tooMany makes its text when it is read: every program would make it at its start with fmt.
type tooMany struct{}

func (tooMany) Error() string {
	return ErrInvalid.Error() + ": there would be more documents than can be counted, " + strconv.FormatUint(MaxDocs, 10)
}

func (tooMany) Unwrap() error { return ErrInvalid }

// ErrNotLearned is returned when a document to be forgotten or moved was never learned.
// Nothing has changed then.
var ErrNotLearned = errors.New("never learned")

// AttributeError is returned when a document has an attribute of another kind than
// the one that the database has counted under its name. Nothing has changed then.
type AttributeError struct {
	Name string
	Have Kind // what it is counted as
	Want Kind // what was given
}

// Error names both kinds.
func (e *AttributeError) Error() string {
	return fmt.Sprintf("attribute %.100q is counted as %s, not as %s; give it as %s, or under another name", e.Name, e.Have, e.Want, e.Have)
}
