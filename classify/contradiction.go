package classify

import (
	"github.com/polya-classifier/polya/classify/calibration"
	"github.com/polya-classifier/polya/classify/filter"
	"github.com/polya-classifier/polya/classify/model"
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/tokenize"
)

// contradiction finds documents whose evidence for a class is as strong as in few documents
// of other classes, although another class is answered; see package filter.
type contradiction struct {
	ratios *model.TermRatios
	class  int
	bounds filter.Bounds
}

// contradictionRatio has the log ratios of terms that evidence is made of: those of document
// frequencies, where they are clearly not 0. It is a candidate too.
var contradictionRatio = model.Ratio{Of: model.Documents, Alpha: .1, Bound: 2}

// contradictionOf returns the contradiction for class positive, nil if that is empty or no
// bounds of it are known.
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
	return &contradiction{contradictionRatio.Terms(t), class, bounds}
}

// evidence returns the evidence of the terms of e, none of a nil contradiction.
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

// ratio is the log ratio of a term, 0 if that is within the bound.
func (x *contradiction) ratio(row *model.Row) float64 {
	if x == nil {
		return 0
	}
	return x.ratios.Of(row, x.class)
}
