// Package totals keeps the counts of whole classes as of a position of the log.
package totals

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/layout"
	"github.com/polya-classifier/polya/store/internal/rows"
	"github.com/polya-classifier/polya/store/internal/stored"
)

// ErrNoClass is returned when the database has no class of the given name.
var ErrNoClass = errors.New("no such class")

// Totals holds the counts of all classes as of a position of the log. It is immutable once
// it is published: training makes a new one that shares the unchanged classes.
type Totals struct {
	Seq        uint64 // the position
	Vocabulary uint64
	Epoch      uint64         // how often terms have been dropped
	Classes    []*count.Class // in order of name
	Index      []int32        // by class id: where it is in classes, or -1
	TailBytes  int            // approximate, of the terms in the log that no table has yet
}

// Load sums the totals of the file, whose corpus totals are base, and of the tail of the log.
func Load(tx layout.Tx, base stored.Corpus) (*Totals, error) {
	t := &Totals{Seq: base.Seq, Vocabulary: base.Vocabulary, Epoch: base.Epoch, TailBytes: tx.LogBytes(base.Merged, base.Seq)}
	err := tx.EachClass(func(c *count.Class) { t.Classes = append(t.Classes, c) })
	t.Order()
	if err != nil {
		return nil, err
	}
	return t, tx.EachRecord(t.Seq, func(rec *stored.Record) error {
		t.TailBytes += len(rec.Doc.Raw)
		return t.Count(rec)
	})
}

// Documents is the number of documents of all classes.
func (t *Totals) Documents() uint64 { return count.Documents(t.Classes) }

// Order sorts the classes by name and makes the index.
func (t *Totals) Order() {
	slices.SortFunc(t.Classes, func(a, b *count.Class) int { return strings.Compare(a.Name, b.Name) })
	size := 0
	for _, c := range t.Classes {
		size = max(size, int(c.ID)+1)
	}
	t.Index = slices.Repeat([]int32{-1}, size)
	for i, c := range t.Classes {
		t.Index[c.ID] = int32(i)
	}
}

// Insert adds a class, in a fraction of the time of Order where there are thousands. t must be a Clone.
func (t *Totals) Insert(c *count.Class) {
	place, _ := slices.BinarySearchFunc(t.Classes, c.Name, func(c *count.Class, name string) int { return strings.Compare(c.Name, name) })
	t.Classes = slices.Insert(t.Classes, place, c)
	for id, i := range t.Index {
		if int(i) >= place {
			t.Index[id]++
		}
	}
	for len(t.Index) <= int(c.ID) {
		t.Index = append(t.Index, -1)
	}
	t.Index[c.ID] = int32(place)
}

// At returns where class id is in t.classes, or -1.
func (t *Totals) At(id count.ClassID) int {
	if int64(id) >= int64(len(t.Index)) {
		return -1
	}
	return int(t.Index[id])
}

// ByID returns the class with that id, nil if there is none.
func (t *Totals) ByID(id count.ClassID) *count.Class {
	if at := t.At(id); at >= 0 {
		return t.Classes[at]
	}
	return nil
}

// Named returns the class of that name, or nil.
func (t *Totals) Named(name string) *count.Class {
	if at := count.ClassNamed(t.Classes, name); at >= 0 {
		return t.Classes[at]
	}
	return nil
}

// Clone returns a copy whose classes are still shared.
func (t *Totals) Clone() *Totals {
	c := *t
	c.Classes, c.Index = slices.Clone(t.Classes), slices.Clone(t.Index)
	return &c
}

// Own replaces class i by a copy that may be changed, and returns it.
func (t *Totals) Own(i int) *count.Class {
	c := *t.Classes[i]
	c.Lengths = slices.Clone(c.Lengths)
	c.Frequencies = slices.Clone(c.Frequencies)
	t.Classes[i] = &c
	return &c
}

// Count counts a record in its class, which must be t's own. After an error t is useless.
func (t *Totals) Count(rec *stored.Record) error {
	c, sign := t.ByID(rec.Class), rec.Sign()
	if c == nil {
		return rec.Damaged(ErrNoClass)
	}
	ok := rec.Seq > t.Seq && rows.AddDocument(c, &rec.Doc, rec.Weight, sign)
	rec.EachMove(func(before uint64, n int64) { ok = ok && rows.MoveTerms(c, before, before+uint64(sign), n) })
	if rec.Keep == count.LedgerNone {
		ok = ok && rows.AddTo(&c.Untracked, sign)
	}
	if !ok {
		return rec.Damaged(fmt.Errorf("it takes more from class %q than that has", c.Name))
	}
	t.Seq = rec.Seq
	if rec.Op == stored.OpTrain {
		t.Vocabulary += rec.Fresh
	} else {
		t.Vocabulary -= rec.Fresh
	}
	return nil
}

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
