package learning

import (
	"fmt"
	"time"

	"github.com/polya-classifier/polya/cmd/polya/internal/reading"
	"github.com/polya-classifier/polya/store/count"
)

// Labels says as which class each document is learned.
type Labels struct {
	Class string // of all documents, "" takes that of the document
	Tags  bool   // classes are sets of tags

	Failed reading.Troubles // documents that say none, or one that cannot be

	bad map[string]bool // names that cannot be classes
}

// Of returns the class of d, or keeps in l.Failed why it has none. Of a name that cannot be
// one it tells once.
func (l *Labels) Of(d *reading.Document) (class string, ok bool) {
	if class = l.Class; class == "" {
		class = d.Class
	}
	if l.Tags && l.Class == "" {
		var err error
		if class, err = SetOf(class); err != nil {
			l.Failed = append(l.Failed, fmt.Errorf("%s: %w", d.Path, err))
			return "", false
		}
	}
	if class == "" {
		l.Failed = append(l.Failed, fmt.Errorf("%s: says no class; name one, as in 'polya train CLASS PATH'", d.Path))
		return "", false
	}
	return class, l.Class != "" || l.Tags || l.canBe(class, d.Path)
}

// canBe reports whether a class can have the name that a folder or a document at path gives.
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

// Dated is the time at which a document is entered in the ledger as learned if that is its own
// date, the zero time where that is none or one to come.
func Dated(d *reading.Document) (at time.Time) {
	if at = d.Date(); at.Before(time.Now()) {
		return at
	}
	return time.Time{}
}
