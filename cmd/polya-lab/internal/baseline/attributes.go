package baseline

import (
	"math"

	"github.com/polya-classifier/polya/cmd/internal/evaluation"
	"github.com/polya-classifier/polya/store/count"
)

// farthest bounds a number's distance from the mean of the training documents, in
// standard deviations: an attacker's 1e300 would outweigh all else in a linear score.
const farthest = 100

// attributeFeatures turns attributes into features of the baseline, whose indices follow
// the terms': each category and each of yes and no is a feature of value 1 if at least
// minDF training documents have it; each number is a feature, less its mean and
// divided by its standard deviation in these documents, so that a missing value counts as
// the mean. A number that is always the same is not a feature.
type attributeFeatures struct {
	first   uint32 // index of the first
	n       uint32
	values  map[attributeValue]uint32
	numbers map[string]*standard
}

// attributeValue is a non-numeric value of an attribute.
type attributeValue struct{ name, value string }

// standard scales a number to mean 0 and deviation 1. It is computed in units of the
// greatest value, so that no square overflows.
type standard struct {
	feature         uint32
	n               float64
	unit            float64
	mean, deviation float64
}

// newAttributeFeatures reads the attributes of the training documents. Features are
// numbered from first, in order of first occurrence.
func newAttributeFeatures(docs []evaluation.Doc, train []int, first int) *attributeFeatures {
	f := &attributeFeatures{first: uint32(first), values: map[attributeValue]uint32{}, numbers: map[string]*standard{}}
	count := map[attributeValue]int{}
	for _, i := range train {
		for k := range docs[i].Attributes {
			a := &docs[i].Attributes[k]
			if !isNumber(a) {
				if v := valueOf(a); count[v] < minDF {
					if count[v]++; count[v] == minDF {
						f.values[v] = f.next()
					}
				}
				continue
			}
			s := f.numbers[a.Name]
			if s == nil {
				s = &standard{feature: f.next()}
				f.numbers[a.Name] = s
			}
			s.n++
			s.unit = max(s.unit, math.Abs(a.Number))
		}
	}
	f.eachNumber(docs, train, func(s *standard, x float64) { s.mean += x / s.unit / s.n })
	f.eachNumber(docs, train, func(s *standard, x float64) {
		apart := x/s.unit - s.mean
		s.deviation += apart * apart / s.n
	})
	for _, s := range f.numbers {
		s.deviation = math.Sqrt(s.deviation)
	}
	return f
}

func (f *attributeFeatures) next() uint32 {
	f.n++
	return f.first + f.n - 1
}

// eachNumber calls fn with each number of the training documents that is not always 0.
func (f *attributeFeatures) eachNumber(docs []evaluation.Doc, train []int, fn func(*standard, float64)) {
	for _, i := range train {
		for k := range docs[i].Attributes {
			a := &docs[i].Attributes[k]
			if s := f.numbers[a.Name]; isNumber(a) && s.unit > 0 {
				fn(s, a.Number)
			}
		}
	}
}

// add appends the features of a document's attributes.
func (f *attributeFeatures) add(features []uint32, values []float64, attributes []count.Attribute) ([]uint32, []float64) {
	for k := range attributes {
		a := &attributes[k]
		if !isNumber(a) {
			if at, known := f.values[valueOf(a)]; known {
				features, values = append(features, at), append(values, 1)
			}
			continue
		}
		// Rounding may leave a small deviation in equal numbers.
		if s := f.numbers[a.Name]; s != nil && s.deviation > 1e-12 {
			z := (a.Number/s.unit - s.mean) / s.deviation
			features, values = append(features, s.feature), append(values, min(max(z, -farthest), farthest))
		}
	}
	return features, values
}

func isNumber(a *count.Attribute) bool { return a.Kind == count.Real || a.Kind == count.Uniform }

// valueOf returns the value of a category or of a yes-or-no attribute, which has no category.
func valueOf(a *count.Attribute) attributeValue {
	switch {
	case a.Kind == count.Category:
		return attributeValue{a.Name, a.Category}
	case a.Number != 0:
		return attributeValue{a.Name, "yes"}
	}
	return attributeValue{a.Name, "no"}
}
