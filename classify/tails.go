package classify

import (
	"math"

	"github.com/polya-classifier/polya/classify/calibration"
	"github.com/polya-classifier/polya/classify/filter"
	"github.com/polya-classifier/polya/classify/internal/fit"
	"github.com/polya-classifier/polya/classify/internal/odds"
	"github.com/polya-classifier/polya/store/count"
)

// looOdds are leave-one-out log-odds for one class.
type looOdds struct {
	own    []float64          // of documents of the class
	others []calibration.Odds // of documents of other classes
	docs   []*scored          // those documents
}

// tailClasses is the number of classes above which a Calibration keeps fewer ranks of
// each Tail: every process that answers reads it.
const tailClasses = 8

// addTails adds to m, the model of stack i, the tails, zones and bounds of all classes,
// unless there are very many. The log-odds of a document come from weights fitted to the
// other half.
func (loo *looScores) addTails(m *calibration.Model, i int, halves *halfFits) {
	s := loo.sample(loo.docs, i)
	if s.Present() > fit.BiasClasses {
		return
	}
	odds := loo.oddsOf(loo.docs, i, halves)
	m.Zones = make(map[count.ClassID]filter.Zone)
	m.Bounds = make(map[count.ClassID]filter.Bounds)
	for c, class := range loo.t.Classes {
		if len(odds[c].others) == 0 {
			continue
		}
		m.Zones[class.ID] = odds[c].zone()
		if b, known := odds[c].boundsOf(c); known {
			m.Bounds[class.ID] = b
		}
	}
	// A zone depends on the shares of the classes; a rate does not.
	for c, rare := range loo.oddsOf(loo.rare, i, halves) {
		odds[c].own, odds[c].others = append(odds[c].own, rare.own...), append(odds[c].others, rare.others...)
	}
	raised := loo.raised(i, halves)
	m.Tails = make(map[count.ClassID]calibration.Tail)
	for c, class := range loo.t.Classes {
		if len(odds[c].others) > 0 {
			m.Tails[class.ID] = calibration.NewTail(odds[c].own, odds[c].others, raised[c], s.Present() > tailClasses)
		}
	}
}

// zone returns the zone of log-odds in which the answer is unsure.
func (o *looOdds) zone() filter.Zone {
	others := make([]float64, len(o.others))
	for i, d := range o.others {
		others[i] = d.LogOdds
	}
	return filter.Choose(filter.DefaultCosts, o.own, others)
}

// oddsOf returns the log-odds of documents with stack i, by class.
func (loo *looScores) oddsOf(docs []scored, i int, halves *halfFits) []looOdds {
	s := loo.sample(docs, i)
	list := make([]looOdds, s.Classes)
	halves.each(s, func(doc *scored, label int, scores []float64) {
		for c := range scores {
			switch {
			case c == label:
				list[c].own = append(list[c].own, odds.LogOdds(scores, c))
			case !math.IsInf(s.Prior[c], -1):
				list[c].others = append(list[c].others, calibration.Odds{LogOdds: odds.LogOdds(scores, c), ID: doc.id})
				list[c].docs = append(list[c].docs, doc)
			}
		}
	})
	return list
}

// boundsOf returns the bounds of the evidence for class in documents of other classes,
// without documents that are more probably of the class: no other class is answered for
// them, and spam mislabelled as ham must not raise the bounds.
func (o *looOdds) boundsOf(class int) (filter.Bounds, bool) {
	var strongest, fields []float64
	for i, other := range o.others {
		if d := o.docs[i]; other.LogOdds <= 0 && class < len(d.strongest) {
			strongest, fields = append(strongest, d.strongest[class]), append(fields, d.fields[class])
		}
	}
	return filter.ChooseBounds(strongest, fields, len(o.others))
}
