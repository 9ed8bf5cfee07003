package classify

import "github.com/polya-classifier/polya/classify/model"

// testStack has components of every kind, two of which share their ratios and
// one of which comes twice.
func testStack() model.Stack {
	return model.Stack{Label: "test", Bias: []float64{.5, -1}, Components: []model.Component{
		{Model: model.Ratio{Bound: 2}, Weight: .7},
		{Model: model.Ratio{}, Weight: .4, Gamma: .3},
		{Model: model.Ratio{Bound: 3}, Weight: .2},
		{Model: model.Ratio{Bound: 3}, Weight: .1, Gamma: 1},
		{Model: model.Ratio{Documents: true, Alpha: .1}, Weight: 1.5},
		{Model: model.Bernoulli{Yes: .1, No: .1}, Weight: .05, Gamma: .5},
		{Model: model.Normalised{}, Weight: 1.1},
		{Model: model.DCM{}, Weight: 0},
		{Model: model.Multinomial{}, Weight: .02, Gamma: .75},
		{Model: model.Complement{}, Weight: .03, Gamma: .9},
	}}
}
