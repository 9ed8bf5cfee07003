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

// Threshold returns the least of the log-odds kept beyond which a further document
// is with a probability of at most rate: of n documents in a random order the last
// is beyond the one of rank r of the others with probability (r+1)/n. ok is false
// if there are too few documents to tell: fewer than 1/rate - 1.
func (t Tail) Threshold(rate float64) (logOdds float64, ok bool) {
	rank := int(rate*float64(t.Documents+1)) - 1
	if rank < 0 || len(t.Ranks) == 0 {
		return math.Inf(1), false
	}
	at, _ := slices.BinarySearch(t.Ranks, rank+1)
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

// newTail keeps every rank at first, and from the coarse-th on ever fewer, down to
// the middle.
func newTail(logOdds []float64, coarse int) Tail {
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
	for r := 0; r < len(logOdds) && r <= len(logOdds)/2; r += 1 + r/coarse {
		t.Ranks = append(t.Ranks, r)
		t.LogOdds = append(t.LogOdds, atLeast(logOdds[r]))
	}
	return t
}

// tails returns the tails of all classes, unless those are very many. No
// document's log-odds come from weights that were fitted to it.
func (j *judge) tails(stack Stack, s *sample) map[store.ClassID]Tail {
	if s.classes > biasClasses {
		return nil
	}
	odds := make([][]float64, s.classes)
	crossFit(s, stack.shrunk(j.t).weights(), func(judged *sample, weights, bias []float64) {
		judged.addOdds(odds, weights, bias)
	})
	coarse := 8
	if s.classes > 8 {
		coarse = 2 // a database of many classes is opened as often
	}
	tails := make(map[store.ClassID]Tail)
	for c, class := range j.t.Classes {
		if len(odds[c]) > 0 {
			tails[class.ID] = newTail(odds[c], coarse)
		}
	}
	return tails
}

// addOdds appends to odds[c] the log-odds for class c of the documents of other
// classes.
func (s *sample) addOdds(odds [][]float64, weights, bias []float64) {
	scores := make([]float64, s.classes)
	for d, row := range s.scores {
		copy(scores, s.prior)
		scores[s.labels[d]] += s.left[s.labels[d]]
		for c := range scores {
			if len(bias) > 0 {
				scores[c] += bias[c]
			}
			for k, w := range weights {
				scores[c] += w * row[k*s.classes+c]
			}
		}
		for c := range scores {
			if c != s.labels[d] && !math.IsInf(s.prior[c], -1) {
				odds[c] = append(odds[c], logOdds(scores, c))
			}
		}
	}
}
