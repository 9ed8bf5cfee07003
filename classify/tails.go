package classify

import (
	"cmp"
	"math"
	"slices"

	"github.com/polya-classifier/polya/classify/calibration"
	"github.com/polya-classifier/polya/classify/internal/fit"
	"github.com/polya-classifier/polya/internal/numeric"
	"github.com/polya-classifier/polya/store/count"
)

// looOdds are the leave-one-out log-odds of documents for one class.
type looOdds struct {
	odds []calibration.Odds
	docs []*scored
}

// others returns the log-odds of the documents that are probably of other classes.
func (o *looOdds) others() (list []float64) {
	for i := range o.odds {
		if !o.odds[i].Probably() {
			list = append(list, o.odds[i].LogOdds)
		}
	}
	return list
}

// tailClasses is the number of classes above which a Calibration keeps fewer ranks of
// each Tail: every process that answers reads it.
const tailClasses = 8

// addTails adds to m, the model of the stack, the tails, zones and bounds of all classes,
// unless there are very many. The log-odds of a document come from weights fitted to the
// other half.
func (x crossFitted) addTails(m *calibration.Model) {
	if x.listed() {
		return
	}
	odds := x.oddsOf(x.all)
	// A floor is of all answers, and a zone of those of its class: it is chosen without.
	before := x.withShrinkage(fit.Shrinkage{Variance: x.shrinkage.Variance, Seen: x.shrinkage.Seen}).oddsOf(x.all)
	m.Zones = make(map[count.ClassID]calibration.Zone)
	m.Bounds = make(map[count.ClassID]calibration.Bounds)
	for c, class := range x.t.Classes {
		if len(odds[c].odds) == 0 {
			continue
		}
		mark := x.marks[c]
		own, others := class.Docs, x.t.Documents-class.Docs
		zone := calibration.ChooseZone(before[c].odds, mark.own.Independent(own, 0), mark.others.Independent(others, mark.own.Hides(own, others)))
		floor := fit.Shrinkage{Floor: x.shrinkage.Floor}
		zone.No, zone.Yes = floor.LogOdds(zone.No), floor.LogOdds(zone.Yes)
		m.Zones[class.ID] = zone
		if b, known := odds[c].boundsOf(c); known {
			m.Bounds[class.ID] = b
		}
	}
	// A zone depends on the shares of the classes; a rate does not.
	for c, rare := range x.oddsOf(x.sample(x.rare, x.i)) {
		odds[c].odds = append(odds[c].odds, rare.odds...)
	}
	raised := x.raised()
	few := x.all.Present() > tailClasses
	m.Tails = make(map[count.ClassID]calibration.Tail)
	for c, class := range x.t.Classes {
		if len(odds[c].odds) > 0 {
			m.Tails[class.ID] = calibration.NewTail(odds[c].odds, raised[c], few)
		}
	}
}

// oddsOf returns the log-odds of the documents of a sample, by class.
func (x crossFitted) oddsOf(s sample) []looOdds {
	list := make([]looOdds, s.Classes)
	x.each(s, func(doc *scored, scores, truth []float64) {
		for c := range scores {
			if !math.IsInf(s.Prior[c], -1) {
				list[c].odds = append(list[c].odds, calibration.Odds{LogOdds: numeric.LogOdds(scores, c), Own: truth[c], ID: doc.id})
				list[c].docs = append(list[c].docs, doc)
			}
		}
	})
	return list
}

// boundsOf returns the bounds of the evidence for class in documents of other classes,
// without documents that are more probably of the class: no other class is answered for
// them, and spam mislabelled as ham must not raise the bounds.
func (o *looOdds) boundsOf(class int) (calibration.Bounds, bool) {
	var found []calibration.Bounds
	others := 0
	for i, other := range o.odds {
		if other.Probably() {
			continue
		}
		others++
		if d := o.docs[i]; other.LogOdds <= 0 && class < len(d.found) {
			found = append(found, d.found[class])
		}
	}
	return calibration.ChooseBounds(found, others)
}

// marks are the marks of a class, and of all others together.
type marks struct{ own, others calibration.Mark }

// mark updates the marks of all classes by the terms of the current document, which has
// not been left out, that no document before it has.
func (loo *looScores) mark() {
	for i := range loo.evidence.Rows {
		row := &loo.evidence.Rows[i]
		if len(loo.marks) == 0 || !loo.rows.Terms.First(loo.rows.Numbers[row.At]) {
			continue
		}
		for c := range loo.marks {
			class, own := loo.t.Classes[c], uint64(0)
			if k := slices.IndexFunc(row.Cells, func(x count.Cell) bool { return x.Class == c }); k >= 0 {
				own = row.Cells[k].DF
			}
			if class.Docs == 0 || class.Docs == loo.t.Documents {
				continue
			}
			p, q := float64(own)/float64(class.Docs), float64(row.DF-own)/float64(loo.t.Documents-class.Docs)
			better(&loo.marks[c].own, row.Term, p, q)
			better(&loo.marks[c].others, row.Term, q, p)
		}
	}
}

// better replaces m by a term that these shares of documents have, if it leads by more. Of
// equal ones it keeps the longest, which says most, and of these the first.
func better(m *calibration.Mark, term []byte, own, others float64) {
	switch lead := own - others; {
	case lead < m.Lead() || lead == 0:
	case lead > m.Lead() || cmp.Or(cmp.Compare(len(term), len(m.Term)), cmp.Compare(m.Term, string(term))) > 0:
		*m = calibration.Mark{Term: string(term), Own: own, Others: others}
	}
}
