package classify

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// Query selects documents by their entries in the ledger. The zero value selects all.
type Query struct {
	// Source is the source of the documents: nil for any source, and "" for no source.
	Source *string

	// Class is the class of the documents, in a database of tags one of their tags; "" is
	// any.
	Class string

	// Since (inclusive) and Before (exclusive) bound the time of learning; the zero time is
	// no bound. The ledger has whole seconds, so fractions are cut off. A document of unknown
	// time is outside of any bounds.
	Since, Before time.Time
}

// isZero reports whether f selects all documents.
func (f *Query) isZero() bool {
	return f.Source == nil && f.Class == "" && f.Since.IsZero() && f.Before.IsZero()
}

// Selects reports whether f selects the document of an entry.
func (f *Query) Selects(e *store.Entry) bool {
	bounded := !f.Since.IsZero() || !f.Before.IsZero()
	return (f.Source == nil || e.Source == *f.Source) && f.has(e.Class) &&
		(!bounded || !e.Time.IsZero()) && !e.Time.Before(f.Since.Truncate(time.Second)) &&
		(f.Before.IsZero() || e.Time.Before(f.Before.Truncate(time.Second)))
}

// has reports whether the documents of a class are of f's.
func (f *Query) has(class string) bool {
	return f.Class == "" || class == f.Class || slices.Contains(count.Tags(class), f.Class)
}

// TakesBack reports whether f takes back what was learned of a document last. If it was of
// another class before, and f does not select that, to is that class; else it is nil.
func (f *Query) TakesBack(s *store.Snapshot, e *store.Entry) (to *store.Entry, is bool) {
	if f.Source == nil && f.Since.IsZero() {
		return nil, f.Selects(e) // it is about what is old, not about a change
	}
	at, before := s.Moves(e)
	now, then := *e, *f
	if at.After(now.Time) {
		now.Time = at
	}
	if !f.Selects(&now) {
		return nil, false
	}
	then.Class = ""
	for i := range before {
		if b := &before[i]; !then.Selects(b) {
			return b, b.Class != e.Class
		}
	}
	return nil, true
}

// Undone counts the documents that were taken back, or would be.
type Undone struct {
	Documents int            `json:"documents"`
	Restored  int            `json:"restored,omitempty"` // those of Documents that were moved before, and go back to their class
	Classes   map[string]int `json:"classes"`            // Documents of each, as they were

	// Digests is the number of selected documents of which the ledger keeps only digests:
	// they stay, since taking them back needs their text.
	Digests int `json:"digests"`

	// Unlisted is the number of documents, of the Query's class if it has one, that were
	// learned without a ledger: their times and sources are unknown.
	Unlisted uint64 `json:"unlisted"`
}

// Add adds the counts of another undo.
func (u *Undone) Add(other Undone) {
	u.Documents += other.Documents
	u.Restored += other.Restored
	u.Digests += other.Digests
	u.Unlisted += other.Unlisted
	for class, n := range other.Classes {
		u.took(class, n)
	}
}

// took counts n documents of a class in Classes.
func (u *Undone) took(class string, n int) {
	if u.Classes == nil {
		u.Classes = make(map[string]int)
	}
	u.Classes[class] += n
}

// Find returns the ids of the documents of s that f selects and that can be taken back, in
// order, and their counts. A Query that selects all documents is count.ErrInvalid.
func (f *Query) Find(ctx context.Context, s *store.Snapshot) (ids []count.DocID, u Undone, err error) {
	if f.isZero() {
		return nil, u, fmt.Errorf("query that selects all documents: %w", count.ErrInvalid)
	}
	u.Classes = make(map[string]int)
	for _, class := range s.Classes() {
		if f.has(class.Name) {
			u.Unlisted += class.Untracked
		}
	}
	err = s.Entries(func(e *store.Entry) error {
		to, is := f.TakesBack(s, e)
		if is && to != nil && e.Keep == count.LedgerFull {
			u.Restored++
		}
		switch {
		case !is:
		case e.Keep == count.LedgerFull:
			ids = append(ids, e.ID)
			u.Documents++
			u.took(e.Class, 1)
		default:
			u.Digests++
		}
		return ctx.Err()
	})
	return ids, u, err
}

// undoBatch is how many documents Undo takes back in one transaction, which it tries undoAgain
// times more if another process has forgotten one of them.
const (
	undoBatch = 1 << 14
	undoAgain = 8
)

// Undo takes back, exactly, the documents that f selects, as if they had never been learned, or
// had not been moved if they were learned before that; if dryRun, it only counts them. A document
// that somebody has corrected since stays: its source is now who corrected it. Undo works in
// transactions of some thousands of documents: after an error the returned ones are gone, and
// another Undo takes back the rest. Then it calibrates as Recalibrate does, unless Options.Fitting
// is FitByHand. A Query that selects all documents is count.ErrInvalid.
func (c *Classifier) Undo(ctx context.Context, f Query, dryRun bool) (Undone, error) {
	var ids []count.DocID
	var found Undone
	err := c.db.View(func(s *store.Snapshot) (err error) {
		ids, found, err = f.Find(ctx, s)
		return err
	})
	if err != nil || dryRun {
		return found, err
	}
	gone := Undone{Classes: make(map[string]int), Digests: found.Digests, Unlisted: found.Unlisted}
	for some := range slices.Chunk(ids, undoBatch) {
		if err := c.undo(ctx, &f, some, &gone); err != nil {
			return gone, err
		}
	}
	if gone.Documents > 0 && c.options.Fitting != FitByHand {
		_, err = c.Recalibrate(ctx)
	}
	return gone, err
}

// undo takes back the given documents that f still selects. If another process forgets one
// of them meanwhile, it tries again.
func (c *Classifier) undo(ctx context.Context, f *Query, ids []count.DocID, gone *Undone) error {
	for again := 0; ; again++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		var b Batch
		var now Undone
		err := c.db.View(func(s *store.Snapshot) error {
			for _, id := range ids {
				if err := f.takeBack(s, id, &b.delta, &now); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil || b.Len() == 0 {
			return err
		}
		applied, err := c.apply(&b)
		if again < undoAgain && (errors.Is(err, count.ErrNotLearned) || errors.Is(err, store.ErrNoCounts)) {
			continue
		}
		now.Documents, now.Restored = applied.Forgotten+applied.Moved, applied.Moved
		gone.Add(now)
		return err
	}
}

// takeBack adds to d what takes a document back, if f selects it, and counts it in now.
func (f *Query) takeBack(s *store.Snapshot, id count.DocID, d *store.Delta, now *Undone) error {
	e, err := s.Entry(id)
	if err != nil || e == nil || e.Keep != count.LedgerFull {
		return err
	}
	to, is := f.TakesBack(s, e)
	if !is {
		return nil
	}
	now.took(e.Class, 1)
	if to == nil {
		d.Forget(id)
		return nil
	}
	doc, err := s.Document(id)
	if err != nil {
		return err
	}
	doc.Class, doc.Time, doc.Source = to.Class, to.Time, to.Source
	return d.Add(*doc)
}
