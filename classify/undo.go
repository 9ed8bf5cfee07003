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

// Filter selects documents by what the ledger says of them. The zero value selects all.
type Filter struct {
	// Source taught them: nil is anybody, and "" who gave no name.
	Source *string

	// Class is the class that they are of, in a database of tags a tag that they have; "" is
	// any.
	Class string

	// Since and Before bound the time when they were learned, the first included; the zero
	// time bounds nothing. The ledger has whole seconds, so that fractions are cut off. A
	// document of unknown time is within no bounds.
	Since, Before time.Time

	tags bool // Class is a tag
}

// IsZero reports whether f selects all documents.
func (f *Filter) IsZero() bool {
	return f.Source == nil && f.Class == "" && f.Since.IsZero() && f.Before.IsZero()
}

// Selects reports whether f selects the document of an entry.
func (f *Filter) Selects(e *store.Entry) bool {
	bounded := !f.Since.IsZero() || !f.Before.IsZero()
	return (f.Source == nil || e.Source == *f.Source) && f.has(e.Class) &&
		(!bounded || !e.Time.IsZero()) && !e.Time.Before(f.Since.Truncate(time.Second)) &&
		(f.Before.IsZero() || e.Time.Before(f.Before.Truncate(time.Second)))
}

// has reports whether the documents of a class are of f's.
func (f *Filter) has(class string) bool {
	if f.tags && f.Class != "" {
		return slices.Contains(count.Tags(class), f.Class)
	}
	return f.Class == "" || class == f.Class
}

// Undone says what was taken back, or would be.
type Undone struct {
	Documents int            `json:"documents"`
	Classes   map[string]int `json:"classes"` // Documents of each

	// Digests is the number of other documents that were selected. The ledger keeps only
	// their digests, so that they stay until somebody gives their text.
	Digests int `json:"digests"`

	// Unlisted is the number of documents, of the Filter's class if it has one, that were
	// learned without a ledger: nobody knows when, and who taught them.
	Unlisted uint64 `json:"unlisted"`
}

// Add adds what was taken back elsewhere.
func (u *Undone) Add(other Undone) {
	u.Documents += other.Documents
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
// order, and what they are.
func (f *Filter) Find(ctx context.Context, s *store.Snapshot) (ids []count.DocID, u Undone, err error) {
	u.Classes = make(map[string]int)
	for _, class := range s.Classes() {
		if f.has(class.Name) {
			u.Unlisted += class.Loose
		}
	}
	err = s.Entries(func(e *store.Entry) error {
		switch {
		case !f.Selects(e):
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

// Undo takes back, exactly, the documents that f selects, as if they had never been learned;
// if dryRun, it only says which. What somebody has corrected since is his and stays. They go
// in transactions of some thousands: where it fails, what it returns has gone, and another
// Undo takes back the rest. Then it calibrates as Recalibrate does, unless Options.Fitting
// is FitByHand. A Filter that selects all documents is ErrInvalid.
func (c *Classifier) Undo(ctx context.Context, f Filter, dryRun bool) (Undone, error) {
	if f.IsZero() {
		return Undone{}, fmt.Errorf("filter that selects all documents: %w", count.ErrInvalid)
	}
	f.tags = c.db.Tags()
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

// undo takes back those of some documents that f still selects. Another process may forget
// one of them meanwhile; then it looks again.
func (c *Classifier) undo(ctx context.Context, f *Filter, ids []count.DocID, gone *Undone) error {
	for again := 0; ; again++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		var b Batch
		var now Undone
		err := c.db.View(func(s *store.Snapshot) error {
			for _, id := range ids {
				e, err := s.Entry(id)
				if err != nil {
					return err
				}
				if e != nil && e.Keep == count.LedgerFull && f.Selects(e) {
					b.ForgetID(id)
					now.took(e.Class, 1)
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
		now.Documents = applied.Forgotten
		gone.Add(now)
		return err
	}
}
