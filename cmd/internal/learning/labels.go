package learning

import (
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

	bad map[string]bool // names that cannot be classes
}

// Of returns the class of d, or records in l.Failed why it has none. An invalid name is
// reported once.
func (l *Labels) Of(d *reading.Document) (class string, ok bool) {
	if class = l.Class; class == "" {
		class = d.Class
	}
	if l.Tags && l.Class == "" {
		var err error
		if class, err = count.ParseTagSet(class); err != nil {
			l.Failed = append(l.Failed, fmt.Errorf("%s: %w", d.Path, err))
			return "", false
		}
	}
	if class == "" {
		l.Failed = append(l.Failed, fmt.Errorf("%s: says no class; write one there, or name one for all, as in 'polya train CLASS PATH'", d.Path))
		return "", false
	}
	return class, l.Class != "" || l.Tags || l.canBe(class, d.Path)
}

// canBe reports whether the name that a folder or a document at path gives is a valid class.
func (l *Labels) canBe(name, path string) bool {
	if l.bad[name] {
		return false
	}
	err := count.CheckClass(name)
	if err == nil {
		return true
	}
	if l.bad == nil {
		l.bad = map[string]bool{}
	}
	l.bad[name] = true
	l.Failed = append(l.Failed, fmt.Errorf("%s and all others of its class: %w", path, err))
	return false
}

// Dated returns the document's own date, to be entered in the ledger as its learning time; the
// zero time if it has none or one in the future.
func Dated(d *reading.Document) (at time.Time) {
	if at = d.Date(); at.Before(time.Now()) {
		return at
	}
	return time.Time{}
}
