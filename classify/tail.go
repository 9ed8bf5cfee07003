package classify

import (
	"math"
	"slices"

	"github.com/polya-classifier/polya/store"
)

// Tail is the upper end of a distribution of log-odds among documents that are
// not of a class.
type Tail struct {
	// Documents is the number of documents in all.
	Documents int

	// Ranks are ascending ranks from the top, 0 being the greatest, and LogOdds
	// the values there.
	Ranks   []int
	LogOdds []float32
}

// Threshold returns the least of the log-odds kept that at most the given share of
// the documents exceeds. ok is false if there are too few documents to tell: fewer
// than 1/rate.
func (t Tail) Threshold(rate float64) (logOdds float64, ok bool) {
	allowed := rate * float64(t.Documents)
	if allowed < 1 || len(t.Ranks) == 0 {
		return math.Inf(1), false
	}
	// The document of rank r is exceeded by at most r others.
	at, _ := slices.BinarySearch(t.Ranks, int(allowed)+1)
	if at == 0 {
		at = 1
	}
	if t.LogOdds[at-1] == math.MaxFloat32 {
		return math.Inf(1), true
	}
	return float64(t.LogOdds[at-1]), true
}

// atLeast returns v or the next greater number that a Tail can hold, so that no
// document exceeds its own.
func atLeast(v float64) float32 {
	v = max(-math.MaxFloat32, min(math.MaxFloat32, v))
	k := float32(v)
	if float64(k) < v {
		k = math.Nextafter32(k, math.MaxFloat32)
	}
	return k
}

// newTail keeps every rank at first and then ever fewer, down to the middle.
func newTail(logOdds []float64) Tail {
	slices.SortFunc(logOdds, func(a, b float64) int {
		switch {
		case a > b:
			return -1
		case a < b:
			return 1
		}
		return 0
	})
	t := Tail{Documents: len(logOdds)}
	for r := 0; r < len(logOdds) && r <= len(logOdds)/2; r += 1 + r/8 {
		t.Ranks = append(t.Ranks, r)
		t.LogOdds = append(t.LogOdds, atLeast(logOdds[r]))
	}
	return t
}

// tails returns the tails of all classes, unless those are very many.
func (j *judge) tails(s *sample, m *CalibratedModel) map[store.ClassID]Tail {
	if s.classes > biasClasses {
		return nil
	}
	odds := make([][]float64, s.classes)
	scores := make([]float64, s.classes)
	for d, row := range s.scores {
		copy(scores, s.prior)
		for c, class := range j.t.Classes {
			scores[c] += m.Bias[class.ID]
			for k, w := range m.Weights {
				scores[c] += w * row[k*s.classes+c]
			}
		}
		for c := range scores {
			if c != s.labels[d] && !math.IsInf(s.prior[c], -1) {
				odds[c] = append(odds[c], logOdds(scores, c))
			}
		}
	}
	tails := make(map[store.ClassID]Tail)
	for c, class := range j.t.Classes {
		if len(odds[c]) > 0 {
			tails[class.ID] = newTail(odds[c])
		}
	}
	return tails
}
