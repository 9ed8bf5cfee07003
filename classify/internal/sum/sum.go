// Package sum adds the counts of a user's database to those of a shared one.
package sum

import (
	"math"
	"slices"

	"github.com/polya-classifier/polya/classify/model"
	"github.com/polya-classifier/polya/store/count"
)

// A user's n lessons count as first×half×n/(n+half) documents of the base, at least as one each:
// the first as 19, ten as 13 each, and hundreds as one each. Few lessons must change answers, and
// many similar ones must not outweigh the base (go run ./benchmarks decisions users). In a base of
// few documents the first counts as one in twenty of these.
const first, half, small = 20, 20, 20

// timesOf returns how often each lesson of a user counts.
func timesOf(base, own model.Totals) uint64 {
	most := min(first, float64(base.Documents)/small)
	return max(1, uint64(math.Round(most*half/float64(half+own.Documents))))
}

// noClass is the ID of a class that the base lacks, so that nothing fitted to the base
// applies to it.
const noClass = ^count.ClassID(0)

// Sum adds the counts of a user to those of a base.
type Sum struct {
	// Classes are those of both, in order of name, with their documents, each counted once.
	// Prior has the documents of the base, and of the user where the base has none.
	Classes, Prior []*count.Class

	// Totals are the counts by which documents are scored, without those that Auto does not read:
	// tokens and lengths. Attributes are the base's.
	Totals model.Totals

	Times     uint64 // how often each lesson of the user counts
	base, own []int  // by class of each: its index in Classes
}

// New adds the totals.
func New(base, own model.Totals) *Sum {
	s := &Sum{Times: timesOf(base, own), Totals: base, base: make([]int, len(base.Classes)), own: make([]int, len(own.Classes))}
	s.Totals.Classes = nil
	var names []string
	for _, class := range slices.Concat(base.Classes, own.Classes) {
		names = append(names, class.Name)
	}
	slices.Sort(names)
	for at, name := range slices.Compact(names) {
		of, users := &count.Class{ID: noClass, Name: name}, (*count.Class)(nil)
		if i := count.ClassNamed(base.Classes, name); i >= 0 {
			of, s.base[i] = base.Classes[i], at
		}
		if i := count.ClassNamed(own.Classes, name); i >= 0 {
			users, s.own[i] = own.Classes[i], at
		}
		s.add(of, users)
	}
	s.Totals.Attributes = s.widened(base.Attributes)
	return s
}

// add adds a class with the user's counts of it, nil for none.
func (s *Sum) add(base, own *count.Class) {
	all, scored, prior := *base, *base, base
	if own != nil && own.Docs > 0 {
		all.Docs += own.Docs
		if base.Docs == 0 {
			prior = &all
		}
		scored.Docs += s.Times * own.Docs
		scored.Weight += s.Times * own.Weight
		scored.Terms, scored.Frequencies = frequencies(base, own, s.Times)
		s.Totals.Documents += s.Times * own.Docs
		s.Totals.Vocabulary = max(s.Totals.Vocabulary, scored.Terms)
	}
	s.Classes, s.Prior, s.Totals.Classes = append(s.Classes, &all), append(s.Prior, prior), append(s.Totals.Classes, &scored)
}

// frequencies returns the number of terms of a class and of their document frequencies. How
// many terms both have is unknown: the terms are the base's, as frequent as there.
func frequencies(base, own *count.Class, times uint64) (terms uint64, list []count.Pair) {
	from, scale := base, float64(base.Docs+times*own.Docs)/float64(max(base.Docs, 1))
	if base.Terms == 0 {
		from, scale = own, float64(times)
	}
	for _, p := range from.Frequencies {
		list = count.AppendPair(list, uint64(float64(p.N)*scale), p.Count)
	}
	return from.Terms, list
}

// widened returns the attributes of the base with its classes at their places in the sum.
func (s *Sum) widened(attributes []*count.AttributeTotals) []*count.AttributeTotals {
	var list []*count.AttributeTotals
	for _, a := range attributes {
		wide := *a
		wide.Classes = make([]count.AttributeCell, len(s.Classes))
		for c, cell := range a.Classes {
			wide.Classes[s.base[c]] = cell
		}
		list = append(list, &wide)
	}
	return list
}

// Reader reads sums of rows. It is for one goroutine, and its memory is reused.
type Reader struct {
	*Sum
	Shared, User model.Reader

	memory []count.Cell // of User
	rows   []row        // of terms that User has
	summed []count.Cell
	counts []uint64
	of     []count.Cell // the user's part of the cells that f is called with
}

// Own implements model.Overlaid.
func (r *Reader) Own() []count.Cell { return r.of }

// row is the cells of the term of this index.
type row struct {
	i     int
	cells []count.Cell
}

// AppendRows implements model.Reader, without levels. The sums are in the Reader's own memory, and
// valid until the next call.
func (r *Reader) AppendRows(memory []count.Cell, terms []count.TermCount, _ bool, f func(i int, cells []count.Cell) error) ([]count.Cell, error) {
	r.rows, r.summed = r.rows[:0], r.summed[:0]
	var err error
	r.memory, err = r.User.AppendRows(r.memory[:0], terms, false, func(i int, cells []count.Cell) error {
		for k := range cells {
			r.multiply(&cells[k])
		}
		r.rows = append(r.rows, row{i, cells})
		return nil
	})
	if err != nil {
		return memory, err
	}
	next := 0
	memory, err = r.Shared.AppendRows(memory, terms, false, func(i int, cells []count.Cell) error {
		for ; next < len(r.rows) && r.rows[next].i < i; next++ {
			r.of = r.rows[next].cells
			if err := f(r.rows[next].i, r.rows[next].cells); err != nil {
				return err
			}
		}
		for k := range cells {
			cells[k].Class = r.base[cells[k].Class]
		}
		r.of = nil
		if next < len(r.rows) && r.rows[next].i == i {
			r.of = r.rows[next].cells
			cells = r.add(cells, r.rows[next].cells)
			next++
		}
		return f(i, cells)
	})
	for ; err == nil && next < len(r.rows); next++ {
		r.of = r.rows[next].cells
		err = f(r.rows[next].i, r.rows[next].cells)
	}
	return memory, err
}

// multiply turns a cell of the user into one of the sum.
func (r *Reader) multiply(cell *count.Cell) {
	cell.Class = r.own[cell.Class]
	cell.DF, cell.TF, cell.W = r.Times*cell.DF, r.Times*cell.TF, r.Times*cell.W
}

// add returns the sum of the cells of a term, which stay valid as long as r.summed.
func (r *Reader) add(base, own []count.Cell) []count.Cell {
	first := len(r.summed)
	r.summed = append(r.summed, base...)
	for _, cell := range own {
		k := slices.IndexFunc(base, func(b count.Cell) bool { return b.Class == cell.Class })
		if k < 0 {
			r.summed = append(r.summed, cell)
			continue
		}
		to := &r.summed[first+k]
		to.DF, to.TF, to.W = to.DF+cell.DF, to.TF+cell.TF, to.W+cell.W
	}
	return r.summed[first:len(r.summed):len(r.summed)]
}

// CategoryCounts implements model.Reader, with the counts of the base.
func (r *Reader) CategoryCounts(name, category string, counts []uint64) (known bool, err error) {
	r.counts = slices.Grow(r.counts[:0], len(r.base))[:len(r.base)]
	known, err = r.Shared.CategoryCounts(name, category, r.counts)
	clear(counts)
	for c, n := range r.counts {
		counts[r.base[c]] = n
	}
	return known, err
}

// GreatestWithout implements model.Reader, with the counts of the base.
func (r *Reader) GreatestWithout(name string, class int, x float64) (greatest float64, found bool, err error) {
	return r.Shared.GreatestWithout(name, slices.Index(r.base, class), x)
}
