package tags

import "github.com/polya-classifier/polya/classify/model"

// components are the parts of the log-odds of a tag with their default weights, the Layer last.
func components() []model.Component {
	list := []model.Component{
		{Model: model.Ratio{Of: model.Weights, Alpha: .01, Bound: 1}, Weight: .4},
		{Model: model.Ratio{Of: model.Weights, Alpha: .01, Bound: 2}, Weight: .3},
		{Model: model.Ratio{Of: model.Weights, Alpha: .1, Bound: 1}, Weight: .1},
		{Model: model.Ratio{Of: model.Weights, Alpha: .1, Bound: 2}, Weight: .4},
		{Model: model.Ratio{Of: model.Documents, Alpha: .1, Bound: 2}, Weight: .15},
		{Model: model.Ratio{Of: model.Documents, Alpha: .1, Bound: 3}, Weight: .1},
	}
	for f := model.TextFields; f <= model.OtherFields; f++ {
		list = append(list,
			model.Component{Model: model.Ratio{Of: model.Weights, Alpha: .01, Bound: 1, Fields: f}},
			model.Component{Model: model.Ratio{Of: model.Weights, Alpha: .1, Bound: 2, Fields: f}})
	}
	return append(list, model.Component{Model: model.Layer{}, Weight: .5})
}

// fieldPrecision is the precision of the prior of the weight of a group of fields, which most
// tags do not need, around its default; that of the others is 1.
const fieldPrecision = 40
