package store

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	bolt "go.etcd.io/bbolt"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/attributes"
	"github.com/polya-classifier/polya/store/internal/rows"
	"github.com/polya-classifier/polya/store/internal/stored"
)

func (c *checker) counts() error {
	err := c.rows(func([]byte, []count.Cell) error { return nil })
	if err == nil {
		c.report.Classes, c.report.Documents, c.report.Vocabulary = len(c.s.Classes()), c.s.Documents(), c.s.Vocabulary()
	}
	return err
}

// rows compares the totals with the sums of the rows, for each of which it calls f.
func (c *checker) rows(f func(term []byte, cells []count.Cell) error) error {
	vocabulary, sums := uint64(0), make([]count.Class, len(c.s.totals.Classes))
	err := c.s.scan(true, func(term []byte, cells []count.Cell) error {
		if epoch := c.s.row.Epoch; epoch > c.s.totals.Epoch {
			c.corrupt(fmt.Sprintf("row of term %.40q", term), "it was made in epoch %d, this is %d", epoch, c.s.totals.Epoch)
		}
		if !count.OfChannel(term) {
			vocabulary++
			for _, cell := range cells {
				sum := &sums[cell.Class]
				sum.Tokens += cell.TF
				sum.Weight += cell.W
				rows.MoveTerms(sum, 0, cell.DF, 1)
			}
		}
		return f(term, cells)
	})
	if err != nil {
		return err
	}
	if vocabulary != c.s.totals.Vocabulary {
		c.corrupt("corpus totals", "the vocabulary is %d terms, the rows have %d", c.s.totals.Vocabulary, vocabulary)
	}
	for i, class := range c.s.totals.Classes {
		c.class(class, &sums[i])
	}
	return nil
}

// class compares the totals of a class with the sums of its rows.
func (c *checker) class(class, sum *count.Class) {
	what := fmt.Sprintf("totals of class %q", class.Name)
	if class.Tokens != sum.Tokens+class.Dropped || class.Weight != sum.Weight+class.DroppedWeight {
		c.corrupt(what, "%d tokens of weight %d, the rows have %d of %d, %d of %d were dropped",
			class.Tokens, class.Weight, sum.Tokens, sum.Weight, class.Dropped, class.DroppedWeight)
	}
	if class.Terms != sum.Terms || !slices.Equal(class.Frequencies, sum.Frequencies) {
		c.corrupt(what, "%d distinct terms, the rows have %d, perhaps of other document frequencies", class.Terms, sum.Terms)
	}
	docs, tokens := uint64(0), uint64(0)
	for _, l := range class.Lengths {
		docs += l.Count
		tokens += l.N * l.Count
	}
	if docs != class.Docs || tokens != class.Tokens {
		c.corrupt(what, "%d documents of %d tokens, the lengths have %d of %d", class.Docs, class.Tokens, docs, tokens)
	}
	if !rows.HoldsTerms(class) {
		c.corrupt(what, "a term in %d documents, of which only %d are not empty", class.Frequencies[len(class.Frequencies)-1].N, rows.NonEmpty(class))
	}
	if class.Untracked > class.Docs {
		c.corrupt(what, "%d documents outside the ledger, of %d", class.Untracked, class.Docs)
	}
}

// ledger checks each entry, and that a class has as many entries as documents that are not untracked.
func (c *checker) ledger() error {
	known := make(map[count.ClassID]uint64)
	err := c.s.entries(func(id count.DocID, e *stored.Entry, rec *stored.Record) error {
		c.report.Entries++
		c.entry(known, id, e, rec)
		return nil
	})
	if err != nil {
		return err
	}
	c.known(known)
	kept := 0
	err = c.s.tx.EachEntry(func(_ count.DocID, e *stored.Entry) error {
		if e.Keep == count.LedgerFull && e.Seq <= c.merged {
			kept++
		}
		return nil
	})
	if err == nil && kept != c.kept {
		c.corrupt("list of ledger entries", "it names %d log records of documents learned, there are %d", kept, c.kept)
	}
	return err
}

// entry checks the ledger entry of a document, and counts it for its class.
func (c *checker) entry(known map[count.ClassID]uint64, id count.DocID, e *stored.Entry, rec *stored.Record) {
	what := "ledger entry " + id.String()
	switch {
	case rec != nil:
		c.whole++
		if rec.Doc.ID != id || rec.Op != stored.OpTrain || rec.Class != e.Class {
			c.corrupt(what, "its log record is of document %s, of class %d", rec.Doc.ID, rec.Class)
		}
	case e.Epoch > c.s.totals.Epoch && e.Epoch != stored.LostEpoch:
		c.corrupt(what, "it was made in epoch %d, this is %d", e.Epoch, c.s.totals.Epoch)
	}
	if c.s.totals.At(e.Class) < 0 {
		c.corrupt(what, "%w", ErrNoClass)
	}
	known[e.Class]++
}

// known compares the number of documents that the ledger knows of each class with its totals.
func (c *checker) known(known map[count.ClassID]uint64) {
	for _, class := range c.s.totals.Classes {
		if known[class.ID]+class.Untracked != class.Docs {
			c.corrupt(fmt.Sprintf("ledger of class %q", class.Name), "%d documents, of %d with %d outside the ledger", known[class.ID], class.Docs, class.Untracked)
		}
	}
}

// recount takes the documents of the ledger, if it has them all, from the counts: nothing may be left.
func (c *checker) recount() error {
	if c.whole < c.report.Documents || c.report.Problems > 0 {
		return nil
	}
	n := newSumCheck(&c.s.db.header.Key, c.s.totals.Clone(), c.s.tx)
	for i := range n.totals.Classes {
		n.totals.Own(i).Frequencies = nil // nobody subtracts from them
	}
	err := c.s.scan(true, func(term []byte, _ []count.Cell) error {
		n.sum.AddCells(term, c.s.row.Cells, 1, func(class uint32) uint32 { return class })
		return nil
	})
	if err != nil {
		return err
	}
	err = c.s.entries(func(id count.DocID, _ *stored.Entry, rec *stored.Record) error {
		if n.count(n.totals.ByID(rec.Class), &rec.Doc, -1) != nil {
			return &CorruptError{What: "ledger entry " + id.String(), Err: errors.New("its counts are not in the tables")}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := n.check(); err != nil {
		c.corrupt("ledger", "%w", err)
	}
	return nil
}

// attributes checks the rows of each attribute, and calls f with it.
func (c *checker) attributes(f func(*attributes.Attribute)) error {
	h, err := c.s.tx.Header()
	if err != nil {
		return err
	}
	for _, name := range stored.AttributeBuckets {
		if have := c.s.tx.Bucket(name) != nil; have != (h.Flags&stored.FlagAttributes != 0) {
			c.corrupt("header", "it disagrees with the bucket %s about attributes", name)
			return nil
		}
	}
	b := c.s.tx.Bucket(stored.BucketAttribute)
	if b == nil {
		return nil
	}
	listed, err := c.attributeRows(b, f)
	if err != nil {
		return err
	}
	return c.s.tx.Bucket(stored.BucketValue).ForEach(func(k, _ []byte) error {
		if name, _, ok := attributes.SplitValueKey(k); !ok || !listed[name] {
			c.corrupt("values of "+attributes.NameOf(name), "it has none")
		}
		return nil
	})
}

// attributeRows is attributes for the rows of b. It returns the names of the attributes that may have
// values.
func (c *checker) attributeRows(b *bolt.Bucket, f func(*attributes.Attribute)) (map[string]bool, error) {
	var docs []uint64
	for _, class := range c.s.Classes() {
		if class.Docs > 0 {
			docs = append(docs, class.Docs)
		}
	}
	listed, number := make(map[string]bool), c.s.numbers()
	var last []byte
	return listed, b.ForEach(func(k, v []byte) error {
		if bytes.Compare(k, last) <= 0 || len(k) > count.MaxNameBytes {
			return &CorruptError{What: "list of attributes"}
		}
		last = k
		listed[string(k)] = true // if it cannot be read
		_, err := c.step(func() error {
			var row attributes.Row
			if err := attributes.ReadRow(k, v, &row); err != nil {
				return err
			}
			listed[string(k)] = attributes.Listed(row.Kind)
			a, err := attributes.Read(c.s.tx, string(k), &row, number)
			if err != nil {
				return err
			}
			if err := a.Check(docs); err != nil {
				return &CorruptError{What: attributes.NameOf(a.Name), Err: err}
			}
			f(&a)
			return nil
		})
		return err
	})
}
