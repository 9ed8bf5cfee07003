package model

import (
	"cmp"
	"math"
	"slices"

	"github.com/polya-classifier/polya/store/count"
)

// ratios scores by several bounds over the same ratios at once.
type ratios struct {
	of      Statistic
	alpha   float64
	bounds  []float64 // ascending
	up, low float64   // the ratios of the least bound
	inverse []float64 // 1/R_c, NaN for a class that has no score
	order   []int     // classes that have one, by 1/R_c, the greatest first
}

func newRatios(t Totals, of Statistic, alpha float64, bounds ...float64) *ratios {
	must(Ratio{of, alpha, bounds[0]}.check())
	s := &ratios{of: of, alpha: alpha, bounds: bounds, inverse: make([]float64, len(t.Classes))}
	s.up, s.low = math.Exp(bounds[0]), math.Exp(-bounds[0])
	var all float64
	for c, class := range t.Classes {
		s.inverse[c] = ofClass(class, of)
		all += s.inverse[c]
	}
	for c, own := range s.inverse {
		s.inverse[c] = own / (all - own)
		if own <= 0 || all-own <= 0 {
			s.inverse[c] = math.NaN()
			continue
		}
		s.order = append(s.order, c)
	}
	slices.SortStableFunc(s.order, func(a, b int) int { return cmp.Compare(s.inverse[b], s.inverse[a]) })
	return s
}

// ofClass returns the total of a class.
func ofClass(class *count.Class, of Statistic) float64 {
	if of == Documents {
		return float64(class.Docs)
	}
	return float64(class.Weight) * weightUnit
}

// Score implements Scorer, by the first bound.
func (s *ratios) Score(e *Evidence, scores []float64) {
	size := len(scores) * len(s.bounds)
	sums := make([]float64, size)
	s.means(e, sums, make([]float64, size), new(contributions))
	copy(scores, sums)
}

// Explain implements Scorer, by the first bound.
func (s *ratios) Explain(e *Evidence, weight float64, x *Contributions) {
	size := len(s.inverse)
	first, memory := s.bound(0), new(contributions)
	sums, n, its := make([]float64, size), make([]float64, size), make([]float64, size)
	for i := range e.Rows {
		first.add(&e.Rows[i], sums, n, memory)
	}
	for i := range e.Rows {
		clear(sums)
		first.add(&e.Rows[i], sums, its, memory)
		for c := range sums {
			x.Rows[i][c] += weight * (sums[c] / (1 + n[c]))
		}
	}
}

// bound returns s with its k-th bound only.
func (s *ratios) bound(k int) *ratios {
	one := *s
	one.bounds = s.bounds[k : k+1]
	one.up, one.low = math.Exp(one.bounds[0]), math.Exp(-one.bounds[0])
	return &one
}

// beyond returns the last of the bounds that r is beyond, -1 if there is none.
func (s *ratios) beyond(r float64) int {
	b, size := -1, math.Abs(r)
	for b+1 < len(s.bounds) && size > s.bounds[b+1] {
		b++
	}
	return b
}

// weights are l by the occurrences of a term.
func (s *ratios) weights() *countWeights {
	if s.of == Weights {
		return &weightsLog
	}
	return &weightsOne
}

// means sets means[b × classes + c] to the score of class c by bound b. n is
// memory of the same size.
func (s *ratios) means(e *Evidence, means, n []float64, memory *contributions) {
	clear(means)
	clear(n)
	for i := range e.Rows {
		s.add(&e.Rows[i], means, n, memory)
	}
	s.divide(means, n)
}

// add adds a row to the sums and to the weights n that they are divided by, each time
// to that of the last bound that it is beyond.
func (s *ratios) add(row *Row, sums, n []float64, memory *contributions) {
	l := s.weights()[row.X]
	s.contribute(row, memory)
	for _, r := range memory.list {
		if b := s.beyond(r.value); b >= 0 {
			sums[b*len(s.inverse)+r.class] += l * r.value
			n[b*len(s.inverse)+r.class] += l
		}
	}
}

// divide turns what add has added up into the scores by each bound. What is beyond a
// bound is beyond those below it.
func (s *ratios) divide(sums, n []float64) {
	for at := len(sums) - len(s.inverse) - 1; at >= 0; at-- {
		sums[at] += sums[at+len(s.inverse)]
		n[at] += n[at+len(s.inverse)]
	}
	for at := range sums {
		sums[at] /= 1 + n[at]
	}
}

// contribute sets memory to the r of the classes of which |r| is above the least bound,
// or so near it that it might be.
func (s *ratios) contribute(row *Row, memory *contributions) {
	total := s.total(row)
	list := memory.list[:0]
	if lacks := s.alpha * (s.up - 1); len(row.Cells) < len(s.order) && total*s.inverse[s.order[0]] > lacks {
		list = s.missing(row, total, lacks, memory)
	}
	for k := range row.Cells {
		cell := &row.Cells[k]
		w := s.weight(cell)
		own, rest := w+s.alpha, (total-w)*s.inverse[cell.Class]+s.alpha
		if own > s.up*rest || own < s.low*rest {
			list = append(list, contribution{cell.Class, quickLog(own / rest)})
		}
	}
	memory.list = list
}

// total is what all classes together have of a term.
func (s *ratios) total(row *Row) float64 {
	if s.of == Weights {
		return float64(row.W) * weightUnit
	}
	return float64(row.DF)
}

// weight is w of a cell.
func (s *ratios) weight(cell *count.Cell) float64 {
	if s.of == Weights {
		return float64(cell.W) * weightUnit
	}
	return float64(cell.DF)
}

// missing returns the contributions of a row to the classes that lack its term: r = -log(1 +
// w'/(αR)), so that only the larger classes miss a term that is not common.
func (s *ratios) missing(row *Row, total, lacks float64, memory *contributions) []contribution {
	if len(memory.has) < len(s.inverse) {
		memory.has = make([]bool, len(s.inverse))
	}
	list := memory.list[:0]
	for k := range row.Cells {
		memory.has[row.Cells[k].Class] = true
	}
	for _, c := range s.order {
		rest := total * s.inverse[c]
		if rest <= lacks {
			break
		}
		if !memory.has[c] {
			list = append(list, contribution{c, quickLog(s.alpha / (rest + s.alpha))})
		}
	}
	for k := range row.Cells {
		memory.has[row.Cells[k].Class] = false
	}
	return list
}

// TermRatios are the log ratios r of single terms beyond the bound of a Ratio.
type TermRatios struct {
	ratios *ratios
	memory contributions
}

// Terms returns the ratios of terms. It panics if Alpha or Bound is out of range.
func (m Ratio) Terms(t Totals) *TermRatios {
	return &TermRatios{ratios: m.Prepare(t).(*ratios)}
}

// Of returns r of one class, 0 if it is not beyond the bound. It is safe for concurrent
// use, unlike Each.
func (x *TermRatios) Of(row *Row, class int) float64 {
	s, w := x.ratios, 0.0
	for k := range row.Cells {
		if row.Cells[k].Class == class {
			w = s.weight(&row.Cells[k])
			break
		}
	}
	total := s.total(row)
	own, rest := w+s.alpha, (total-w)*s.inverse[class]+s.alpha
	if own > s.up*rest || own < s.low*rest {
		return quickLog(own / rest)
	}
	return 0
}

// Each calls f with r of each class for which it is beyond the bound.
func (x *TermRatios) Each(row *Row, f func(class int, ratio float64)) {
	x.ratios.contribute(row, &x.memory)
	for _, one := range x.memory.list {
		f(one.class, one.value)
	}
}

// Prepare computes R_c for each class. It panics if Alpha or Bound is out of
// range.
func (m Ratio) Prepare(t Totals) Scorer {
	m = m.filled()
	return newRatios(t, m.Of, m.Alpha, m.Bound)
}
