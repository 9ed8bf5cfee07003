// Package tagged counts documents by tag, and fits the models of tags; see package tags.
package tagged

import (
	"cmp"
	"math"
	"slices"

	"github.com/polya-classifier/polya/classify/model"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/tokenize"
)

// Counts are the counts of a snapshot by tag. The Totals have the tags as classes,
// numbered in order, with Docs and Weight, which Ratios and Layers read.
type Counts struct {
	Sets []*count.Class // the snapshot's classes: sets of tags
	model.Totals

	of [][]int // by set: its tags
}

// New returns the counts of a snapshot.
func New(s *store.Snapshot) *Counts {
	c := &Counts{Sets: s.Classes(), of: make([][]int, len(s.Classes()))}
	all := &count.Class{}
	byName := make(map[string]*count.Class)
	named := make([][]string, len(c.Sets))
	for i, set := range c.Sets {
		if set.Docs == 0 {
			continue
		}
		addTotals(all, set)
		named[i] = count.Tags(set.Name)
		for _, name := range named[i] {
			if byName[name] == nil {
				byName[name] = &count.Class{Name: name}
				c.Classes = append(c.Classes, byName[name])
			}
			addTotals(byName[name], set)
		}
	}
	slices.SortFunc(c.Classes, func(a, b *count.Class) int { return cmp.Compare(a.Name, b.Name) })
	for i, tag := range c.Classes {
		tag.ID = count.ClassID(i)
	}
	for i, names := range named {
		for _, name := range names {
			c.of[i] = append(c.of[i], int(byName[name].ID))
		}
	}
	c.All, c.Documents, c.Vocabulary = all, all.Docs, s.Vocabulary()
	return c
}

func addTotals(sum, one *count.Class) {
	sum.Docs += one.Docs
	sum.Weight += one.Weight
}

// without returns the totals without a document of this set, whose Weight is left.
func (c *Counts) without(set int, left uint64) model.Totals {
	less := func(from *count.Class) *count.Class {
		one := *from
		one.Docs--
		one.Weight -= min(c.Sets[set].Weight-left, one.Weight)
		return &one
	}
	t := c.Totals
	t.Classes, t.All, t.Documents = slices.Clone(t.Classes), less(t.All), t.Documents-1
	for _, tag := range c.of[set] {
		t.Classes[tag] = less(t.Classes[tag])
	}
	return t
}

// Prior returns the log-odds that a document has a tag that n of the documents have.
func Prior(n, documents uint64) float64 {
	return math.Log(float64(n+1) / float64(documents-n+1))
}

// Evidence reads documents as Evidence by tag. Its memory is reused for the next document.
type Evidence struct {
	model.Evidence
	cells []count.Cell // by tag
	at    []int        // by tag: the index of its cell in the row, plus one
}

// Read sets the rows to the rows of terms.
func (e *Evidence) Read(r model.Reader, c *Counts, terms []count.TermCount) error {
	e.Terms, e.FieldsOf = terms, FieldsOf
	err := e.ReadTerms(r, false)
	e.byTag(c)
	return err
}

// FieldsOf returns the group of fields of a term.
func FieldsOf(term []byte) model.Fields {
	return model.Fields(tokenize.FieldOf(term)) + model.TextFields
}

// LeaveOut sets the rows to those of a learned document of this set, which is left out of them
// and of the totals. ok is false if it does not fit the counts.
func (e *Evidence) LeaveOut(r model.Reader, c *Counts, doc *count.Document, set int) (t model.Totals, ok bool, err error) {
	e.Terms, e.FieldsOf = doc.Terms, FieldsOf
	if err := e.ReadTerms(r, false); err != nil {
		return t, false, err
	}
	left, ok, err := e.Evidence.LeaveOut(r, model.Totals{Classes: c.Sets}, set, doc)
	if err != nil || !ok {
		return t, false, err
	}
	e.byTag(c)
	return c.without(set, left.Classes[set].Weight), true, nil
}

// byTag replaces the cells of rows, which are by set, by cells by tag. The sums of a row stay
// those of all documents.
func (e *Evidence) byTag(c *Counts) {
	e.cells = e.cells[:0]
	if len(e.at) < len(c.Classes) {
		e.at = make([]int, len(c.Classes))
	}
	for _, rows := range [][]model.Row{e.Rows, e.Channel} {
		for i := range rows {
			e.sum(c, &rows[i])
		}
	}
}

// sum is byTag for one row.
func (e *Evidence) sum(c *Counts, row *model.Row) {
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
