package salvage

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

// Fit merges the tail of the log into the tables of the new file, and makes its totals
// and ledger consistent with them. target returns the target size of a table in a file
// with so many bytes of tables.
func (k *Plan) Fit(tx layout.Tx, target func(bytes int) int) error {
	if err := k.fold(tx, target); err != nil {
		return err
	}
	corpus, err := tx.Corpus()
	if err != nil {
		return err
	}
	var classes []*count.Class
	if err := tx.EachClass(nil, func(c *count.Class) { classes = append(classes, c) }); err != nil {
		return err
	}
	if corpus.Vocabulary, err = k.settle(tx, classes); err != nil {
		return err
	}
	if len(k.lost) > 0 || len(k.gaps) > 0 {
		corpus.Epoch++ // lost terms count as dropped at the end of the epoch before
		if err := tx.SetFlag(stored.FlagPruned); err != nil {
			return err
		}
	}
	k.saySettled(classes)
	for _, c := range classes {
		if err := tx.PutTotals(c); err != nil {
			return err
		}
	}
	corpus.Merged = corpus.Seq
	return tx.PutCorpus(corpus)
}

func (k *Plan) saySettled(classes []*count.Class) {
	untracked, dropped := uint64(0), uint64(0)
	for _, c := range classes {
		untracked += c.Untracked - min(c.Untracked, k.classes[c.ID].Untracked)
		dropped += c.Dropped - min(c.Dropped, k.classes[c.ID].Dropped)
	}
	if untracked > 0 {
		k.out.lost("the ledger entries of %s, still counted: each can be learned again, and forgotten only with its text", documents(untracked))
	}
	if dropped > 0 {
		k.out.lost("%d occurrences of terms, which count as dropped ones now", dropped)
	}
	k.out.rebuilt("the pages of the file and the totals, around the count tables that are sound")
}

// settle makes the totals of the classes agree with the rows and the ledger: counts that
// the rows lack become dropped ones, and documents that the ledger lacks become untracked.
func (k *Plan) settle(tx layout.Tx, classes []*count.Class) (vocabulary uint64, err error) {
	all, vocabulary, err := k.sumRows(tx, classes)
	if err != nil {
		return 0, err
	}
	known := make(map[count.ClassID]uint64)
	err = tx.EachEntry(func(_ count.DocID, e *stored.Entry) error {
		known[e.Class]++
		return nil
	})
	if err != nil {
		return 0, err
	}
	for _, c := range classes {
		s := all[c.ID]
		if s.Tokens > c.Tokens || s.Weight > c.Weight || known[c.ID] > c.Docs {
			return 0, notRepaired("the totals of class %q are below what its terms or the ledger come to", c.Name)
		}
		dropped, weight := c.Tokens-s.Tokens, c.Weight-s.Weight
		if k.trust && len(k.gaps) == 0 && (dropped != c.Dropped || weight != c.DroppedWeight) {
			return 0, ErrShort
		}
		c.Dropped, c.DroppedWeight = dropped, weight
		c.Untracked = c.Docs - known[c.ID]
		c.Terms, c.Frequencies = 0, nil
		for _, n := range slices.Sorted(maps.Keys(s.Terms)) {
			c.Terms += s.Terms[n]
			c.Frequencies = append(c.Frequencies, count.Pair{N: n, Count: s.Terms[n]})
		}
	}
	return vocabulary, nil
}

// fold adds the tail of the log to the tables of the new file.
func (k *Plan) fold(tx layout.Tx, target func(bytes int) int) error {
	var dir layout.Directory
	if err := dir.Load(tx); err != nil {
		return err
	}
	load := rows.Loader{Overlay: rows.NewOverlay(), Key: &k.header.Key, From: dir.Position}
	err := k.eachOfTail(func(rec *stored.Record) error {
		load.Add(&rec.Doc, uint32(rec.Class), rec.Sign(), rec.Seq)
		return nil
	})
	if err != nil {
		return err
	}
	f, size := rows.Folder{Epoch: k.corpus.Epoch}, target(dir.Bytes)
	for i := range dir.Bounds {
		list, err := dir.Changed(i, load.Overlay, &f)
		if err != nil && k.trust {
			return ErrShort
		}
		if err != nil {
			return notRepaired("the log and the rows do not fit together, %v", err)
		}
		if err := layout.RewriteTable(tx, &k.header.Key, &dir, i, list, k.last, size); err != nil {
			return err
		}
	}
	return nil
}

// sumRows sums the rows of each class, and counts them.
func (k *Plan) sumRows(tx layout.Tx, classes []*count.Class) (all map[count.ClassID]*rows.Sums, vocabulary uint64, err error) {
	var dir layout.Directory
	if err := dir.Load(tx); err != nil {
		return nil, 0, err
	}
	all = make(map[count.ClassID]*rows.Sums)
	for _, c := range classes {
		all[c.ID] = &rows.Sums{Terms: make(map[uint64]uint64)}
	}
	var row table.Row
	var failed error
	channel := false
	for _, tab := range dir.Tables {
		err := tab.All(func(_ uint32, term, data []byte) bool {
			if count.OfChannel(term) {
				channel = true
			} else {
				vocabulary++
			}
			failed = row.Decode(data, false)
			for i := range row.Cells {
				c := &row.Cells[i]
				s := all[count.ClassID(c.Class)]
				if s == nil || failed != nil {
					failed = notRepaired("term %.40q is of a class that is lost", term)
					return false
				}
				s.Add(term, c.DF, c.TF, c.W)
			}
			return failed == nil
		})
		if err != nil || failed != nil {
			return nil, 0, cmp.Or(failed, err)
		}
	}
	if channel { // the flag may have been lost with the header
		err = tx.SetFlag(stored.FlagChannels)
	}
	return all, vocabulary, err
}
