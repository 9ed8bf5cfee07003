package learning

import (
	"errors"
	"fmt"
	"time"

	"github.com/polya-classifier/polya/cmd/internal/reading"
	"github.com/polya-classifier/polya/store/count"
)

// Labels determines the class that each document is learned as.
type Labels struct {
	Class string // of all documents, "" takes that of the document
	Tags  bool   // classes are sets of tags

	Failed reading.Troubles // documents without a class, or with an invalid one
}

// Of returns the class of d, or records in l.Failed why it has none.
func (l *Labels) Of(d *reading.Document) (class string, ok bool) {
	if l.Class != "" {
		return l.Class, true
	}
	class, err := d.Class, error(nil)
	switch {
	case l.Tags:
		class, err = count.ParseTagSet(class)
	case class == "" && d.Row:
		err = errors.New("says no class in this row; write one there, or leave the row out")
	case class == "":
		err = errors.New("says no class; write one there, name one for all, as in 'polya train CLASS PATH', take the names of folders by --folders, or say how it is read, as in --format csv")
	default:
		err = count.CheckClass(class)
	}
	if err != nil {
		l.Failed = append(l.Failed, fmt.Errorf("%s: %w", d.Path, err))
	}
	return class, err == nil
}

// Dated returns the document's own date, to be entered in the ledger as its learning time; the
// zero time if it has none or one in the future.
func Dated(d *reading.Document) (at time.Time) {
	if at = d.Date(); at.Before(time.Now()) {
		return at
	}
	return time.Time{}
}
