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
	m, known, length := &e.left, len(e.Rows), uint64(e.Tokens)
	if known+len(e.Channel) != len(doc.Terms) {
		return t, false
	}
	weights, weight := doc.Weights()
	m.falls.clear()
	if e.Rows, ok = leaveRows(e.Rows, class, &weights, &m.falls); ok {
		e.Channel, ok = leaveRows(e.Channel, class, &noWeights, nil)
	}
	if !ok {
		return t, false
	}
	e.finish()
	m.own, m.classes = *t.Classes[class], append(m.classes[:0], t.Classes...)
	own := &m.own
	m.classes[class] = own
	own.Docs--
	for _, p := range doc.Dropped {
		length += p.N * p.Count
		own.Dropped -= p.N * p.Count
		own.DroppedWeight -= weights[p.N] * p.Count
	}
	own.Tokens -= length
	own.Weight -= weight
	m.frequencies, own.Terms = m.falls.from(m.frequencies[:0], own.Frequencies, own.Terms)
	m.lengths, ok = less(m.lengths[:0], own.Lengths, length)
	own.Frequencies, own.Lengths = m.frequencies, m.lengths
	left = Totals{Classes: m.classes, Documents: t.Documents - 1, Vocabulary: t.Vocabulary - uint64(known-len(e.Rows)), Attributes: t.Attributes}
	return left, ok
}

// leaveRows takes a document of a class out of the rows of its terms, which weigh as much there by their
// occurrences, and returns the rows that are left. It adds to falls, unless that is nil, their document
// frequencies in the class before. ok is false if the document does not fit the counts.
func leaveRows(rows []Row, class int, weights *[count.MaxCount + 1]uint64, falls *falls) (left []Row, ok bool) {
	kept := 0
	for i := range rows {
		row := &rows[i]
		k := row.cellOf(class)
		if k < 0 || !fits(&row.Cells[k], row.X, weights[row.X]) {
			return rows, false
		}
		if falls != nil {
			falls.add(row.Cells[k].DF)
		}
		if !row.take(k, weights[row.X]) {
			continue
		}
		if kept != i {
			rows[kept] = *row
		}
		kept++
	}
	return rows[:kept], true
}

// noWeights are those of terms of channels.
var noWeights [count.MaxCount + 1]uint64

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
		if rows > 0 && f > 0 {
			left = count.AppendPair(left, f, rows)
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
