package store

import (
	"fmt"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/encoded"
	"github.com/polya-classifier/polya/store/internal/rows"
	"github.com/polya-classifier/polya/store/internal/stored"
	"github.com/polya-classifier/polya/store/internal/table"
)

// These are the reasons why a document cannot be taken away if nobody knows which of its
// terms were dropped.
var (
	errLost   = fmt.Errorf("terms were dropped since it was learned, in the database that it came from: %w", ErrNoCounts)
	errUnsure = fmt.Errorf("terms were dropped, perhaps since it was learned: %w", ErrNoCounts)
)

// apportion splits doc, the whole text of a document whose digest is e, into terms that
// are still in rows and dropped terms. While the document is learned, the row of one of
// its terms disappears only by being dropped: it was dropped if there is no row, or one
// made in a later epoch. row looks a row up.
func apportion(key *table.Key, doc *encoded.Document, e *stored.Entry, epoch uint64, row func(hash uint64, term []byte) ([]byte, error)) (*encoded.Document, error) {
	switch {
	case e.Epoch == epoch:
		return doc, nil
	case e.Epoch > epoch:
		return nil, errLost
	}
	return doc.Split(func(term []byte, _ uint8) (bool, error) {
		r, err := row(key.Hash(term), term)
		if err != nil || r == nil {
			return false, err
		}
		epoch, _ := table.Epoch(r)
		return epoch <= e.Epoch, nil
	})
}

// apportionUntracked is apportion for a document of class c that the ledger does not know, so
// that the epoch in which it was learned is unknown too. Whether a row made after the
// first epoch has counts of this document is unknown. If the class has only such
// documents, a row that holds the counts is trusted; otherwise a mistake would harm the
// other documents, and the document is refused.
func apportionUntracked(key *table.Key, doc *encoded.Document, c *count.Class, epoch uint64, scratch *table.Row, row func(hash uint64, term []byte) ([]byte, error)) (*encoded.Document, error) {
	if c.Dropped == 0 && (epoch == 0 || !doc.InChannel()) {
		return doc, nil
	}
	weights, _ := doc.Weights()
	return doc.Split(func(term []byte, n uint8) (bool, error) {
		r, err := row(key.Hash(term), term)
		if err != nil || r == nil {
			return false, err
		}
		if made, _ := table.Epoch(r); c.Untracked < c.Docs && (made > 0 || epoch == 0) {
			return false, fmt.Errorf("document %s: %w", doc.ID, errUnsure)
		}
		if err := scratch.Decode(r, true); err != nil {
			return false, err
		}
		return rows.Holds(scratch.Cells, uint32(c.ID), int(n), count.WeightOf(&weights, term, n)) == nil, nil
	})
}

// keepFor returns the ledger mode for a document: where terms were dropped, a digest
// could not be compared with the text, so the counts are kept in full.
func keepFor(keep count.Ledger, doc *encoded.Document) count.Ledger {
	if keep == count.LedgerDigest && len(doc.Dropped) > 0 {
		return count.LedgerFull
	}
	return keep
}

// sumEpoch translates epochs of a Delta with sums, which are epochs of the database it
// was made from, into epochs of this one.
type sumEpoch struct {
	from uint64 // the epoch of all sums, or stored.LostEpoch
	own  bool   // they become this database's, which is empty
}

// sumEpoch takes over the epochs of d if this database is empty, so that they cannot be
// confused with its own: a dump is loaded as it was.
func (b *bulk) sumEpoch(d *Delta) sumEpoch {
	var s sumEpoch
	for i := range d.sums {
		if e := d.sums[i].Epoch; i == 0 {
			s.from = e
		} else if s.from != e {
			s.from = stored.LostEpoch
		}
	}
	s.own = len(d.sums) == 1
	for _, c := range b.totals.Classes {
		s.own = s.own && c.Docs == 0
	}
	for i := range d.steps {
		s.own = s.own && d.steps[i].kind.notes()
	}
	if s.own {
		b.totals.Epoch, b.Fold.Epoch = s.from, s.from
	}
	return s
}

// here returns the epoch of a document in this database, whose epoch is now. For a
// document learned before terms were dropped, rows here may have been made at any time.
func (s sumEpoch) here(epoch, now uint64) uint64 {
	switch {
	case s.own && epoch <= now, epoch == stored.LostEpoch:
		return epoch
	case epoch == s.from:
		return now
	}
	return stored.LostEpoch
}
