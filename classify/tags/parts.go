package tags

import "github.com/polya-classifier/polya/classify/model"

// component is a part of the log-odds of a tag.
type component struct {
	model.Component // with its default weight

	precision float64 // of the prior of its weight around the default
}

// components are the parts of the log-odds, the Layer last.
func components() []component {
	list := []component{
		{model.Component{Model: model.Ratio{Of: model.Weights, Alpha: .01, Bound: 1}, Weight: .4}, 1},
		{model.Component{Model: model.Ratio{Of: model.Weights, Alpha: .01, Bound: 2}, Weight: .3}, 1},
		{model.Component{Model: model.Ratio{Of: model.Weights, Alpha: .1, Bound: 1}, Weight: .1}, 1},
		{model.Component{Model: model.Ratio{Of: model.Weights, Alpha: .1, Bound: 2}, Weight: .4}, 1},
		{model.Component{Model: model.Ratio{Of: model.Documents, Alpha: .1, Bound: 2}, Weight: .15}, 1},
		{model.Component{Model: model.Ratio{Of: model.Documents, Alpha: .1, Bound: 3}, Weight: .1}, 1},
	}
	for f := model.TextFields; f <= model.OtherFields; f++ {
		list = append(list,
			component{model.Component{Model: model.Ratio{Of: model.Weights, Alpha: .01, Bound: 1, Fields: f}}, fieldPrecision},
			component{model.Component{Model: model.Ratio{Of: model.Weights, Alpha: .1, Bound: 2, Fields: f}}, fieldPrecision})
	}
	return append(list, component{model.Component{Model: model.Layer{}, Weight: .5}, 1})
}

// fieldPrecision is the prior precision for a group of fields, which most tags do not need.
const fieldPrecision = 40

// modelsOf returns the components as components of package model.
func modelsOf(list []component) []model.Component {
	models := make([]model.Component, len(list))
	for i, c := range list {
		models[i] = c.Component
	}
	return models
}
