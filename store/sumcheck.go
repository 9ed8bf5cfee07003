package store

import (
	"crypto/rand"
	"fmt"
	"slices"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/attributes"
	"github.com/polya-classifier/polya/store/internal/layout"
	"github.com/polya-classifier/polya/store/internal/rows"
	"github.com/polya-classifier/polya/store/internal/table"
	"github.com/polya-classifier/polya/store/internal/totals"
)

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
	for i := range n.sum.Size() {
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
