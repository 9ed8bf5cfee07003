package classify

import (
	"github.com/polya-classifier/polya/classify/calibration"
	"github.com/polya-classifier/polya/classify/decision"
	"github.com/polya-classifier/polya/classify/filter"
	"github.com/polya-classifier/polya/classify/model"
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/tokenize"
)

// contradiction finds documents that are not said to be of a class although some of
// their terms, taken apart, speak for it as in few documents of other classes.
type contradiction struct {
	ratios *model.TermRatios
	class  int
	bounds filter.Bounds
}

// contradictionRatios are the log ratios of terms that evidence is made of: only those
// that tell a class clearly from the others, by how many of its documents have the term.
func contradictionRatios(t model.Totals) *model.TermRatios {
	return model.Ratio{Of: model.Documents, Alpha: .1, Bound: 2}.Terms(t)
}

// contradictionOf returns what is looked for, nil if no class is asked about or nothing
// is known of it.
func (c *Classifier) contradictionOf(t model.Totals, fitted *calibration.Model, chosen *choice) *contradiction {
	positive := decision.PartsOf(c.decision).Positive
	if positive == "" || fitted == nil || chosen != nil {
		return nil
	}
	class := count.ClassNamed(t.Classes, positive)
	if class < 0 {
		return nil
	}
	bounds, known := fitted.Bounds[t.Classes[class].ID]
	if !known {
		return nil
	}
	return &contradiction{contradictionRatios(t), class, bounds}
}

// evidence is what the terms of e say. Without a contradiction to look for that is
// nothing.
func (x *contradiction) evidence(e *model.Evidence) (found filter.Evidence) {
	if x == nil {
		return found
	}
	for i := range e.Rows {
		if r := x.ratio(&e.Rows[i]); r != 0 {
			found.Add(r, tokenize.OfField(e.Term(i)))
		}
	}
	return found
}

// ratio is the log ratio of a term, 0 if that is within the bound or nothing is looked for.
func (x *contradiction) ratio(row *model.Row) float64 {
	if x == nil {
		return 0
	}
	return x.ratios.Of(row, x.class)
}

// addEvidence sets what the terms of a judged document say for each class.
func (d *judged) addEvidence(left model.Totals, e *model.Evidence) {
	x := contradictionRatios(left)
	found := make([]filter.Evidence, len(left.Classes))
	for i := range e.Rows {
		field := tokenize.OfField(e.Term(i))
		x.Each(&e.Rows[i], func(class int, r float64) { found[class].Add(r, field) })
	}
	d.strongest, d.fields = make([]float64, len(found)), make([]float64, len(found))
	for c := range found {
		d.strongest[c], d.fields[c] = found[c].Strongest(), found[c].Fields()
	}
}

// evidenceByID returns the documents judged by their ids.
func (j *judge) evidenceByID() map[count.DocID]*judged {
	all := make(map[count.DocID]*judged, len(j.judged))
	for i := range j.judged {
		all[j.judged[i].id] = &j.judged[i]
	}
	return all
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
