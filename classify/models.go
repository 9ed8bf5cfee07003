package classify

import (
	"fmt"
	"slices"
	"strings"

	"github.com/polya-classifier/polya/classify/model"
)

// Model is an event model (package model), or Auto. ParseModel reads its Name.
type Model interface {
	Name() string
}

// Auto is the default Stack, with its fitted weights if it is calibrated, and recent lessons.
type Auto struct{}

// Name returns "auto".
func (Auto) Name() string { return "auto" }

// checkModel returns an error for an invalid Model.
func checkModel(m Model) error {
	switch m := m.(type) {
	case Auto:
		return nil
	case model.EventModel:
		return model.Check(m)
	}
	return fmt.Errorf("event model %T: want one of package model, or Auto", m)
}

// ParseModel returns the Model with this Name: one that model.Parse knows, or
//
//	auto  stack
//
// The error lists the names.
func ParseModel(name string) (Model, error) {
	base, rest, colon := strings.Cut(name, ":")
	var m Model
	switch base {
	case "auto":
		m = Auto{}
	case stackName:
		m = defaultStack()
	default:
		return model.Parse(name, "auto", stackName)
	}
	if colon {
		return nil, fmt.Errorf("event model %.80q: cannot read %.40q: %s has no parameters", name, rest, base)
	}
	return m, nil
}

const stackName = "stack"

// defaultStack returns the default Stack with its unfitted weights, which are near the middle
// of those fitted to ten tasks (mail, short messages, newsgroups, newswire, mail folders).
func defaultStack() model.Stack {
	return model.Stack{
		Label:       stackName,
		PriorWeight: model.DefaultPriorWeight,
		Components: slices.Concat(model.Ratios(), []model.Component{
			{Model: model.Bernoulli{Yes: .1, No: .1}, Gamma: .5, Weight: .05},
			{Model: model.Normalised{Lambda: .8}, Weight: 1},
			{Model: model.Layer{}, Weight: layerWeight},
			{Model: model.Layer{Fields: model.CharacterFields}, Weight: layerWeight},
		}, model.FieldRatios(false, model.TextFields, model.OtherFields), model.FieldRatios(true, model.CharacterFields, model.CharacterFields)),
	}
}

// layerWeight is the prior mean of a Layer's weight in a fit; 1 would be the weight of its own
// probabilities. Its scores there are from when it had learned half of the other documents.
const layerWeight = 0.5

// asStack returns the Stack that answers for a model that has passed checkModel, before it is fitted.
func asStack(m Model) model.Stack {
	switch m := m.(type) {
	case model.Stack:
		return m
	case model.EventModel:
		return model.Single(m)
	}
	return defaultStack()
}
