package classify

import (
	"github.com/polya-classifier/polya/classify/model"
)

// stackName is the name of the Stack that is the default.
const stackName = "stack"

// defaultStack returns the Stack that answers by default, with the weights that it has
// before it is fitted. The components were chosen by forward selection on parts of the
// training data of ten tasks (mail, short messages, newsgroups, newswire, mail folders); the
// weights are near the middle of those fitted there.
func defaultStack() model.Stack {
	return model.Stack{
		Label:       stackName,
		PriorWeight: model.DefaultPriorWeight,
		Attributes:  true,
		Components: []model.Component{
			{Model: model.Ratio{Of: model.Weights, Alpha: .01, Bound: 1}, Weight: .4},
			{Model: model.Ratio{Of: model.Weights, Alpha: .01, Bound: 2}, Weight: .3},
			{Model: model.Ratio{Of: model.Weights, Alpha: .1, Bound: 1}, Weight: .1},
			{Model: model.Ratio{Of: model.Weights, Alpha: .1, Bound: 2}, Weight: .4},
			{Model: model.Ratio{Of: model.Documents, Alpha: .1, Bound: 2}, Weight: .15},
			{Model: model.Ratio{Of: model.Documents, Alpha: .1, Bound: 3}, Weight: .1},
			{Model: model.Bernoulli{Yes: .1, No: .1}, Gamma: .5, Weight: .05},
			{Model: model.Normalised{Lambda: .8}, Weight: 1},
		},
	}
}

// candidates are the models that Auto chooses from.
func candidates() []model.Stack {
	return []model.Stack{
		defaultStack(),
		model.Single(model.Ratio{Of: model.Weights, Alpha: .01, Bound: 1}),
		model.Single(model.Ratio{Of: model.Documents, Alpha: .1, Bound: 2}),
		model.Single(model.Normalised{Lambda: .8}),
		model.Single(model.Multinomial{}),
		model.Single(model.Bernoulli{Yes: .1, No: .1}),
	}
}

// stackOf returns the candidate of that label.
func stackOf(name string) (model.Stack, bool) {
	for _, s := range candidates() {
		if s.Label == name {
			return s, true
		}
	}
	return model.Stack{}, false
}
