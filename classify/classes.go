package classify

import (
	"math"

	"github.com/polya-classifier/polya/classify/model"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// totalsOf returns the totals of a snapshot without the attributes.
func totalsOf(s *store.Snapshot) model.Totals {
	return model.Totals{Classes: s.Classes(), Documents: s.Documents(), Vocabulary: s.Vocabulary()}
}

// allTotals returns the totals of a snapshot.
func allTotals(s *store.Snapshot) (t model.Totals, err error) {
	t = totalsOf(s)
	t.Attributes, err = s.Attributes()
	return t, err
}

// withDocuments returns the number of classes that have documents.
func withDocuments(classes []*count.Class) int {
	n := 0
	for _, class := range classes {
		if class.Docs > 0 {
			n++
		}
	}
	return n
}

// learnedOf returns the classes that have documents, and their scores.
func learnedOf(classes []*count.Class, scores []float64) ([]*count.Class, []float64) {
	if withDocuments(classes) == len(classes) {
		return classes, scores
	}
	var some []*count.Class
	var theirs []float64
	for c, class := range classes {
		if class.Docs > 0 {
			some, theirs = append(some, class), append(theirs, scores[c])
		}
	}
	return some, theirs
}

// scaled returns prior × weight.
func scaled(prior []float64, weight float64) []float64 {
	for c := range prior {
		if !math.IsInf(prior[c], -1) {
			prior[c] *= weight
		}
	}
	return prior
}
