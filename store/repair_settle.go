package store

import (
	"cmp"
	"maps"
	"slices"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/layout"
	"github.com/polya-classifier/polya/store/internal/rows"
	"github.com/polya-classifier/polya/store/internal/stored"
	"github.com/polya-classifier/polya/store/internal/table"
)

// This file is how what was kept of a damaged file is made to fit together.

// settle makes the totals of the classes those of the rows and of the ledger: what
// the rows lack was dropped, and what the ledger lacks is not known to it.
func (k *keeping) settle(tx layout.Tx, t *totals) error {
	sums, err := k.sumRows(tx, t)
	if err != nil {
		return err
	}
	known := make(map[count.ClassID]uint64)
	err = tx.EachEntry(func(_ count.DocID, e *stored.Entry) error {
		known[e.Class]++
		return nil
	})
	if err != nil {
		return err
	}
	for i, c := range t.classes {
		s := &sums[i]
		if s.tokens > c.Tokens || s.weight > c.Weight || known[c.ID] > c.Docs {
			return notRepaired("the totals of class %q are below what its terms or the ledger come to", c.Name)
		}
		dropped, weight := c.Tokens-s.tokens, c.Weight-s.weight
		if k.trust && len(k.gaps) == 0 && (dropped != c.Dropped || weight != c.DroppedWeight) {
			return errShort
		}
		c.Dropped, c.DroppedWeight = dropped, weight
		c.Loose = c.Docs - known[c.ID]
		c.Terms, c.Frequencies = 0, nil
		for _, n := range slices.Sorted(maps.Keys(s.terms)) {
			c.Terms += s.terms[n]
			c.Frequencies = append(c.Frequencies, count.Pair{N: n, Count: s.terms[n]})
		}
	}
	return nil
}

// fold adds the tail of the log to the tables of the new file.
func (k *keeping) fold(tx layout.Tx, by *tuning) error {
	var dir layout.Directory
	if err := dir.Load(tx); err != nil {
		return err
	}
	sum := rows.NewTally(&k.header.Key)
	err := k.eachOfTail(func(rec *stored.Record) error {
		sum.AddDocument(&rec.Doc, uint32(rec.Class), rec.Sign(), nil, func(hash uint64) bool {
			return dir.Tables[dir.At(hash)].Seq() < rec.Seq
		})
		return nil
	})
	if err != nil {
		return err
	}
	f, order, target := rows.Folder{Epoch: k.corpus.Epoch}, sum.ByHash(), by.tableTarget(dir.Bytes)
	for i, bound := range dir.Bounds {
		var rows []layout.Row
		for ; len(order) > 0 && sum.Hash(int(order[0])) <= bound; order = order[1:] {
			term, hash := sum.Term(int(order[0])), sum.Hash(int(order[0]))
			row, err := dir.Find(hash, term)
			if err != nil {
				return err
			}
			row, err = f.Fold(row, sum, int(order[0]), func(uint32, uint64, uint64) {})
			if err != nil && k.trust {
				return errShort
			}
			if err != nil {
				return notRepaired("the log and the row of term %.40q do not fit together, %v", term, err)
			}
			rows = append(rows, layout.Row{Hash: hash, Term: term, Data: row})
		}
		if err := layout.RewriteTable(tx, &k.header.Key, &dir, i, rows, k.last, target); err != nil {
			return err
		}
	}
	return nil
}

// sumRows sums the rows of each class, and counts them.
func (k *keeping) sumRows(tx layout.Tx, t *totals) ([]sums, error) {
	var dir layout.Directory
	if err := dir.Load(tx); err != nil {
		return nil, err
	}
	all := make([]sums, len(t.classes))
	for i := range all {
		all[i].terms = make(map[uint64]uint64)
	}
	t.vocabulary = 0
	var row table.Row
	var failed error
	for _, tab := range dir.Tables {
		err := tab.All(func(_ uint32, term, data []byte) bool {
			t.vocabulary++
			failed = row.Decode(data, false)
			for i := range row.Cells {
				c := &row.Cells[i]
				at := t.at(count.ClassID(c.Class))
				if at < 0 || failed != nil {
					failed = notRepaired("term %.40q is of a class that is lost", term)
					return false
				}
				s := &all[at]
				s.tokens += c.TF
				s.weight += c.W
				s.terms[c.DF]++
			}
			return failed == nil
		})
		if err != nil || failed != nil {
			return nil, cmp.Or(failed, err)
		}
	}
	return all, nil
}
