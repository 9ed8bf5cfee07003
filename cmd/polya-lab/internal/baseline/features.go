package baseline

import (
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/polya-classifier/polya/cmd/internal/evaluation"
	"github.com/polya-classifier/polya/internal/logistic"
	"github.com/polya-classifier/polya/store/count"
)

const (
	// minDF is the number of documents that a term, a category or a yes or no must have: one of a
	// single document says nothing about others.
	minDF = 2

	// farthest bounds a number's distance from the mean of the training documents, in
	// standard deviations: an attacker's 1e300 would outweigh all else in a linear score.
	farthest = 100
)

// features turn documents into rows. A term that occurs x times, and in df of n training documents,
// is a feature of value
//
//	log(1+x) · (log((1+n) / (1+df)) + 1)
//
// divided by the Euclidean length of all terms, so that long documents weigh no more than short
// ones (the second factor is scikit-learn's smoothed idf). Each category and each of yes and no is a
// feature of value 1; each number is one, less its mean and divided by its standard deviation in
// these documents, so that a missing value counts as the mean.
type features struct {
	corpus  *evaluation.Corpus
	n       int               // number of features
	terms   map[uint32]int    // features of terms, by index into the corpus
	idf     []float64         // by feature of a term
	values  map[[2]string]int // features of attributes by name and value
	numbers map[string]number // by name
}

// number is the feature of an attribute with numbers, and what these are like in the training documents.
type number struct {
	feature         int
	mean, deviation float64
}

func newFeatures(c *evaluation.Corpus, train []int) *features {
	f := &features{corpus: c, terms: map[uint32]int{}, values: map[[2]string]int{}, numbers: map[string]number{}}
	df, values, given := make([]int, len(c.Terms)), map[[2]string]int{}, map[string][]float64{}
	for _, i := range train {
		for _, t := range c.Docs[i].Terms {
			df[t]++
		}
	}
	for t, n := range df {
		if n >= minDF {
			f.terms[uint32(t)] = f.next()
			f.idf = append(f.idf, math.Log(float64(1+len(train))/float64(1+n))+1)
		}
	}
	for _, i := range train {
		for _, a := range c.Docs[i].Attributes {
			if isNumber(a) {
				given[a.Name] = append(given[a.Name], a.Number)
			} else if v := valueOf(a); values[v] < minDF {
				if values[v]++; values[v] == minDF {
					f.values[v] = f.next()
				}
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		// Rounding may leave a small deviation in equal numbers, which tell nothing.
		if mean, deviation := stat.PopMeanStdDev(given[name], nil); deviation > 1e-12*math.Abs(mean) && !math.IsInf(deviation, 1) {
			f.numbers[name] = number{f.next(), mean, deviation}
		}
	}
	return f
}

func (f *features) next() int {
	f.n++
	return f.n - 1
}

func (f *features) row(doc *evaluation.Doc) (r logistic.Row) {
	square := 0.
	for i, t := range doc.Terms {
		if at, known := f.terms[t]; known {
			v := math.Log1p(float64(doc.Counts[i])) * f.idf[at]
			r.Features, r.Values, square = append(r.Features, uint32(at)), append(r.Values, v), square+v*v
		}
	}
	for i := range r.Values {
		r.Values[i] /= math.Sqrt(square)
	}
	for _, a := range doc.Attributes {
		at, known := f.values[valueOf(a)]
		value := 1.
		if s, is := f.numbers[a.Name]; isNumber(a) {
			at, known = s.feature, is
			value = min(max((a.Number-s.mean)/s.deviation, -farthest), farthest)
		}
		if known {
			r.Features, r.Values = append(r.Features, uint32(at)), append(r.Values, value)
		}
	}
	return r
}

func isNumber(a count.Attribute) bool {
	return slices.Contains([]count.Kind{count.Real, count.Uniform}, a.Kind)
}

// valueOf returns the name and the value of a category or of a yes or no, which has no category.
func valueOf(a count.Attribute) [2]string {
	if a.Kind == count.YesNo && a.Number != 0 {
		return [2]string{a.Name, "yes"}
	}
	return [2]string{a.Name, a.Category}
}
