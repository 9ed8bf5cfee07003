package classify

import (
	"github.com/polya-classifier/polya/classify/calibration"
	"github.com/polya-classifier/polya/classify/model"
	"github.com/polya-classifier/polya/store/count"
)

// contradiction detects documents that are answered as another class although their evidence
// for a class is stronger than in nearly all documents of other classes; see calibration.Bounds.
type contradiction struct {
	ratios func(row *model.Row, class int) float64
	class  int
	bounds calibration.Bounds
	known  bool              // whether there are bounds
	own    model.Resemblance // of a View
}

// contradictionRatio gives the log ratios of terms that evidence is made of: ratios of
// document frequencies that are clearly not 0. The default Stack has it too.
var contradictionRatio = model.Ratio{Documents: true, Alpha: .1, Bound: 2}

// contradictionOf returns the contradiction for class positive, nil if there is none or no fit.
func contradictionOf(positive string, t model.Totals, fitted *calibration.Model, own model.Resemblance) *contradiction {
	class := count.ClassNamed(t.Classes, positive)
	if class < 0 || fitted == nil {
		return nil
	}
	bounds, known := fitted.Bounds[t.Classes[class].ID]
	return &contradiction{ratios: contradictionRatio.Terms(t), class: class, bounds: bounds, known: known, own: own}
}

// evidence returns the evidence of the terms of e; a nil contradiction has none.
func (x *contradiction) evidence(e *model.Evidence) (found calibration.Evidence) {
	for i := range e.Rows {
		if r := x.ratio(&e.Rows[i]); r != 0 {
			found.Add(r, e.Rows[i].Fields > model.TextFields)
		}
	}
	return found
}

// ratio returns the log ratio of a term, 0 if it is within the bound, or if the user of a View
// has taught it as other classes.
func (x *contradiction) ratio(row *model.Row) float64 {
	if x == nil || x.own.TaughtOtherwise(row, x.class) {
		return 0
	}
	return x.ratios(row, x.class)
}
