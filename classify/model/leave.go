package model

import (
	"cmp"
	"math"
	"slices"

	"github.com/polya-classifier/polya/store/count"
)

// LeaveOut subtracts a learned document from the counts in e and t, so that e is scored
// exactly as if the document had never been learned, since counts are sums. e must hold
// the rows of all of doc's terms and its attributes, read from the same snapshot as t; it
// is changed. The returned totals are valid until the next call. ok is false if doc does not
// fit the counts, as when it was forgotten since.
func (e *Evidence) LeaveOut(r Reader, t Totals, class int, doc *count.Document) (left Totals, ok bool, err error) {
	if left, ok = e.leaveTerms(t, class, doc); !ok {
		return t, false, nil
	}
	ok, err = e.leaveAttributes(r, &left, class)
	return left, ok, err
}

// leaveTerms is LeaveOut for the terms.
func (e *Evidence) leaveTerms(t Totals, class int, doc *count.Document) (left Totals, ok bool) {
	own := *t.Classes[class]
	if len(e.Rows)+len(e.Channel) != len(doc.Terms) {
		return t, false
	}
	weights, m := weightsOf(doc), &e.left
	m.classes = append(m.classes[:0], t.Classes...)
	left = Totals{Classes: m.classes, Documents: t.Documents - 1, Vocabulary: t.Vocabulary, Attributes: t.Attributes}
	own.Docs--
	falls := &m.falls
	falls.clear()
	kept := 0
	for i := range e.Rows {
		row := &e.Rows[i]
		k := row.cellOf(class)
		if k < 0 || !fits(&row.Cells[k], row.X, weights[row.X]) {
			return t, false
		}
		falls.add(row.Cells[k].DF)
		own.Tokens -= uint64(row.X)
		own.Weight -= weights[row.X]
		if !row.take(k, weights[row.X]) {
			left.Vocabulary--
			continue
		}
		if kept != i {
			e.Rows[kept] = *row
		}
		kept++
	}
	channel := e.Channel[:0]
	for _, row := range e.Channel {
		k := row.cellOf(class)
		if k < 0 || !fits(&row.Cells[k], row.X, 0) {
			return t, false
		}
		if row.take(k, 0) {
			channel = append(channel, row)
		}
	}
	e.Channel = channel
	length := uint64(e.Tokens)
	for _, p := range doc.Dropped {
		length += p.N * p.Count
		own.Tokens -= p.N * p.Count
		own.Weight -= weights[p.N] * p.Count
		own.Dropped -= p.N * p.Count
		own.DroppedWeight -= weights[p.N] * p.Count
	}
	e.Rows = e.Rows[:kept]
	e.finish()
	m.frequencies, own.Terms = falls.from(m.frequencies[:0], own.Frequencies, own.Terms)
	m.lengths, ok = less(m.lengths[:0], own.Lengths, length)
	own.Frequencies, own.Lengths = m.frequencies, m.lengths
	m.own = own
	left.Classes[class] = &m.own
	return left, ok
}

// leaving is memory of leaveTerms.
type leaving struct {
	classes              []*count.Class
	own                  count.Class
	frequencies, lengths []count.Pair
	falls                falls
}

// leaveAttributes subtracts the attributes of a learned document of that class from the
// counts in e and the totals. ok is false if they do not fit the counts.
func (e *Evidence) leaveAttributes(r Reader, t *Totals, class int) (ok bool, err error) {
	if len(e.Attributes) == 0 {
		return true, nil
	}
	t.Attributes = slices.Clone(t.Attributes)
	rows := e.Attributes[:0]
	for _, row := range e.Attributes {
		left := *t.Attributes[row.At]
		left.Classes = slices.Clone(left.Classes)
		cell := &left.Classes[class]
		if cell.N == 0 {
			return false, nil
		}
		cell.N--
		keep := true
		switch x := row.Attribute.Number; left.Kind {
		case count.Category:
			if row.Counts[class] == 0 {
				return false, nil
			}
			row.Counts[class]--
			row.All--
			if keep = row.All > 0; !keep {
				left.Values--
			}
		case count.YesNo:
			if cell.Yes < uint64(x) || cell.Yes-uint64(x) > cell.N {
				return false, nil
			}
			cell.Yes -= uint64(x)
		case count.Real:
			one := count.ExactOf(x)
			cell.Sum, cell.Squares = cell.Sum.Sub(one), cell.Squares.Sub(one.Mul(one))
			if cell.N == 0 && (cell.Sum.Sign() != 0 || cell.Squares.Sign() != 0) || cell.Deviations() < 0 {
				return false, nil
			}
		case count.Uniform:
			if cell.Greatest, _, err = r.GreatestWithout(left.Name, class, x); err != nil {
				return false, err
			}
		}
		t.Attributes[row.At] = &left
		if keep {
			rows = append(rows, row)
		}
	}
	e.Attributes = rows
	return true, nil
}

// weightsOf returns for each count x the weight W, in units of 2^-16, of a term that
// occurs x times in this document, whose length includes dropped terms; 0 for counts that
// no term has. Learning the document adds these weights to the rows, so subtracting them
// leaves it out.
func weightsOf(d *count.Document) (w [count.MaxCount + 1]uint64) {
	var terms [count.MaxCount + 1]uint64
	for i := range d.Terms {
		if !count.OfChannel(d.Terms[i].Term) {
			terms[d.Terms[i].N]++
		}
	}
	for _, p := range d.Dropped {
		terms[p.N] += p.Count
	}
	w, _ = count.Weigh(&terms)
	return w
}

// fits reports whether a document in which the term occurs x times can be part of the
// cell, and equals it if the cell is of one document.
func fits(cell *count.Cell, x int, weight uint64) bool {
	if cell.DF == 1 {
		return cell.TF == uint64(x) && cell.W == weight
	}
	return cell.DF > 1 && cell.TF > uint64(x) && cell.W >= weight && (len(cell.U) == 0 || len(cell.U) >= x)
}

// take subtracts the document's occurrences from cell k and reports whether any class
// still has the term.
func (r *Row) take(k int, weight uint64) bool {
	cell := &r.Cells[k]
	r.DF--
	r.TF -= uint64(r.X)
	r.W -= weight
	cell.DF--
	cell.TF -= uint64(r.X)
	cell.W -= weight
	for j := range min(r.X, len(cell.U)) {
		cell.U[j]--
	}
	for len(cell.U) > 0 && cell.U[len(cell.U)-1] == 0 {
		cell.U = cell.U[:len(cell.U)-1]
	}
	if cell.DF == 0 {
		r.Cells = slices.Delete(r.Cells, k, k+1)
	}
	return len(r.Cells) > 0
}

// cellOf returns the index of the cell of a class, -1 if it has none.
func (r *Row) cellOf(class int) int {
	for k := range r.Cells {
		if r.Cells[k].Class == class {
			return k
		}
	}
	return -1
}

// falls counts the document frequencies that fall by one.
type falls struct {
	few  [1 << 11]uint16 // number of terms by frequency
	many []uint64        // larger frequencies, and overflow of few
}

func (x *falls) add(f uint64) {
	if f < uint64(len(x.few)) && x.few[f] < math.MaxUint16 {
		x.few[f]++
	} else {
		x.many = append(x.many, f)
	}
}

func (x *falls) clear() {
	clear(x.few[:])
	x.many = x.many[:0]
}

// from appends H to left, and returns the number of terms, after these terms have lost a
// document.
func (x *falls) from(left, h []count.Pair, terms uint64) ([]count.Pair, uint64) {
	slices.Sort(x.many)
	many := x.many
	add := func(f, rows uint64) {
		if n := len(left); n > 0 && left[n-1].N == f {
			left[n-1].Count += rows
		} else if rows > 0 && f > 0 {
			left = append(left, count.Pair{N: f, Count: rows})
		}
	}
	for _, p := range h {
		lost := uint64(0)
		if p.N < uint64(len(x.few)) {
			lost = uint64(x.few[p.N])
		}
		for ; len(many) > 0 && many[0] == p.N; many = many[1:] {
			lost++
		}
		if lost == 0 {
			left = append(left, p)
			continue
		}
		if p.N == 1 {
			terms -= lost
		}
		add(p.N-1, lost)
		add(p.N, p.Count-lost)
	}
	return left, terms
}

// less appends L without a document of length n to left, and returns whether there was one.
func less(left, l []count.Pair, n uint64) ([]count.Pair, bool) {
	at, found := slices.BinarySearchFunc(l, n, func(p count.Pair, n uint64) int { return cmp.Compare(p.N, n) })
	if left = append(left, l...); !found {
		return left, false
	}
	if left[at].Count--; left[at].Count == 0 {
		left = slices.Delete(left, at, at+1)
	}
	return left, true
}

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
	own, weights := &x.taken[class], weightsOf(doc)
	own.Docs++
	for _, term := range doc.Terms {
		weight := count.WeightOf(&weights, term.Term, term.N)
		if own.Weight += weight; !count.OfChannel(term.Term) {
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
		cells[k].W += weight
	}
	for _, p := range doc.Dropped {
		own.Tokens += p.N * p.Count
		own.Weight += weights[p.N] * p.Count
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
			n := max(1, p.N*class.Docs/max(now.Docs, 1))
			if last := len(class.Frequencies) - 1; last >= 0 && class.Frequencies[last].N == n {
				class.Frequencies[last].Count += p.Count
			} else {
				class.Frequencies = append(class.Frequencies, count.Pair{N: n, Count: p.Count})
			}
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
