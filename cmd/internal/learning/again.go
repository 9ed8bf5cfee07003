package learning

import (
	"fmt"
	"slices"

	"github.com/polya-classifier/polya/cmd/internal/reading"
	"github.com/polya-classifier/polya/store"
)

// learnAgain learns a document as the ledger of t.From has it, and keeps as much of it.
func (t *Training) learnAgain(d *reading.Document) error {
	return t.From.View(func(s *store.Snapshot) error {
		e, err := s.Entry(d.ID)
		if e == nil {
			t.Strangers++
			return err
		}
		_, before := s.Moves(e)
		if len(before) > 0 {
			if t.moved[e.ID] {
				return nil // a copy
			}
			t.moved[e.ID] = true
		}
		if keep := &t.batch.Delta().Keep; *keep != e.Keep {
			if err := t.apply(); err != nil {
				return err
			}
			*keep = e.Keep
		}
		for _, b := range slices.Backward(append([]store.Entry{*e}, before...)) {
			doc := d.Learnable(b.Source)
			if doc.Time = b.Time; b.Time.IsZero() {
				doc.Time = e.Time
			}
			if err := t.batch.Train(b.Class, doc); err != nil {
				return fmt.Errorf("%s: %w", d.Path, err)
			}
		}
		return t.put(d, e.Class)
	})
}

// Lost returns how many documents of the ledger of from are not in that of to, how many
// documents without an id from has counted, and how many of to have another class in from, or
// were forgotten there.
func Lost(from, to *store.DB) (missing, untracked, changed int, err error) {
	err = from.View(func(s *store.Snapshot) error {
		return to.View(func(now *store.Snapshot) error {
			untracked, changed = int(s.Documents()), int(now.Documents())
			return s.Entries(func(e *store.Entry) error {
				untracked--
				found, err := now.Entry(e.ID)
				switch {
				case err != nil:
				case found == nil:
					missing++
				case found.Class == e.Class:
					changed--
				}
				return err
			})
		})
	})
	return missing, untracked, changed, err
}
