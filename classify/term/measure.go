// Package term measures from counts how much a term tells of the class.
package term

import (
	"math"

	"github.com/polya-classifier/polya/store/count"
)

// Information returns a function that computes from a term's cells, which must be of these
// classes, the mutual information, in nats, between the class of a document and whether the
// document has the term,
//
//	I = Σ_c Σ_{t=0,1} P(c,t) log[P(c,t) / (P(c) P(t))],  0 log 0 = 0
//	P(c,1) = DF_c / D,  P(c,0) = (D_c - DF_c) / D
//
// with DF_c of the D_c documents of class c having the term, and D = Σ_c D_c (C. D. Manning, P.
// Raghavan and H. Schütze, Introduction to Information Retrieval, 2008, section 13.5). It is
// between 0 and the smaller of log 2 and the entropy of the classes, and 0 for a term that no
// document, or every document, has. For C classes and a term that is independent of them and
// not too rare it is (C-1)/(2D) on average; values not well above that are noise.
func Information(classes []*count.Class) func(cells []count.Cell) float64 {
	all := count.Documents(classes)
	return func(cells []count.Cell) float64 { return information(cells, classes, all) }
}

// Against returns a function that computes the information between some classes together, those of
// which own is true, and all others together.
func Against(classes []*count.Class, own []bool) func(cells []count.Cell) float64 {
	two := []*count.Class{{}, {}}
	for i, c := range classes {
		sum := two[1]
		if own[i] {
			sum = two[0]
		}
		sum.Docs += c.Docs
	}
	measure := Information(two)
	return func(cells []count.Cell) float64 {
		sums := [2]count.Cell{{Class: 0}, {Class: 1}}
		for i := range cells {
			sum := &sums[1]
			if own[cells[i].Class] {
				sum = &sums[0]
			}
			sum.DF += cells[i].DF
		}
		return measure(sums[:])
	}
}

// information sums over the classes that have the term; each class that lacks it has
// P(c,0) = P(c) and adds -P(c) log P(0).
func information(cells []count.Cell, classes []*count.Class, all uint64) float64 {
	lack, with := all, Frequency(cells)
	if with == 0 || with >= all {
		return 0
	}
	var sum float64
	for i := range cells {
		df, docs := cells[i].DF, classes[cells[i].Class].Docs
		lack -= docs
		n, size := float64(df), float64(docs)
		expected := size * float64(with) / float64(all)
		if df > 0 {
			sum += n * math.Log(n/expected)
		}
		if df < docs {
			// For a rare term the ratio is close to 1; its difference from 1 has more
			// digits.
			sum += (size - n) * math.Log1p((expected-n)/(size-expected))
		}
	}
	sum -= float64(lack) * math.Log1p(-float64(with)/float64(all))
	return max(sum/float64(all), 0) // for independent counts rounding may leave -1e-17
}

// Frequency returns the document frequency of a term in all classes together.
func Frequency(cells []count.Cell) (n uint64) {
	for i := range cells {
		n += cells[i].DF
	}
	return n
}
