package classify

import (
	"github.com/polya-classifier/polya/classify/calibration"
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
func contradictionOf(positive string, t model.Totals, fitted *calibration.Model) *contradiction {
	if positive == "" || fitted == nil {
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
