package classify

import (
	"math"

	"github.com/polya-classifier/polya/classify/calibration"
	"github.com/polya-classifier/polya/classify/filter"
	"github.com/polya-classifier/polya/classify/internal/fit"
	"github.com/polya-classifier/polya/classify/internal/odds"
	"github.com/polya-classifier/polya/classify/model"
	"github.com/polya-classifier/polya/store/count"
)

// looOdds are the leave-one-out log-odds for one class of the documents judged.
type looOdds struct {
	own    []float64          // of documents of the class
	others []calibration.Odds // of documents of other classes
}

// tailClasses is the number of classes above which a Calibration keeps less of each Tail:
// every process that answers reads it.
const tailClasses = 8

// addTails adds to m the tails, zones and bounds of all classes, unless those are very
// many. No document's log-odds come from weights that were fitted to it.
func (j *judge) addTails(m *calibration.Model, stack model.Stack, at []int, halves halfFits) {
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
	m.Tails = make(map[count.ClassID]calibration.Tail)
	for c, class := range j.t.Classes {
		if len(odds[c].others) > 0 {
			m.Tails[class.ID] = calibration.NewTail(odds[c].own, odds[c].others, s.Present() > tailClasses)
		}
	}
}

// zone returns the unsure zone of the odds.
func (o *looOdds) zone() filter.Zone {
	others := make([]float64, len(o.others))
	for i, d := range o.others {
		others[i] = d.LogOdds
	}
	return filter.Choose(filter.DefaultCosts, o.own, others)
}

// addOdds appends to list[c] the log-odds for class c of the documents.
func (s sample) addOdds(list []looOdds, weights, bias []float64) {
	scores := make([]float64, s.Classes)
	for d, label := range s.Labels {
		s.Weigh(scores, d, weights, bias)
		for c := range scores {
			switch {
			case c == label:
				list[c].own = append(list[c].own, odds.LogOdds(scores, c))
			case !math.IsInf(s.Prior[c], -1):
				list[c].others = append(list[c].others, calibration.Odds{LogOdds: odds.LogOdds(scores, c), ID: s.ids[d]})
			}
		}
	}
}

// bounds returns the bounds of contradictions in documents of other classes. Those that
// are more probably of the class need none: they are not said to be of another; and left
// out, spam that was learned as ham does not raise the bounds.
func (o *looOdds) bounds(class int, evidence map[count.DocID]*judged) (filter.Bounds, bool) {
	var strongest, fields []float64
	for _, other := range o.others {
		if d := evidence[other.ID]; other.LogOdds <= 0 && class < len(d.strongest) {
			strongest, fields = append(strongest, d.strongest[class]), append(fields, d.fields[class])
		}
	}
	return filter.ChooseBounds(strongest, fields, len(o.others))
}
