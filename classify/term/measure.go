// Package term analyses single terms from counts: how informative a term is about the
// class (mutual information, χ²), how precisely its probabilities are known, and how
// probable it is as the next token of a class.
package term

import (
	"fmt"
	"math"
	"strings"

	"github.com/polya-classifier/polya/store/count"
)

// Measure is a measure of how informative a term is about the class, from counts alone.
// The zero Measure is MI. The formulas are those of C. D. Manning, P. Raghavan and H.
// Schütze, Introduction to Information Retrieval (2008), section 13.5, for any number of
// classes. All are 0 for a term that no document, or every document, has.
type Measure uint8

const (
	// MI is the mutual information, in nats, between the class of a document and whether the
	// document has the term,
	//
	//	I = Σ_c Σ_{t=0,1} P(c,t) log[P(c,t) / (P(c) P(t))],  0 log 0 = 0
	//	P(c,1) = DF_c / D,  P(c,0) = (D_c - DF_c) / D
	//
	// with DF_c of the D_c documents of class c having the term, and D = Σ_c D_c. It is
	// between 0 and the smaller of log 2 and the entropy of the classes. G = 2 D I is the
	// statistic of the likelihood-ratio test of independence. For C classes and a term that
	// is independent of them and not too rare, I is (C-1)/(2D) on average; values not well
	// above that are noise.
	MI Measure = iota

	// MITokens is MI with tokens in place of documents: between the class of a random token
	// and whether it is the term,
	//
	//	P(c,1) = TF_c / N,  P(c,0) = (N_c - TF_c) / N
	//
	// where TF_c of the N_c tokens of class c are the term, and N = Σ_c N_c. It corresponds
	// to the multinomial model as MI does to the Bernoulli model. Tokens of one document are
	// not independent, so it gives no test.
	MITokens

	// Chi2 is Pearson's χ² of the table of two rows, documents with and without the
	// term, and a column for each class,
	//
	//	χ² = Σ_c Σ_{t=0,1} (N_ct - E_ct)² / E_ct,  E_c1 = D_c DF / D,  E_c0 = D_c - E_c1
	//	N_c1 = DF_c,  N_c0 = D_c - DF_c,  DF = Σ_c DF_c
	//
	// without a correction for continuity. For a term that is independent of C classes
	// it has C - 1 degrees of freedom, where the E are not small, and is about C - 1. It
	// rates rare terms higher than MI does.
	Chi2
)

// Measures returns the measures in the order for display.
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

// Prepare returns a function that computes the measure from a term's cells, which must be of the
// given classes. It computes parts common to all terms once. It panics for an invalid measure.
func (m Measure) Prepare(classes []*count.Class) func(cells []count.Cell) float64 {
	switch m {
	case MI:
		return prepareInformation(classes, documents)
	case MITokens:
		return prepareInformation(classes, tokens)
	case Chi2:
		all := documents.size(classes)
		return func(cells []count.Cell) float64 { return chiSquare(cells, classes, all) }
	}
	panic("term: there is no " + m.String())
}

// Against returns a function that computes the measure between some classes together, those of which own
// is true, and all others together. It also returns the sums of a term's cells of both.
func (m Measure) Against(classes []*count.Class, own []bool) func(cells []count.Cell) (value float64, sums [2]count.Cell) {
	two := []*count.Class{{}, {}}
	for i, c := range classes {
		sum := two[1]
		if own[i] {
			sum = two[0]
		}
		sum.Docs += c.Docs
		sum.Tokens += c.Tokens
	}
	measure := m.Prepare(two)
	return func(cells []count.Cell) (float64, [2]count.Cell) {
		sums := [2]count.Cell{{Class: 0}, {Class: 1}}
		for i := range cells {
			sum := &sums[1]
			if own[cells[i].Class] {
				sum = &sums[0]
			}
			sum.DF += cells[i].DF
			sum.TF += cells[i].TF
		}
		return measure(sums[:]), sums
	}
}

func chiSquare(cells []count.Cell, classes []*count.Class, all uint64) float64 {
	lack, with := all, Frequency(cells)
	if with == 0 || with >= all {
		return 0
	}
	// (N - E)² is the same in both rows; 1/E_c1 + 1/E_c0 = D² / (D_c DF (D - DF)).
	p, q := float64(with)/float64(all), float64(all-with)/float64(all)
	var sum float64
	for i := range cells {
		size := classes[cells[i].Class].Docs
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

// unit is the unit of sampling: documents or tokens.
type unit struct {
	of   func(*count.Class) uint64 // number in a class
	with func(*count.Cell) uint64  // number with the term
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

// size returns the number in all classes.
func (u unit) size(classes []*count.Class) (n uint64) {
	for _, class := range classes {
		n += u.of(class)
	}
	return n
}

// sum returns the number in all classes with the term.
func (u unit) sum(cells []count.Cell) (n uint64) {
	for i := range cells {
		n += u.with(&cells[i])
	}
	return n
}

// Frequency returns the document frequency of a term in all classes together.
func Frequency(cells []count.Cell) uint64 { return documents.sum(cells) }

func prepareInformation(classes []*count.Class, u unit) func([]count.Cell) float64 {
	all := u.size(classes)
	return func(cells []count.Cell) float64 { return information(cells, classes, all, u) }
}

// information sums over the classes that have the term; each class that lacks it has
// P(c,0) = P(c) and adds -P(c) log P(0).
func information(cells []count.Cell, classes []*count.Class, all uint64, u unit) float64 {
	lack, with := all, u.sum(cells)
	if with == 0 || with >= all {
		return 0
	}
	var sum float64
	for i := range cells {
		count, of := u.with(&cells[i]), u.of(classes[cells[i].Class])
		lack -= of
		n, size := float64(count), float64(of)
		expected := size * float64(with) / float64(all)
		if count > 0 {
			sum += n * math.Log(n/expected)
		}
		if count < of {
			// For a rare term the ratio is close to 1; its difference from 1 has more
			// digits.
			sum += (size - n) * math.Log1p((expected-n)/(size-expected))
		}
	}
	sum -= float64(lack) * math.Log1p(-float64(with)/float64(all))
	return max(sum/float64(all), 0) // for independent counts rounding may leave -1e-17
}
