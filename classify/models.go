package classify

import (
	"fmt"
	"slices"
	"strings"

	"github.com/polya-classifier/polya/classify/model"
)

// Model is an event model (package model), or Auto, which chooses among event
// models by their loss on the calibration sample. ParseModel reads its Name.
type Model interface {
	Name() string
}

// Auto answers with the event model of least loss on the calibration sample, nearly
// always the Stack; without a Calibration with the Stack and its default weights.
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
	case nil:
		return model.Check(nil)
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
		if names := model.Names(); !slices.Contains(names, base) {
			names = append(names, "auto", stackName)
			return nil, fmt.Errorf("no event model is called %.40q: want one of %s", base, strings.Join(names, ", "))
		}
		return model.Parse(name)
	}
	if colon {
		return nil, fmt.Errorf("event model %.80q: cannot read %.40q: %s has no parameters", name, rest, base)
	}
	return m, nil
}
