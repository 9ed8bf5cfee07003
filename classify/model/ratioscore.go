package model

import (
	"cmp"
	"math"
	"slices"
)

// ratios computes scores for several bounds and groups of fields from the same ratios at once.
type ratios struct {
	documents bool
	alpha     float64
	bounds    []float64 // ascending
	asked     []mean    // the scores that are computed
	groups    int       // number of groups of fields with sums: 1 for all together, or fieldGroups
	channel   Fields    // the only channel read, 0 for terms outside of channels
	up, low   float64   // the ratios of the least bound
	inverse   []float64 // 1/R_c, NaN for a class without a score
	order     []int     // classes with a score, by 1/R_c, the greatest first

	each func(row *Row, class int, ratio float64) // called with each ratio in a sum; may be nil
}

// mean is the mean of the ratios beyond the bound with this index, for terms of some fields.
type mean struct {
	bound  int
	fields Fields
}

// newRatios returns the ratios of m with a single score.
func newRatios(t Totals, m Ratio) *ratios {
	s := &ratios{documents: m.Documents, alpha: m.Alpha, groups: 1, channel: m.channel()}
	s.ask(m.Bound, m.Fields)
	return s.prepared(t)
}

// ask adds a score; false if its bound is below the greatest one and not among the bounds.
func (s *ratios) ask(bound float64, fields Fields) bool {
	at := slices.Index(s.bounds, bound)
	if at < 0 {
		if at = len(s.bounds); at > 0 && s.bounds[at-1] > bound {
			return false
		}
		s.bounds = append(s.bounds, bound)
	}
	s.asked = append(s.asked, mean{at, fields})
	if fields != AllFields && !fields.IsChannel() {
		s.groups = fieldGroups
	}
	return true
}

// prepared returns s for these totals.
func (s *ratios) prepared(t Totals) *ratios {
	s = new(*s)
	s.inverse, s.order = make([]float64, len(t.Classes)), make([]int, 0, len(t.Classes))
	s.up, s.low = math.Exp(s.bounds[0]), math.Exp(-s.bounds[0])
	var all float64
	for c, class := range t.Classes {
		s.inverse[c] = s.counted(class.Docs, class.Weight)
		all += s.inverse[c]
	}
	if t.All != nil {
		all = s.counted(t.All.Docs, t.All.Weight)
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

// counted returns the count that the ratios compare.
func (s *ratios) counted(docs, weight uint64) float64 {
	if s.documents {
		return float64(docs)
	}
	return float64(weight) * weightUnit
}

// Score implements Scorer for the first score.
func (s *ratios) Score(e *Evidence, scores []float64) {
	m := new(partMemory)
	s.means(e, m)
	copy(scores, m.scores)
}

// Explain implements Scorer for the first score.
func (s *ratios) Explain(e *Evidence, weight float64, x *Contributions) {
	size := len(s.inverse)
	first, memory, fields := s.only(0), new(contributions), s.asked[0].fields
	sums, n, its := make([]float64, size), make([]float64, size), make([]float64, size)
	rows, to := e.Rows, x.Rows
	if s.channel != AllFields {
		rows, to = e.Channel, x.Rows[len(e.Rows):]
	}
	for i := range rows {
		if row := &rows[i]; fields.have(row) {
			first.add(row, sums, n, memory)
		}
	}
	for i := range rows {
		if !fields.have(&rows[i]) {
			continue
		}
		clear(sums)
		first.add(&rows[i], sums, its, memory)
		for c := range sums {
			to[i][c] += weight * (sums[c] / (1 + n[c]))
		}
	}
}

// only returns s with only its k-th score.
func (s *ratios) only(k int) *ratios {
	one := *s
	bound := s.asked[k].bound
	one.bounds, one.asked, one.groups = s.bounds[bound:bound+1], []mean{{0, s.asked[k].fields}}, 1
	one.up, one.low = math.Exp(one.bounds[0]), math.Exp(-one.bounds[0])
	return &one
}

// beyond returns the index of the last bound that |r| exceeds, -1 if there is none.
func (s *ratios) beyond(r float64) int {
	b, size := -1, math.Abs(r)
	for b+1 < len(s.bounds) && size > s.bounds[b+1] {
		b++
	}
	return b
}

// weights returns l by the occurrences of a term.
func (s *ratios) weights() *countWeights {
	if s.documents {
		return &weightsOne
	}
	return &weightsLog
}

// sums returns the number of sums by class, bound and group of fields.
func (s *ratios) sums() int { return len(s.bounds) * s.groups * len(s.inverse) }

// at returns the index of the first class's sum for bound b and the group of a row.
func (s *ratios) at(b int, row *Row) int {
	if s.groups > 1 {
		b = b*s.groups + row.Fields.group()
	}
	return b * len(s.inverse)
}

// means sets m.scores[k × classes + c] to the k-th score of class c.
func (s *ratios) means(e *Evidence, m *partMemory) {
	m.grow(s.sums(), len(s.asked)*len(s.inverse))
	clear(m.sums)
	clear(m.n)
	rows := e.Rows
	if s.channel != AllFields {
		rows = e.Channel
	}
	for i := range rows {
		s.add(&rows[i], m.sums, m.n, &m.contributions)
	}
	s.divide(m)
}

// add adds a row to the sums and to their total weights n, for the last bound that each
// ratio exceeds.
func (s *ratios) add(row *Row, sums, n []float64, memory *contributions) {
	l := s.weights()[row.X]
	s.contribute(row, memory)
	for _, r := range memory.list {
		b := s.beyond(r.value)
		if b < 0 {
			continue
		}
		at := s.at(b, row) + r.class
		sums[at] += l * r.value
		n[at] += l
		if s.each != nil {
			s.each(row, r.class, r.value)
		}
	}
}

// divide turns the sums of add into the scores. A ratio beyond a bound also exceeds all
// smaller bounds.
func (s *ratios) divide(m *partMemory) {
	classes := len(s.inverse)
	size := s.groups * classes
	for at := len(m.sums) - size - 1; at >= 0; at-- {
		m.sums[at] += m.sums[at+size]
		m.n[at] += m.n[at+size]
	}
	for k, one := range s.asked {
		first, groups := one.bound*size, s.groups
		if one.fields != AllFields && groups > 1 {
			first, groups = first+one.fields.group()*classes, 1
		}
		for c := range classes {
			sum, n := 0.0, 1.0
			for at := first + c; at < first+groups*classes; at += classes {
				sum += m.sums[at]
				n += m.n[at]
			}
			m.scores[k*classes+c] = sum / n
		}
	}
}

// contribute sets memory to the r of classes whose |r| exceeds the least bound, or nearly
// does.
func (s *ratios) contribute(row *Row, memory *contributions) {
	memory.list = memory.list[:0]
	if s.channel != AllFields && row.Fields != s.channel {
		return
	}
	total := s.counted(row.DF, row.W)
	list := s.missing(row, total, memory)
	for k := range row.Cells {
		cell := &row.Cells[k]
		if own, rest := s.sides(s.counted(cell.DF, cell.W), total, cell.Class); own > s.up*rest || own < s.low*rest {
			list = append(list, contribution{cell.Class, quickLog(own / rest)})
		}
	}
	memory.list = list
}

// sides returns the two counts that r_ct compares, for a class with the count w of a
// term.
func (s *ratios) sides(w, total float64, class int) (own, rest float64) {
	return w + s.alpha, (total-w)*s.inverse[class] + s.alpha
}

// appendPlaced appends the contributions of a row to the means, whose first index is
// first, each with the index that a record keeps.
func (s *ratios) appendPlaced(to []contribution, row *Row, first int, memory *contributions) []contribution {
	ones := 0
	if s.documents {
		ones = 1
	}
	s.contribute(row, memory)
	for _, one := range memory.list {
		if b := s.beyond(one.value); b >= 0 {
			to = append(to, contribution{(first+s.at(b, row)+one.class)<<1 | ones, one.value})
		}
	}
	return to
}

// missing returns the contributions of a row to the classes that lack its term: r = -log(1
// + w'/(αR)), so that only larger classes have a notable r for a term that is not common.
func (s *ratios) missing(row *Row, total float64, memory *contributions) []contribution {
	list, lacks := memory.list, s.alpha*(s.up-1) // the count that the other classes must exceed
	if len(row.Cells) >= len(s.order) || total*s.inverse[s.order[0]] <= lacks {
		return list
	}
	if len(memory.has) < len(s.inverse) {
		memory.has = make([]bool, len(s.inverse))
	}
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
