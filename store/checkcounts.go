package store

import (
	"fmt"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/attributes"
	"github.com/polya-classifier/polya/store/internal/layout"
	"github.com/polya-classifier/polya/store/internal/rows"
	"github.com/polya-classifier/polya/store/internal/stored"
	"github.com/polya-classifier/polya/store/internal/table"
)

// rowSums are the sums of all rows.
type rowSums struct {
	vocabulary uint64
	classes    []classSums
}

type classSums struct {
	tokens, weight uint64
	terms          map[uint64]uint64 // by document frequency
}

// newRowSums returns the empty sums of so many classes.
func newRowSums(classes int) *rowSums {
	s := &rowSums{classes: make([]classSums, classes)}
	for i := range s.classes {
		s.classes[i].terms = make(map[uint64]uint64)
	}
	return s
}

// add adds a row, unless its term is of a channel.
func (s *rowSums) add(term []byte, cells []count.Cell) {
	if count.OfChannel(term) {
		return
	}
	s.vocabulary++
	for i := range cells {
		c := &s.classes[cells[i].Class]
		c.tokens += cells[i].TF
		c.weight += cells[i].W
		c.terms[cells[i].DF]++
	}
}

// rows compares the totals of each class with the sums of the rows.
func (c *checker) rows() error {
	all := newRowSums(len(c.s.totals.Classes))
	err := c.s.Scan(true, func(term []byte, cells []count.Cell) error {
		all.add(term, cells)
		if epoch := c.s.row.Epoch; epoch > c.s.totals.Epoch {
			c.corrupt(fmt.Sprintf("row of term %.40q", term), "it was made in epoch %d, this is %d", epoch, c.s.totals.Epoch)
		}
		return nil
	})
	if err != nil {
		return err
	}
	c.report.Classes, c.report.Vocabulary = len(c.s.totals.Classes), all.vocabulary
	for _, class := range c.s.totals.Classes {
		c.report.Documents += class.Docs
	}
	c.sums(all)
	return nil
}

// sums compares the totals with the sums of all rows.
func (c *checker) sums(all *rowSums) {
	if all.vocabulary != c.s.totals.Vocabulary {
		c.corrupt("corpus totals", "the vocabulary is %d terms, the rows have %d", c.s.totals.Vocabulary, all.vocabulary)
	}
	for i, class := range c.s.totals.Classes {
		c.class(class, &all.classes[i])
	}
}

func (c *checker) class(class *count.Class, s *classSums) {
	what := fmt.Sprintf("totals of class %q", class.Name)
	if class.Tokens != s.tokens+class.Dropped || class.Weight != s.weight+class.DroppedWeight {
		c.corrupt(what, "%d tokens of weight %d, the rows have %d of %d, %d of %d were dropped",
			class.Tokens, class.Weight, s.tokens, s.weight, class.Dropped, class.DroppedWeight)
	}
	terms := uint64(0)
	for _, f := range class.Frequencies {
		terms += f.Count
		if s.terms[f.N] != f.Count || f.Count == 0 {
			c.corrupt(what, "%d terms with document frequency %d, the rows have %d", f.Count, f.N, s.terms[f.N])
		}
	}
	if terms != class.Terms || len(class.Frequencies) != len(s.terms) {
		c.corrupt(what, "%d distinct terms, the histogram has %d", class.Terms, terms)
	}
	docs, tokens, nonEmpty := uint64(0), uint64(0), uint64(0)
	for _, l := range class.Lengths {
		docs += l.Count
		tokens += l.N * l.Count
		if l.N > 0 {
			nonEmpty += l.Count
		}
	}
	if docs != class.Docs || tokens != class.Tokens {
		c.corrupt(what, "%d documents of %d tokens, the lengths have %d of %d", class.Docs, class.Tokens, docs, tokens)
	}
	frequent := uint64(0)
	for df := range s.terms {
		frequent = max(frequent, df)
	}
	if frequent > nonEmpty {
		c.corrupt(what, "a term in %d documents, of which only %d are not empty", frequent, nonEmpty)
	}
	if class.Untracked > class.Docs {
		c.corrupt(what, "%d documents outside the ledger, of %d", class.Untracked, class.Docs)
	}
}

// ledger checks each entry, and that a class has as many entries as documents that are not untracked.
func (c *checker) ledger() error {
	known := make(map[count.ClassID]uint64)
	c.full = true
	err := c.s.entries(func(id count.DocID, rec *stored.Record, e *stored.Entry) error {
		c.report.Entries++
		c.entry(known, id, rec, e)
		c.full = c.full && rec != nil
		return nil
	})
	if err != nil {
		return err
	}
	c.known(known)
	for _, class := range c.s.totals.Classes {
		c.full = c.full && class.Untracked == 0
	}
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
func (c *checker) entry(known map[count.ClassID]uint64, id count.DocID, rec *stored.Record, e *stored.Entry) {
	class := count.ClassID(0)
	if rec != nil {
		class = rec.Class
		if rec.Doc.ID != id || rec.Op != stored.OpTrain {
			c.corrupt("ledger entry "+id.String(), "its log record is of document %s", rec.Doc.ID)
		}
	} else {
		class = e.Class
		if e.Epoch > c.s.totals.Epoch && e.Epoch != stored.LostEpoch {
			c.corrupt("ledger entry "+id.String(), "it was made in epoch %d, this is %d", e.Epoch, c.s.totals.Epoch)
		}
	}
	if c.s.totals.At(class) < 0 {
		c.corrupt("ledger entry "+id.String(), "%w", ErrNoClass)
	}
	known[class]++
}

// known compares the number of documents that the ledger knows of each class with its totals.
func (c *checker) known(known map[count.ClassID]uint64) {
	for _, class := range c.s.totals.Classes {
		if known[class.ID]+class.Untracked != class.Docs {
			c.corrupt(fmt.Sprintf("ledger of class %q", class.Name), "%d documents, of %d with %d outside the ledger", known[class.ID], class.Docs, class.Untracked)
		}
	}
}

// recount sums the documents of the ledger again, if it has them all.
func (c *checker) recount() error {
	if !c.full || c.report.Problems > 0 {
		return nil
	}
	sum := rows.NewTally(&c.s.db.header.Key)
	attributes := attributes.NewChanges(layout.Tx{})
	dropped := make(map[count.ClassID]*count.Class)
	for _, class := range c.s.totals.Classes {
		dropped[class.ID] = new(count.Class)
	}
	err := c.s.entries(func(_ count.DocID, rec *stored.Record, _ *stored.Entry) error {
		sum.AddDocument(&rec.Doc, uint32(rec.Class), 1)
		rows.DropTerms(dropped[rec.Class], &rec.Doc, 1)
		if err := attributes.Add(&rec.Doc, uint32(rec.Class), 1); err != nil {
			c.corrupt("ledger entry "+rec.Doc.ID.String(), "%w", err)
		}
		return nil
	})
	if err == nil {
		rows, values := attributes.Encoded()
		c.recountRows("attribute", c.s.tx.Bucket(stored.BucketAttribute), rows)
		c.recountRows("value of an attribute", c.s.tx.Bucket(stored.BucketValue), values)
	}
	for _, class := range c.s.totals.Classes {
		if d := dropped[class.ID]; d.Dropped != class.Dropped || d.DroppedWeight != class.DroppedWeight {
			c.corrupt(fmt.Sprintf("totals of class %q", class.Name), "%d dropped tokens of weight %d, the documents in the ledger have %d of %d",
				class.Dropped, class.DroppedWeight, d.Dropped, d.DroppedWeight)
		}
	}
	if err != nil {
		return err
	}
	found := uint64(0)
	var f rows.Folder
	err = c.s.scanRows(func(term, row []byte) error {
		found++
		before := sum.Size()
		want, err := f.Apply(nil, sum.Changes(sum.Find(c.s.db.header.Key.Hash(term), term)), nil)
		_, row = table.Epoch(row)
		if sum.Size() != before || err != nil || string(want) != string(row) {
			c.corrupt(fmt.Sprintf("row of term %.40q", term), "it is not the sum of the documents in the ledger")
		}
		return nil
	})
	if err == nil && found < uint64(sum.Size()) {
		c.corrupt("count tables", "%d terms of the ledger's documents have no row", uint64(sum.Size())-found)
	}
	return err
}
