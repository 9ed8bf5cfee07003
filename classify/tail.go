package classify

import (
	"cmp"
	"math"
	"slices"

	"github.com/polya-classifier/polya/classify/filter"
	"github.com/polya-classifier/polya/classify/internal/binomial"
	"github.com/polya-classifier/polya/classify/internal/fit"
	"github.com/polya-classifier/polya/store/count"
)

// RateConfidence is the confidence with which a false-positive rate is kept: of a
// hundred databases whose documents were drawn at random from the same source, about
// five answer a class for more of the others than the rate allows.
const RateConfidence = 0.95

// RateDocuments returns the number of documents of other classes that must be judged
// before a false-positive rate is known: 299 for 1 %, 2,995 for .1 %, about 3/rate. rate
// is above 0 and below 1.
func RateDocuments(rate float64) int { return binomial.Needed(rate, RateConfidence) }

// Tail is the upper end of the distribution of the log-odds for a class among judged
// documents of other classes, each scored without its own help.
type Tail struct {
	// Documents is the number of documents of other classes judged, Own that of the
	// class itself.
	Documents, Own int

	// Ranks are ascending ranks from the top, 0 being the greatest, LogOdds the values
	// there, and Caught the documents of the class whose log-odds are greater still.
	Ranks   []int
	LogOdds []float32
	Caught  []int

	// Top are the documents of other classes of the greatest log-odds, the greatest
	// first, a few of them.
	Top []TopDocument
}

// TopDocument is a document of another class that comes near to being answered as a
// class.
type TopDocument struct {
	ID      count.DocID
	LogOdds float32 // for the class, in nats
}

// Cut says where a class is to be answered for a false-positive rate.
type Cut struct {
	// LogOdds is the value that log-odds must exceed, +Inf if none can.
	LogOdds float64

	// Exceeding is the number of judged documents of other classes that exceed it, and
	// Caught that of the class itself.
	Exceeding, Caught int
}

// rateDocuments is the number of documents judged, of the class and of all others
// together, below which no rate is known: a model that was fitted to fewer of one side
// gives its documents log-odds by chance.
const rateDocuments = 10

// Cut returns the least of the values kept beyond which, with RateConfidence, at most a
// share of rate of other classes' documents is: the exact bound of Clopper and Pearson,
// which assumes that documents to come are like those judged and independent. known is
// false if there are too few documents to tell: RateDocuments(rate) of other classes,
// and 10 of either side.
func (t Tail) Cut(rate float64) (cut Cut, known bool) {
	if t.Own < rateDocuments || t.Documents < rateDocuments || len(t.Ranks) == 0 {
		return Cut{}, false
	}
	rank := binomial.Exceeding(t.Documents, rate, RateConfidence)
	if rank < 0 {
		return Cut{}, false
	}
	at, found := slices.BinarySearch(t.Ranks, rank)
	if !found {
		at--
	}
	cut = Cut{LogOdds: float64(t.LogOdds[at]), Exceeding: t.Ranks[at], Caught: t.Caught[at]}
	if t.LogOdds[at] == math.MaxFloat32 {
		cut.LogOdds = math.Inf(1)
	}
	return cut, true
}

// LeastRate returns the least rate that is known, 1 if none is.
func (t Tail) LeastRate() float64 {
	if _, known := t.Cut(0.5); !known {
		return 1
	}
	return binomial.Rate(t.Documents, RateConfidence)
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

// looOdds are the leave-one-out log-odds for one class of the documents judged.
type looOdds struct {
	own    []float64   // of documents of the class
	others []otherOdds // of documents of other classes
}

type otherOdds struct {
	logOdds float64
	id      count.DocID
}

// Ranks are kept one by one up to tailCoarse, and from there ever fewer, down to the
// middle; and tailTop documents with their ids. A database of many classes keeps less
// for each: it is opened as often.
const (
	tailCoarse = 16
	tailTop    = 10

	tailClasses    = 8 // more are many
	tailCoarseMany = 2
	tailTopMany    = 3
)

// tail returns the Tail of the odds, which it sorts.
func (o *looOdds) tail(coarse, top int) Tail {
	slices.SortFunc(o.own, func(a, b float64) int { return cmp.Compare(b, a) })
	slices.SortFunc(o.others, func(a, b otherOdds) int {
		return cmp.Or(cmp.Compare(b.logOdds, a.logOdds), slices.Compare(a.id[:], b.id[:]))
	})
	t := Tail{Documents: len(o.others), Own: len(o.own)}
	for r := 0; r < len(o.others) && r <= len(o.others)/2; r += 1 + r/coarse {
		cut := atLeast(o.others[r].logOdds)
		t.Ranks = append(t.Ranks, r)
		t.LogOdds = append(t.LogOdds, cut)
		t.Caught = append(t.Caught, caught(o.own, cut))
	}
	for _, d := range o.others[:min(top, len(o.others))] {
		t.Top = append(t.Top, TopDocument{d.id, atLeast(d.logOdds)})
	}
	return t
}

// caught returns how many of the log-odds, the greatest first, exceed a cut-off.
func caught(own []float64, cut float32) int {
	if cut == math.MaxFloat32 {
		return 0
	}
	at, _ := slices.BinarySearchFunc(own, float64(cut), func(v, cut float64) int {
		if v > cut {
			return -1
		}
		return 1
	})
	return at
}

// addTails adds to m the tails, zones and bounds of all classes, unless those are very
// many. No document's log-odds come from weights that were fitted to it.
func (j *judge) addTails(m *CalibratedModel, stack Stack, at []int, halves halfFits) {
	s := j.sample(stack, at)
	if s.Present() > fit.BiasClasses {
		return
	}
	odds := make([]looOdds, s.Classes)
	add := func(judged sample, weights, bias []float64) { judged.addOdds(odds, weights, bias) }
	halves.each(s, add)
	m.Zones = make(map[count.ClassID]filter.Zone)
	m.Bounds = make(map[count.ClassID]filter.Bounds)
	evidence := j.evidenceByID()
	for c, class := range j.t.Classes {
		if len(odds[c].others) == 0 {
			continue
		}
		m.Zones[class.ID] = odds[c].zone()
		if b, known := odds[c].bounds(c, evidence); known {
			m.Bounds[class.ID] = b
		}
	}
	// A zone weighs the classes as they are; a rate is of each class by itself.
	halves.each(j.sampleOf(j.rare, stack, at), add)
	coarse, top := tailCoarse, tailTop
	if s.Present() > tailClasses {
		coarse, top = tailCoarseMany, tailTopMany
	}
	m.Tails = make(map[count.ClassID]Tail)
	for c, class := range j.t.Classes {
		if len(odds[c].others) > 0 {
			m.Tails[class.ID] = odds[c].tail(coarse, top)
		}
	}
}

// zone returns the unsure zone of the odds.
func (o *looOdds) zone() filter.Zone {
	others := make([]float64, len(o.others))
	for i, d := range o.others {
		others[i] = d.logOdds
	}
	return filter.Choose(filter.DefaultCosts, o.own, others)
}

// addOdds appends to odds[c] the log-odds for class c of the documents.
func (s sample) addOdds(odds []looOdds, weights, bias []float64) {
	scores := make([]float64, s.Classes)
	for d, label := range s.Labels {
		s.Weigh(scores, d, weights, bias)
		for c := range scores {
			switch {
			case c == label:
				odds[c].own = append(odds[c].own, logOdds(scores, c))
			case !math.IsInf(s.Prior[c], -1):
				odds[c].others = append(odds[c].others, otherOdds{logOdds(scores, c), s.ids[d]})
			}
		}
	}
}
