package totals

import (
	"fmt"
	"slices"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/layout"
	"github.com/polya-classifier/polya/store/internal/stored"
)

// Class returns the class of that name, added if it is new. t's classes must be its own.
// The error wraps count.ErrInvalid for a set of tags in a database of classes, and the other
// way round.
func (t *Totals) Class(tx layout.Tx, name string) (*count.Class, error) {
	if c := t.Named(name); c != nil {
		return c, nil
	}
	last := max(tx.LastClass(), count.ClassID(max(len(t.Index), 1)-1)) // that was ever given
	if last >= MaxClasses {
		return nil, fmt.Errorf("%w: the database has given away all %d class ids", count.ErrInvalid, MaxClasses)
	}
	h, err := tx.Header()
	if err != nil {
		return nil, err
	}
	if err := h.CheckClass(name); err != nil {
		return nil, err
	}
	c := &count.Class{ID: last + 1, Name: name}
	t.Insert(c)
	return c, nil
}

// MaxClasses bounds the index by class id, and keeps ids far from the end of their range.
const MaxClasses = 1 << 24

// PutNames writes the names of the classes that the file does not have yet, and what the header
// says of terms that were dropped and, if some are there, of terms of channels.
func (t *Totals) PutNames(tx layout.Tx, channels bool) error {
	if t.pruned() {
		if err := tx.SetFlag(stored.FlagPruned); err != nil {
			return err
		}
	}
	if channels {
		if err := tx.SetFlag(stored.FlagChannels); err != nil {
			return err
		}
	}
	known := tx.LastClass()
	for _, c := range t.Classes {
		if c.ID > known {
			if err := tx.PutClassName(c.ID, c.Name); err != nil {
				return err
			}
		}
	}
	return nil
}

// Put writes the totals. All tables hold the records up to merged.
func (t *Totals) Put(tx layout.Tx, merged uint64) error {
	for _, c := range t.Classes {
		if err := tx.PutTotals(c); err != nil {
			return err
		}
	}
	return tx.PutCorpus(stored.Corpus{Merged: merged, Seq: t.Seq, Vocabulary: t.Vocabulary, Epoch: t.Epoch})
}

// PutDue writes the totals once the file has none of the last every records, or of more, so that
// a process for one message has few to sum.
func (t *Totals) PutDue(tx layout.Tx, every int) (done bool, err error) {
	base, err := tx.Corpus()
	if err != nil || t.Seq-base.Seq < uint64(every) {
		return false, err
	}
	return true, t.Put(tx, base.Merged)
}

// pruned returns whether some class has dropped terms.
func (t *Totals) pruned() bool {
	return t.Epoch > 0 || slices.ContainsFunc(t.Classes, func(c *count.Class) bool { return c.Dropped > 0 || c.DroppedWeight > 0 })
}

// Untracked returns whether some documents are in no ledger.
func (t *Totals) Untracked() bool {
	return slices.ContainsFunc(t.Classes, func(c *count.Class) bool { return c.Untracked > 0 })
}
