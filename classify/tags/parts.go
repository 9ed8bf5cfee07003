package tags

import (
	"slices"

	"github.com/polya-classifier/polya/classify/model"
)

// components are the parts of the log-odds of a tag with their default weights, the Layer last.
func components() []model.Component {
	return slices.Concat(model.Ratios(), model.FieldRatios(), []model.Component{{Model: model.Layer{}, Weight: .5}})
}

// fieldPrecision is the precision of the prior of the weight of a group of fields, which most
// tags do not need, around its default; that of the others is 1.
const fieldPrecision = 40
