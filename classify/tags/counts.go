package tags

import (
	"cmp"
	"math"
	"slices"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/model"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// counts are the counts of a snapshot by tag. Its Totals have the tags as classes,
// numbered in order, with Docs and Weight, which Ratios and Layers read.
type counts struct {
	classes []*count.Class // the snapshot's classes: sets of tags
	of      [][]int        // by set: its tags
	totals  model.Totals
}

func newCounts(s *store.Snapshot) *counts {
	c := &counts{classes: s.Classes(), of: make([][]int, len(s.Classes()))}
	all := &count.Class{}
	byName := make(map[string]*count.Class)
	named := make([][]string, len(c.classes))
	for i, set := range c.classes {
		if set.Docs == 0 {
			continue
		}
		addTotals(all, set)
		named[i] = count.Tags(set.Name)
		for _, name := range named[i] {
			if byName[name] == nil {
				byName[name] = &count.Class{Name: name}
				c.totals.Classes = append(c.totals.Classes, byName[name])
			}
			addTotals(byName[name], set)
		}
	}
	slices.SortFunc(c.totals.Classes, func(a, b *count.Class) int { return cmp.Compare(a.Name, b.Name) })
	for i, tag := range c.totals.Classes {
		tag.ID = count.ClassID(i)
	}
	for i, names := range named {
		for _, name := range names {
			c.of[i] = append(c.of[i], int(byName[name].ID))
		}
	}
	c.totals.All, c.totals.Documents, c.totals.Vocabulary = all, all.Docs, s.Vocabulary()
	return c
}

func addTotals(sum, one *count.Class) {
	sum.Docs += one.Docs
	sum.Weight += one.Weight
}

// without returns the totals without a document of this set, whose Weight is left.
func (c *counts) without(set int, left uint64) model.Totals {
	less := func(from *count.Class) *count.Class {
		one := *from
		one.Docs--
		one.Weight -= min(c.classes[set].Weight-left, one.Weight)
		return &one
	}
	t := c.totals
	t.Classes, t.All, t.Documents = slices.Clone(t.Classes), less(t.All), t.Documents-1
	for _, tag := range c.of[set] {
		t.Classes[tag] = less(t.Classes[tag])
	}
	return t
}

// prior returns the log-odds that a document has a tag that n of the documents have.
func prior(n, documents uint64) float64 {
	return math.Log(float64(n+1) / float64(documents-n+1))
}

// evidence reads documents as Evidence by tag. Its memory is reused for the next document.
type evidence struct {
	model.Evidence
	cells []count.Cell // by tag
	at    []int        // by tag: the index of its cell in the row, plus one
}

// read sets the rows to the rows of terms.
func (e *evidence) read(r model.Reader, c *counts, terms []count.TermCount) error {
	e.Terms, e.FieldsOf = terms, classify.FieldsOf
	err := e.ReadTerms(r, false)
	e.byTag(c)
	return err
}

// leaveOut sets the rows to those of a learned document of this set, which is left out of them
// and of the totals. ok is false if it does not fit the counts.
func (e *evidence) leaveOut(r model.Reader, c *counts, doc *count.Document, set int) (t model.Totals, ok bool, err error) {
	e.Terms, e.FieldsOf = doc.Terms, classify.FieldsOf
	if err := e.ReadTerms(r, false); err != nil {
		return t, false, err
	}
	left, ok, err := e.LeaveOut(r, model.Totals{Classes: c.classes}, set, doc)
	if err != nil || !ok {
		return t, false, err
	}
	e.byTag(c)
	return c.without(set, left.Classes[set].Weight), true, nil
}

// byTag replaces the cells of rows, which are by set, by cells by tag. The sums of a row stay
// those of all documents.
func (e *evidence) byTag(c *counts) {
	e.cells = e.cells[:0]
	if len(e.at) < len(c.totals.Classes) {
		e.at = make([]int, len(c.totals.Classes))
	}
	for _, rows := range [][]model.Row{e.Rows, e.Channel} {
		for i := range rows {
			e.sum(c, &rows[i])
		}
	}
}

// sum is byTag for one row.
func (e *evidence) sum(c *counts, row *model.Row) {
	first := len(e.cells)
	for i := range row.Cells {
		from := &row.Cells[i]
		for _, tag := range c.of[from.Class] {
			if e.at[tag] == 0 {
				e.cells = append(e.cells, count.Cell{Class: tag})
				e.at[tag] = len(e.cells) - first
			}
			cell := &e.cells[first+e.at[tag]-1]
			cell.DF, cell.TF, cell.W = cell.DF+from.DF, cell.TF+from.TF, cell.W+from.W
		}
	}
	row.Cells = e.cells[first:len(e.cells):len(e.cells)]
	for i := range row.Cells {
		e.at[row.Cells[i].Class] = 0
	}
}
