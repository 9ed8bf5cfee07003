package store

import (
	"crypto/rand"
	"fmt"
	"math"
	"slices"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/attributes"
	"github.com/polya-classifier/polya/store/internal/encoded"
	"github.com/polya-classifier/polya/store/internal/layout"
	"github.com/polya-classifier/polya/store/internal/rows"
	"github.com/polya-classifier/polya/store/internal/summed"
	"github.com/polya-classifier/polya/store/internal/table"
	"github.com/polya-classifier/polya/store/internal/totals"
)

// counted holds in memory the sums of documents: of classes, of terms as changes of their
// rows, and of attributes.
type counted struct {
	totals     *totals.Totals // its classes are its own
	sum        *rows.Tally
	epochs     map[int]uint64 // of new rows, by index into sum, if addSum was asked for them
	attributes *attributes.Changes
}

// addSum counts the documents of s, whose rows sum to its classes, as ones that the ledger does not
// know. ids are of its classes. With epochs, rows keep their epochs. After an error b is useless.
func (b *counted) addSum(s *summed.Documents, ids []uint32, epochs bool) error {
	for i := range s.Classes {
		if err := joinClass(b.totals.ByID(count.ClassID(ids[i])), &s.Classes[i], s.Classes[i].Docs); err != nil {
			return err
		}
	}
	if err := b.attributes.AddSum(s.Attributes, ids); err != nil {
		return err
	}
	if epochs {
		b.epochs = make(map[int]uint64)
	}
	return s.Each(func(term []byte, row *table.Row) error {
		i := b.sum.AddCells(term, row.Cells, 1, func(class uint32) uint32 { return ids[class] })
		if epochs && row.Epoch > 0 {
			b.epochs[i] = row.Epoch
		}
		return nil
	})
}

// joinClass adds the documents of from to class c, so many of which the ledger does not know, but
// no terms, unless that exceeds a limit.
func joinClass(c, from *count.Class, untracked uint64) error {
	if err := checkLimits(c, from.Docs, from.Tokens, from.Weight); err != nil {
		return err
	}
	c.Docs += from.Docs
	c.Tokens += from.Tokens
	c.Weight += from.Weight
	c.Untracked += untracked
	c.Dropped += from.Dropped
	c.DroppedWeight += from.DroppedWeight
	for _, l := range from.Lengths {
		rows.AddPair(&c.Lengths, l.N, int64(l.Count))
	}
	return nil
}

// count changes class c and the sums by doc, sign times, or returns count.ErrNotLearned if the
// class cannot have learned doc.
func (b *counted) count(c *count.Class, doc *encoded.Document, sign int64) error {
	weight := b.sum.AddDocument(doc, uint32(c.ID), sign)
	if !rows.AddDocument(c, doc, weight, sign) {
		return count.ErrNotLearned
	}
	return b.attributes.Add(doc, uint32(c.ID), sign)
}

// within returns count.ErrNotLearned if a class has fewer documents than one of its terms
// or attributes: it lost a document that it had not learned.
func (b *counted) within() error {
	for _, c := range b.totals.Classes {
		if !rows.HoldsTerms(c) {
			return fmt.Errorf("class %.40q: %w", c.Name, count.ErrNotLearned)
		}
	}
	class, found, err := b.attributes.Overcounted(func(class uint32) uint64 {
		if at := b.totals.At(count.ClassID(class)); at >= 0 {
			return b.totals.Classes[at].Docs
		}
		return math.MaxUint64 // of no class: check finds it
	})
	if err == nil && found {
		err = fmt.Errorf("class %.40q: %w", b.totals.ByID(count.ClassID(class)).Name, count.ErrNotLearned)
	}
	return err
}

// checkLimits returns an error, which wraps count.ErrInvalid, unless c can have that many more
// documents, tokens and units of weight.
func checkLimits(c *count.Class, docs, tokens, weight uint64) error {
	err := error(nil)
	switch {
	case docs > count.MaxDocs || c.Docs > count.MaxDocs-docs:
		err = count.ErrTooMany
	case tokens > summed.MaxSum || c.Tokens > summed.MaxSum-tokens || weight > summed.MaxSum || c.Weight > summed.MaxSum-weight:
		err = fmt.Errorf("%w: there would be more tokens than can be counted, %d", count.ErrInvalid, uint64(summed.MaxSum))
	default:
		return nil
	}
	return fmt.Errorf("class %.40q: %w", c.Name, err)
}

// sumCheck checks that counts include documents that are listed: it subtracts one after the
// other, and the rest must be counts that documents can give. Otherwise the ledger would list
// documents that were never counted, and forgetting them would damage the counts.
type sumCheck struct {
	counted
	left rows.Folder
}

func newSumCheck(key *table.Key, t *totals.Totals, tx layout.Tx) *sumCheck {
	return &sumCheck{counted: counted{totals: t, sum: rows.NewTally(key), attributes: attributes.NewChanges(tx)}}
}

// checkNotes returns an error, which wraps count.ErrInvalid, unless the counts of d, which is of
// a dump, include the documents that it enters in the ledger, each for itself.
func (d *Delta) checkNotes() error {
	// The key is random: whoever made a dump could give all terms one slot under a known key.
	var key table.Key
	rand.Read(key[:])
	n := newSumCheck(&key, new(totals.Totals), layout.Tx{})
	var ids []uint32
	for i, c := range d.sums[0].Classes {
		ids = append(ids, uint32(i))
		n.totals.Classes = append(n.totals.Classes, &count.Class{ID: count.ClassID(i), Name: c.Name})
	}
	n.totals.Order()
	err := n.addSum(&d.sums[0], ids, false)
	for i := range d.steps {
		if err == nil {
			err = n.take(&d.steps[i])
		}
	}
	if err == nil {
		if err = n.check(); err != nil {
			err = fmt.Errorf("%w: %w", count.ErrInvalid, err)
		}
	}
	return err
}

// take subtracts a ledger entry's document; for a digest it lowers only the document count.
func (n *sumCheck) take(s *step) error {
	c := n.totals.Named(s.class)
	if c == nil || c.Untracked == 0 {
		return fmt.Errorf("%w: class %.40q has more documents listed than counted", count.ErrInvalid, s.class)
	}
	c.Untracked--
	if s.entry != nil {
		return nil
	}
	if n.count(c, s.doc, -1) != nil {
		return fmt.Errorf("%w: class %.40q does not have the counts of document %s, which is listed", count.ErrInvalid, s.class, s.id)
	}
	return nil
}

// check returns an error unless other documents can give the rest.
func (n *sumCheck) check() error {
	for _, c := range n.totals.Classes {
		if c.Docs == 0 && (c.Dropped > 0 || c.DroppedWeight > 0) {
			return fmt.Errorf("class %.40q does not have the dropped tokens of the documents listed", c.Name)
		}
	}
	for i := range n.sum.Size {
		term := n.sum.Term(i)
		cells, err := n.left.Sum(nil, n.sum.Changes(i))
		if err != nil || slices.ContainsFunc(cells, func(cell table.Cell) bool {
			class := n.totals.ByID(count.ClassID(cell.Class))
			return cell.DF > class.Docs || !count.OfChannel(term) && cell.DF > rows.NonEmpty(class)
		}) {
			return fmt.Errorf("term %.40q does not have the counts of the documents listed", term)
		}
	}
	if err := n.within(); err != nil {
		return fmt.Errorf("the attributes of the documents listed: %v", err)
	}
	return nil
}
