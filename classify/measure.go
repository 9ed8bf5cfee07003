package classify

import (
	"fmt"
	"math"
	"strings"

	"github.com/polya-classifier/polya/store/count"
)

// Measure says how much a term tells of the class, by counts alone. The zero
// Measure is MI. The formulas are those of C. D. Manning, P. Raghavan and
// H. Schütze, Introduction to Information Retrieval (2008), section 13.5, for
// any number of classes.
type Measure uint8

// The measures.
const (
	MI       Measure = iota // MutualInformation
	MITokens                // TokenInformation
	Chi2                    // ChiSquare
)

// Measures returns the measures in the order in which they are best shown.
func Measures() []Measure { return []Measure{MI, MITokens, Chi2} }

// String returns the name of the measure: "mi", "mi-tokens" or "chi2".
func (m Measure) String() string {
	switch m {
	case MI:
		return "mi"
	case MITokens:
		return "mi-tokens"
	case Chi2:
		return "chi2"
	}
	return fmt.Sprintf("Measure(%d)", uint8(m))
}

// ParseMeasure returns the measure of that name.
func ParseMeasure(name string) (Measure, error) {
	var names []string
	for _, m := range Measures() {
		if m.String() == name {
			return m, nil
		}
		names = append(names, m.String())
	}
	return 0, fmt.Errorf("no measure is called %.40q: want one of %s", name, strings.Join(names, ", "))
}

// Prepare returns the measure of rows under the totals t; it computes once what
// all rows share. It panics if there is no such measure.
func (m Measure) Prepare(t Totals) func(cells []count.Cell) float64 {
	switch m {
	case MI:
		return prepareInformation(t, documents)
	case MITokens:
		return prepareInformation(t, tokens)
	case Chi2:
		return func(cells []count.Cell) float64 { return ChiSquare(cells, t) }
	}
	panic("classify: there is no " + m.String())
}

// MutualInformation returns the mutual information, in nats, of the class of a
// document and whether the document has the term,
//
//	I = Σ_c Σ_{t=0,1} P(c,t) log[P(c,t) / (P(c) P(t))],  0 log 0 = 0
//	P(c,1) = DF_c / D,  P(c,0) = (D_c - DF_c) / D
//
// with DF_c of the D_c documents of class c having the term, and D = Σ_c D_c.
// It lies between 0 and the smaller of log 2 and the entropy of the classes. G =
// 2 D I is the statistic of the likelihood-ratio test of independence.
//
// Counts of a term that tells nothing give more than 0: by chance I is (C-1)/(2D)
// on average for C classes, where the term is not too rare. What is not well
// above that is noise.
//
// Special case:
//
//	no document, or every document, has the term: 0
func MutualInformation(cells []count.Cell, t Totals) float64 {
	return prepareInformation(t, documents)(cells)
}

// TokenInformation is MutualInformation with tokens in the place of documents:
// of the class of a token, drawn from all, and whether it is the term,
//
//	P(c,1) = TF_c / N,  P(c,0) = (N_c - TF_c) / N
//
// with TF_c of the N_c tokens of class c being the term, and N = Σ_c N_c. It is
// to the multinomial model what MutualInformation is to the Bernoulli model.
// Tokens of one document are not independent, so that no test follows from it.
// It sums over all classes; use MITokens.Prepare for many rows.
func TokenInformation(cells []count.Cell, t Totals) float64 {
	return prepareInformation(t, tokens)(cells)
}

// ChiSquare returns Pearson's χ² of the table of two rows, documents with and
// without the term, and a column for each class,
//
//	χ² = Σ_c Σ_{t=0,1} (N_ct - E_ct)² / E_ct,  E_c1 = D_c DF / D,  E_c0 = D_c - E_c1
//	N_c1 = DF_c,  N_c0 = D_c - DF_c,  DF = Σ_c DF_c
//
// without a correction for continuity. For a term that tells nothing it has
// C - 1 degrees of freedom, where the E are not small: expect about C - 1 by
// chance. It rates rare terms higher than MutualInformation does.
//
// Special case:
//
//	no document, or every document, has the term: 0
func ChiSquare(cells []count.Cell, t Totals) float64 {
	all, lack, with := t.Documents, t.Documents, documents.sum(cells)
	if with == 0 || with >= all {
		return 0
	}
	// (N - E)² is the same in both rows; 1/E_c1 + 1/E_c0 = D² / (D_c DF (D - DF)).
	p, q := float64(with)/float64(all), float64(all-with)/float64(all)
	var sum float64
	for i := range cells {
		size := t.Classes[cells[i].Class].Docs
		if size == 0 {
			continue
		}
		lack -= size
		expected := float64(size) * float64(with) / float64(all)
		d := float64(cells[i].DF) - expected
		sum += d * d / (float64(size) * p * q)
	}
	return sum + float64(lack)*p/q // classes without the term
}

// unit is what is drawn: documents or tokens.
type unit struct {
	size func(*count.Class) uint64 // all of a class
	with func(*count.Cell) uint64  // those with the term
}

var (
	documents = unit{
		func(c *count.Class) uint64 { return c.Docs },
		func(c *count.Cell) uint64 { return c.DF },
	}
	tokens = unit{
		func(c *count.Class) uint64 { return c.Tokens },
		func(c *count.Cell) uint64 { return c.TF },
	}
)

// sum returns how many of all classes have the term.
func (u unit) sum(cells []count.Cell) uint64 {
	n := uint64(0)
	for i := range cells {
		n += u.with(&cells[i])
	}
	return n
}

func prepareInformation(t Totals, u unit) func([]count.Cell) float64 {
	all := uint64(0)
	for _, class := range t.Classes {
		all += u.size(class)
	}
	return func(cells []count.Cell) float64 { return information(cells, t.Classes, all, u) }
}

// information sums over the classes that have the term; those that lack it
// have P(c,0) = P(c) and give -P(c) log P(0) each.
func information(cells []count.Cell, classes []*count.Class, all uint64, u unit) float64 {
	lack, with := all, u.sum(cells)
	if with == 0 || with >= all {
		return 0
	}
	var sum float64
	for i := range cells {
		count, of := u.with(&cells[i]), u.size(classes[cells[i].Class])
		lack -= of
		n, size := float64(count), float64(of)
		expected := size * float64(with) / float64(all)
		if count > 0 {
			sum += n * math.Log(n/expected)
		}
		if count < of {
			// Of a rare term the ratio is close to 1; its difference from 1 has
			// more digits.
			sum += (size - n) * math.Log1p((expected-n)/(size-expected))
		}
	}
	sum -= float64(lack) * math.Log1p(-float64(with)/float64(all))
	return max(sum/float64(all), 0) // of independent counts rounding may leave -1e-17
}
