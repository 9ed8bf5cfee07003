package count

import (
	"errors"
	"fmt"
)

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
