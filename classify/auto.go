package classify

import (
	"fmt"
	"slices"

	"github.com/polya-classifier/polya/classify/calibration"
	"github.com/polya-classifier/polya/classify/decision"
	"github.com/polya-classifier/polya/classify/internal/odds"
	"github.com/polya-classifier/polya/classify/model"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// stackName is the name of the Stack that is the default.
const stackName = "stack"

// defaultStack returns the Stack that answers by default, with the weights that
// it has before anything is known of how well its components do. The components
// were chosen by forward selection on parts of the training data of ten tasks
// (mail, short messages, newsgroups, newswire, mail folders); the weights are
// near the middle of those fitted there.
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

// Model is what answers: an event model (package model), or Auto, Average or Gibbs, which
// choose among event models by how well these do on the calibration sample. Name is what
// ParseModel reads.
type Model interface {
	Name() string
}

// Auto answers with the event model of the least loss on the calibration sample, which is
// nearly always the Stack, and without a Calibration with the Stack and its default
// weights.
type Auto struct{}

// Name returns "auto".
func (Auto) Name() string { return "auto" }

// checkModel returns an error for a Model that cannot be asked.
func checkModel(m Model) error {
	switch m := m.(type) {
	case Auto, Average, Gibbs:
		return nil
	case model.EventModel:
		return model.Check(m)
	case nil:
		return model.Check(nil)
	}
	return fmt.Errorf("event model %T: want one of package model, Auto, Average or Gibbs", m)
}

// identity is a name by which models are the same or not; see model.Identity.
func identity(m Model) string {
	if m, ok := m.(model.EventModel); ok {
		return model.Identity(m)
	}
	return m.Name()
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

// stackOf returns the Stack that a name in a Calibration stands for.
func stackOf(name string) (model.Stack, bool) {
	for _, s := range candidates() {
		if s.Label == name {
			return s, true
		}
	}
	return model.Stack{}, false
}

// bind returns the Stack that answers for the model asked, with what the database keeps
// for it. What has no weights of its own, and none fitted, is shrunk; a Stack that
// a caller made has the weights that it was given.
func (c *Classifier) bind(s *store.Snapshot, t model.Totals, asked Model) (model.Stack, *calibration.Model) {
	var k *calibration.Calibration
	if !c.raw {
		k = c.calibrations.read(s)
	}
	var stack model.Stack
	given := false
	switch m := asked.(type) {
	case Auto, Average, Gibbs:
		stack = defaultStack()
		if k != nil {
			if chosen, ok := stackOf(k.Chosen); ok {
				stack = chosen
			}
		}
	case model.Stack:
		stack, given = m, model.Identity(m) != model.Identity(defaultStack())
	case model.EventModel:
		stack = model.Single(m)
		if c.raw {
			return c.rawStack(stack, t, readFits(s)), nil
		}
	}
	stack = stack.WithAttributes(c.attributes, t, c.raw)
	if fitted := k.Model(stack.Label); fitted == nil && !given {
		stack = stack.Shrunk(t)
	}
	stack = applied(k, stack, s.Classes())
	for i, part := range stack.Components {
		if _, ok := part.Model.(model.DCM); ok {
			stack.Components = slices.Clone(stack.Components)
			stack.Components[i].Model = model.WithFits(part.Model, readFits(s))
		}
	}
	return stack, k.Model(stack.Label)
}

// rawStack returns the stack of one model, of the database's attributes too, with the
// scores as they are.
func (c *Classifier) rawStack(stack model.Stack, t model.Totals, fits []model.Fit) model.Stack {
	stack = stack.WithAttributes(c.attributes, t, true)
	stack.PriorWeight = 1
	for i := range stack.Components {
		part := &stack.Components[i]
		*part = model.Component{Model: model.WithFits(part.Model, fits), Weight: 1}
	}
	return stack
}

// prior returns what the score of each class begins with.
func (c *Classifier) prior(t model.Totals, weight float64) []float64 {
	prior := scaled(odds.LogPrior(t.Classes), weight)
	for class, shift := range c.priorShift(t.Classes) {
		prior[class] += shift
	}
	return prior
}

// priorShift returns for each class the logarithm of the decision's prior over the zero
// Prior.
func (c *Classifier) priorShift(classes []*count.Class) []float64 {
	prior := decision.PartsOf(c.decision).Prior
	return prior.Shift(classes)
}
