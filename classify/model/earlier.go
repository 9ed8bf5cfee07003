package model

import (
	"slices"

	"github.com/polya-classifier/polya/store/count"
)

// Earlier reads counts as before some documents were learned, without levels; attributes
// still include these documents.
type Earlier struct {
	now   Totals
	taken []count.Class // by class: what the removed documents have added to it
	terms map[string][]count.Cell
}

// NewEarlier returns the counts of t, with nothing subtracted yet.
func NewEarlier(t Totals) *Earlier {
	return &Earlier{t, make([]count.Class, len(t.Classes)), make(map[string][]count.Cell)}
}

// Take subtracts a learned document of this class from the counts.
func (x *Earlier) Take(class int, doc *count.Document) {
	own := &x.taken[class]
	weights, sum := doc.Weights()
	own.Docs++
	own.Weight += sum
	for _, term := range doc.Terms {
		if !count.OfChannel(term.Term) {
			own.Tokens += uint64(term.N)
		}
		cells := x.terms[string(term.Term)]
		k := slices.IndexFunc(cells, func(c count.Cell) bool { return c.Class == class })
		if k < 0 {
			k = len(cells)
			cells = append(cells, count.Cell{Class: class})
			x.terms[string(term.Term)] = cells
		}
		cells[k].DF++
		cells[k].TF += uint64(term.N)
		cells[k].W += count.WeightOf(&weights, term.Term, term.N)
	}
	for _, p := range doc.Dropped {
		own.Tokens += p.N * p.Count
		own.Dropped += p.N * p.Count
		own.DroppedWeight += weights[p.N] * p.Count
	}
}

// Totals returns the totals left. The number of terms and the distribution of their frequencies
// then are unknown: all terms stay, and their frequencies shrink in proportion to the classes.
func (x *Earlier) Totals() Totals {
	left := x.now
	left.Classes = make([]*count.Class, len(x.now.Classes))
	for c, now := range x.now.Classes {
		class, taken := *now, x.taken[c]
		class.Docs -= min(class.Docs, taken.Docs)
		class.Tokens -= min(class.Tokens, taken.Tokens)
		class.Weight -= min(class.Weight, taken.Weight)
		class.Dropped -= min(class.Dropped, taken.Dropped)
		class.DroppedWeight -= min(class.DroppedWeight, taken.DroppedWeight)
		class.Frequencies = nil
		for _, p := range now.Frequencies {
			class.Frequencies = count.AppendPair(class.Frequencies, max(1, p.N*class.Docs/max(now.Docs, 1)), p.Count)
		}
		left.Classes[c] = &class
		left.Documents -= min(left.Documents, taken.Docs)
	}
	return left
}

// Reader returns a Reader of r without the subtracted documents.
func (x *Earlier) Reader(r Reader) Reader { return earlierReader{r, x.terms} }

type earlierReader struct {
	Reader
	taken map[string][]count.Cell
}

// AppendRows implements Reader.
func (r earlierReader) AppendRows(memory []count.Cell, terms []count.TermCount, _ bool, f func(i int, cells []count.Cell) error) ([]count.Cell, error) {
	return r.Reader.AppendRows(memory, terms, false, func(i int, cells []count.Cell) error {
		left := cells[:0]
		for _, cell := range cells {
			for _, taken := range r.taken[string(terms[i].Term)] {
				if taken.Class == cell.Class {
					cell.DF -= min(cell.DF, taken.DF)
					cell.TF -= min(cell.TF, taken.TF)
					cell.W -= min(cell.W, taken.W)
				}
			}
			if cell.DF > 0 {
				left = append(left, cell)
			}
		}
		if len(left) == 0 {
			return nil
		}
		return f(i, left)
	})
}
