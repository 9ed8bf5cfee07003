package tags

import (
	"math"
	"slices"

	"github.com/polya-classifier/polya/classify/model"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/tokenize"
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
	slices.SortFunc(c.totals.Classes, func(a, b *count.Class) int {
		if a.Name < b.Name {
			return -1
		}
		return 1
	})
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

// without returns the totals without doc, a document of this set.
func (c *counts) without(doc *count.Document, set int) model.Totals {
	weights, sum := model.WeightsOf(doc), uint64(0)
	for _, t := range doc.Terms {
		if !count.OfChannel(t.Term) {
			sum += weights[t.N]
		}
	}
	for _, p := range doc.Dropped {
		sum += weights[p.N] * p.Count
	}
	less := func(from *count.Class) *count.Class {
		left := *from
		left.Docs--
		left.Weight -= min(sum, left.Weight)
		return &left
	}
	left := c.totals
	left.Classes, left.All, left.Documents = slices.Clone(left.Classes), less(left.All), left.Documents-1
	for _, tag := range c.of[set] {
		left.Classes[tag] = less(left.Classes[tag])
	}
	return left
}

// prior returns the log-odds that a document has a tag that n of the documents have.
func prior(n, documents uint64) float64 {
	return math.Log(float64(n+1) / float64(documents-n+1))
}

// evidence reads documents as Evidence by tag. Its memory is reused for the next document.
type evidence struct {
	model.Evidence
	sets  []count.Cell // of the rows, by set
	cells []count.Cell // by tag
	at    []int        // by tag: the index of its cell in the row, plus one
}

// read sets the rows to the rows of terms. If doc is not nil, it is the learned document of this
// set with these terms; it is left out of the counts, and ok is false if it does not fit them.
func (e *evidence) read(r model.Reader, c *counts, terms []count.TermCount, doc *count.Document, set int) (ok bool, err error) {
	e.Rows, e.Channel, e.sets, e.cells = e.Rows[:0], e.Channel[:0], e.sets[:0], e.cells[:0]
	if len(e.at) < len(c.totals.Classes) {
		e.at = make([]int, len(c.totals.Classes))
	}
	var weights [count.MaxCount + 1]uint64
	if doc != nil {
		weights = model.WeightsOf(doc)
	}
	found := 0
	ok = true
	e.sets, err = r.AppendRows(e.sets, terms, false, func(i int, cells []count.Cell) error {
		found++
		row := model.Row{X: int(terms[i].N), Term: terms[i].Term}
		channel := count.OfChannel(row.Term)
		if doc != nil {
			weight := weights[terms[i].N]
			if channel {
				weight = 0
			}
			var fits bool
			cells, fits = leave(cells, set, uint64(row.X), weight)
			ok = ok && fits
		}
		e.sum(c, &row, cells)
		switch {
		case row.DF == 0:
		case channel:
			e.Channel = append(e.Channel, row)
		default:
			e.Rows = append(e.Rows, row)
		}
		return nil
	})
	return ok && (doc == nil || found == len(terms)), err
}

// leave subtracts a document from the cell of its set, in place.
func leave(cells []count.Cell, set int, x, weight uint64) (left []count.Cell, ok bool) {
	k := slices.IndexFunc(cells, func(c count.Cell) bool { return c.Class == set })
	if k < 0 || cells[k].TF < x || cells[k].W < weight {
		return cells, false
	}
	cell := &cells[k]
	cell.DF, cell.TF, cell.W = cell.DF-1, cell.TF-x, cell.W-weight
	if cell.DF == 0 {
		cells = slices.Delete(cells, k, k+1)
	}
	return cells, true
}

// sum sets the cells of a row by tag, and its sums over all documents.
func (e *evidence) sum(c *counts, row *model.Row, sets []count.Cell) {
	first := len(e.cells)
	for i := range sets {
		from := &sets[i]
		row.DF, row.TF, row.W = row.DF+from.DF, row.TF+from.TF, row.W+from.W
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
	row.Fields = model.Fields(tokenize.FieldOf(row.Term)) + model.TextFields
}
