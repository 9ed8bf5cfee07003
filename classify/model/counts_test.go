package model

import (
	"math"
	"slices"
	"strings"

	"github.com/polya-classifier/polya/store/count"
)

// counts holds in memory what a store holds in a file. It counts in the
// plainest way, for event models to be tested against.
type counts struct {
	classes []*count.Class
	terms   []string                // in ascending order
	cells   map[string][]count.Cell // in ascending order of Class
	docs    []document              // what was counted
}

// document is a labelled document: the occurrences of its terms.
type document struct {
	class int
	terms map[string]int
}

// doc makes a document from words divided by spaces.
func doc(class int, words string) document {
	d := document{class: class, terms: map[string]int{}}
	for _, w := range strings.Fields(words) {
		d.terms[w]++
	}
	return d
}

// tokens is the document's length.
func (d document) tokens() int {
	n := 0
	for _, x := range d.terms {
		n += x
	}
	return n
}

// sorted returns the document's terms in ascending order.
func (d document) sorted() []string {
	terms := make([]string, 0, len(d.terms))
	for t := range d.terms {
		terms = append(terms, t)
	}
	slices.Sort(terms)
	return terms
}

// countDocuments counts documents of the named classes.
func countDocuments(names []string, docs ...document) *counts {
	k := &counts{cells: map[string][]count.Cell{}, docs: docs}
	for c, name := range names {
		k.classes = append(k.classes, k.countClass(c, name))
	}
	for t, cells := range k.cells {
		slices.SortFunc(cells, func(x, y count.Cell) int { return x.Class - y.Class })
		k.terms = append(k.terms, t)
	}
	slices.Sort(k.terms)
	return k
}

func (k *counts) countClass(c int, name string) *count.Class {
	class := &count.Class{ID: count.ClassID(c), Name: name}
	cells := map[string]*count.Cell{}
	lengths, frequencies := map[uint64]uint64{}, map[uint64]uint64{}
	for _, d := range k.docs {
		if d.class != c {
			continue
		}
		var norm float64
		for _, x := range d.terms {
			norm += math.Log1p(float64(x)) * math.Log1p(float64(x))
		}
		for t, x := range d.terms {
			if cells[t] == nil {
				cells[t] = &count.Cell{Class: c}
			}
			weight := uint64(math.Round(65536 * math.Log1p(float64(x)) / math.Sqrt(norm)))
			addTerm(cells[t], x, weight)
			class.Weight += weight
		}
		class.Docs++
		class.Tokens += uint64(d.tokens())
		lengths[uint64(d.tokens())]++
	}
	for t, cell := range cells {
		k.cells[t] = append(k.cells[t], *cell)
		frequencies[cell.DF]++
	}
	class.Terms = uint64(len(cells))
	class.Lengths, class.Frequencies = pairs(lengths), pairs(frequencies)
	return class
}

// addTerm counts a document that has the term of the cell x times.
func addTerm(cell *count.Cell, x int, weight uint64) {
	cell.DF++
	cell.TF += uint64(x)
	cell.W += weight
	for j := range x {
		if j == len(cell.U) {
			cell.U = append(cell.U, 0)
		}
		cell.U[j]++
	}
}

func pairs(m map[uint64]uint64) []count.Pair {
	var ps []count.Pair
	for n, docs := range m {
		ps = append(ps, count.Pair{N: n, Count: docs})
	}
	slices.SortFunc(ps, func(x, y count.Pair) int { return int(x.N) - int(y.N) })
	return ps
}

func (k *counts) totals() Totals {
	t := Totals{Classes: k.classes, Vocabulary: uint64(len(k.terms))}
	for _, class := range k.classes {
		t.Documents += class.Docs
	}
	return t
}

// scores returns the log-likelihood of d in each class by the parts of a
// Scorer. Terms that no class has are left out.
func (k *counts) scores(m EventModel, d document) []float64 {
	scores := make([]float64, len(k.classes))
	m.Prepare(k.totals()).Score(k.evidence(d), scores)
	return scores
}

// evidence returns the rows of d.
func (k *counts) evidence(d document) *Evidence {
	var e Evidence
	for _, t := range d.sorted() {
		e.Terms = append(e.Terms, count.TermCount{Term: []byte(t), N: uint8(d.terms[t])})
	}
	_ = e.ReadTerms(countsReader{counts: k}, true)
	return &e
}

type countsReader struct {
	Reader
	*counts
}

func (r countsReader) AppendRows(memory []count.Cell, terms []count.TermCount, _ bool, f func(i int, cells []count.Cell) error) ([]count.Cell, error) {
	for i, t := range terms {
		if cells := r.cells[string(t.Term)]; len(cells) > 0 {
			_ = f(i, slices.Clone(cells))
		}
	}
	return memory, nil
}

// cell returns the counts of a term in a class, zeros if there are none.
func (k *counts) cell(c int, term string) count.Cell {
	for _, cell := range k.cells[term] {
		if cell.Class == c {
			return cell
		}
	}
	return count.Cell{Class: c}
}

// histograms returns the histograms of the repeated terms of a class.
func (k *counts) histograms(c int) *Histograms {
	var h Histograms
	for _, cells := range k.cells {
		for _, cell := range cells {
			if cell.Class == c {
				h.Add(cell)
			}
		}
	}
	return &h
}

// fit fits the DCM to every class.
func (k *counts) fit(epsilon float64) []float64 {
	var fits []float64
	for c, class := range k.classes {
		fits = append(fits, FitDCM(class, k.histograms(c), uint64(len(k.terms)), epsilon))
	}
	return fits
}

// priorOf returns log((D_c + 1) / (D + C)).
func priorOf(t Totals) []float64 {
	prior := make([]float64, len(t.Classes))
	for c, class := range t.Classes {
		prior[c] = math.Log(float64(class.Docs+1) / float64(t.Documents+uint64(len(t.Classes))))
	}
	return prior
}
