package calibration

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"github.com/polya-classifier/polya/internal/numeric"
	"github.com/polya-classifier/polya/store/count"
)

// Confidence is the confidence with which a target false-positive rate is kept: of a
// hundred databases with documents drawn at random from the same source, about five exceed
// the rate.
const Confidence = 0.95

// Needed returns the number of documents of other classes in the sample from which a
// cut-off for a false-positive rate is known: 299 for 1 %, 2,995 for .1 %, about 3/rate.
// rate is above 0 and below 1.
func Needed(rate float64) int { return numeric.LeastSample(rate, Confidence) }

// Tail is the upper end of the distribution of the log-odds for a class among the
// documents of other classes in the calibration sample.
type Tail struct {
	// Documents is the number of documents of other classes in the sample, Own the number of
	// the class itself.
	Documents, Own int

	// Raised was added to the log-odds of the documents of other classes before LogOdds was
	// taken from them: how much higher the latest of them score with only the documents
	// learned before them, in nats.
	Raised float32

	// Ranks are ascending ranks from the top, 0 for the greatest value, LogOdds the values at
	// these ranks, and Caught the numbers of documents of the class with greater log-odds.
	Ranks   []int
	LogOdds []float32
	Caught  []int
}

// Cut is the cut-off for a false-positive rate.
type Cut struct {
	// LogOdds is the value that log-odds must exceed, +Inf if none can.
	LogOdds float64

	// Exceeding is the number of documents of other classes in the sample that exceed it, and
	// Caught the number of the class itself.
	Exceeding, Caught int
}

// rateDocuments is the number of documents in the sample, of the class and likewise of all
// others together, below which no rate is known: a model fitted to fewer gives their
// log-odds by chance.
const rateDocuments = 10

// Cut returns the least stored value that, with Confidence, at most a share of rate of
// other classes' documents exceeds: the exact bound of Clopper and Pearson, which assumes
// that future documents are independent draws from the same source. known is false if there
// are too few documents: it takes Needed(rate) of other classes, and 10 on each side.
func (t Tail) Cut(rate float64) (cut Cut, known bool) {
	if t.Own < rateDocuments || t.Documents < rateDocuments || len(t.Ranks) == 0 {
		return Cut{}, false
	}
	at := sort.SearchInts(t.Ranks, numeric.Exceeding(t.Documents, rate, Confidence)+1) - 1
	if at < 0 {
		return Cut{}, false
	}
	cut = Cut{LogOdds: float64(t.LogOdds[at]), Exceeding: t.Ranks[at], Caught: t.Caught[at]}
	if t.LogOdds[at] == math.MaxFloat32 {
		cut.LogOdds = math.Inf(1)
	}
	return cut, true
}

// atLeast returns v rounded up to a number that a Tail can hold, so that a document does
// not exceed its own log-odds.
func atLeast(v float64) float32 {
	v = max(-math.MaxFloat32, min(math.MaxFloat32, v))
	k := float32(v)
	if float64(k) < v {
		k = math.Nextafter32(k, math.MaxFloat32)
	}
	return k
}

// Odds are the log-odds of a document for a class, in nats, without its label, and the
// probability that it is of the class, with its label.
type Odds struct {
	LogOdds float64
	Own     float64
	ID      count.DocID
}

// Probably reports whether the document is rather of the class than of another.
func (o *Odds) Probably() bool { return o.Own > .5 }

// A Tail has every rank up to tailCoarse, then fewer and fewer down to the median.
const (
	tailCoarse     = 16
	tailCoarseMany = 2
)

// NewTail returns the Tail for a class from the log-odds of documents, which it sorts; those
// of other classes are raised. If there are many classes it keeps fewer ranks.
func NewTail(docs []Odds, raised float64, many bool) Tail {
	coarse := tailCoarse
	if many {
		coarse = tailCoarseMany
	}
	slices.SortFunc(docs, func(a, b Odds) int {
		return cmp.Or(cmp.Compare(b.LogOdds, a.LogOdds), slices.Compare(a.ID[:], b.ID[:]))
	})
	own := expected(docs, func(d *Odds) float64 { return d.Own })
	others := expected(docs, func(d *Odds) float64 { return 1 - d.Own })
	t := Tail{Documents: len(others), Own: len(own), Raised: float32(raised)}
	for r := 0; r < len(others) && r <= len(others)/2; r += 1 + r/coarse {
		cut := atLeast(others[r].LogOdds + raised)
		t.Ranks = append(t.Ranks, r)
		t.LogOdds = append(t.LogOdds, cut)
		t.Caught = append(t.Caught, caught(own, cut))
	}
	return t
}

// expected returns as many of the documents, in their order, as are expected to count, if
// each does with the probability p: of documents with doubtful labels every so many.
func expected(docs []Odds, p func(*Odds) float64) (list []Odds) {
	sum := 0.0
	for i := range docs {
		before := math.Floor(sum)
		if sum += p(&docs[i]); math.Floor(sum) > before {
			list = append(list, docs[i])
		}
	}
	return list
}

// caught returns how many of the log-odds, sorted in descending order, exceed a cut-off.
func caught(own []Odds, cut float32) int {
	if cut == math.MaxFloat32 {
		return 0
	}
	return sort.Search(len(own), func(i int) bool { return own[i].LogOdds <= float64(cut) })
}
