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

func allTotals(s *store.Snapshot) (t model.Totals, err error) {
	t = totalsOf(s)
	t.Attributes, err = s.Attributes()
	return t, err
}

// present returns the indices of the classes that have documents.
func present(classes []*count.Class) (at []int) {
	for i, class := range classes {
		if class.Docs > 0 {
			at = append(at, i)
		}
	}
	return at
}

// learnedOf returns the classes that have documents, and their scores.
func learnedOf(classes []*count.Class, scores []float64) ([]*count.Class, []float64) {
	if count.WithDocuments(classes) == len(classes) {
		return classes, scores
	}
	var some []*count.Class
	var theirs []float64
	for _, c := range present(classes) {
		some, theirs = append(some, classes[c]), append(theirs, scores[c])
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
