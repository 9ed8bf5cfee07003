package baseline

import (
	"math"
	"slices"

	"github.com/polya-classifier/polya/cmd/internal/evaluation"
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
	n       int                 // number of features
	terms   map[uint32]int      // features of terms, by index into the corpus
	idf     []float64           // by feature of a term
	values  map[[2]string]int   // features of attributes by name and value
	numbers map[string]*numbers // by name
}

// numbers are those of an attribute in the training documents. They are computed in units of the
// greatest, so that no square overflows.
type numbers struct {
	feature               int
	n                     float64
	unit, mean, deviation float64
}

// newFeatures returns the features that the training documents have.
func newFeatures(c *evaluation.Corpus, train []int) *features {
	f := &features{corpus: c, terms: map[uint32]int{}, values: map[[2]string]int{}, numbers: map[string]*numbers{}}
	df, values := make([]int, len(c.Terms)), map[[2]string]int{}
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
	each := func(number func(s *numbers, x float64)) {
		for _, i := range train {
			for _, a := range c.Docs[i].Attributes {
				if !isNumber(a) {
					continue
				}
				if f.numbers[a.Name] == nil {
					f.numbers[a.Name] = &numbers{feature: f.next()}
				}
				number(f.numbers[a.Name], a.Number)
			}
		}
	}
	each(func(s *numbers, x float64) { s.n, s.unit = s.n+1, max(s.unit, math.Abs(x)) })
	each(func(s *numbers, x float64) { s.mean += x / s.unit / s.n })
	each(func(s *numbers, x float64) { s.deviation += (x/s.unit - s.mean) * (x/s.unit - s.mean) / s.n })
	for _, i := range train {
		for _, a := range c.Docs[i].Attributes {
			if v := valueOf(a); !isNumber(a) {
				if values[v]++; values[v] == minDF {
					f.values[v] = f.next()
				}
			}
		}
	}
	return f
}

func (f *features) next() int {
	f.n++
	return f.n - 1
}

// row returns the features of a document.
func (f *features) row(doc *evaluation.Doc) (r row) {
	square := 0.
	for i, t := range doc.Terms {
		if at, known := f.terms[t]; known {
			v := math.Log1p(float64(doc.Counts[i])) * f.idf[at]
			r.features, r.values, square = append(r.features, uint32(at)), append(r.values, v), square+v*v
		}
	}
	for i := range r.values {
		r.values[i] /= math.Sqrt(square)
	}
	for _, a := range doc.Attributes {
		at, known := f.values[valueOf(a)]
		value := 1.
		// Rounding may leave a small deviation in equal numbers, which tell nothing.
		if s := f.numbers[a.Name]; isNumber(a) && s != nil {
			deviation := math.Sqrt(s.deviation)
			at, known = s.feature, deviation > 1e-12
			value = min(max((a.Number/s.unit-s.mean)/deviation, -farthest), farthest)
		}
		if known {
			r.features, r.values = append(r.features, uint32(at)), append(r.values, value)
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
