package model

import (
	"errors"
	"fmt"
	"math"
)

// Check returns an error for a caller's invalid model, which would panic in Prepare.
func Check(m EventModel) error {
	if m == nil {
		return errors.New("event model nil: want one of those that ParseModel lists")
	}
	if c, ok := m.(interface{ check() error }); ok {
		if err := c.check(); err != nil {
			return fmt.Errorf("event model %.80q: %w", m.Name(), err)
		}
	}
	return nil
}

// check returns an error for an invalid Stack.
func (m Stack) check() error {
	switch {
	case m.Label == "":
		return errors.New("a stack without a label: want a name of its own")
	case len(m.Components) == 0 && !m.Attributes:
		return errors.New("a stack without components: want one or more")
	case !isAmount(m.PriorWeight):
		return fmt.Errorf("weight %v of the prior: want a number, 0 or more", m.PriorWeight)
	}
	for i, c := range m.Components {
		if err := c.check(); err != nil {
			return fmt.Errorf("component %d: %w", i+1, err)
		}
	}
	for c, b := range m.Bias {
		if math.IsNaN(b) || math.IsInf(b, 0) {
			return fmt.Errorf("bias %v of class %d: want a finite number", b, c)
		}
	}
	return nil
}

// check returns an error for an invalid component.
func (c Component) check() error {
	if _, nested := c.Model.(Stack); nested {
		return errors.New("a stack within a stack: want its components")
	}
	if err := Check(c.Model); err != nil {
		return err
	}
	switch {
	case !isAmount(c.Weight):
		return fmt.Errorf("weight %v of %s: want a number, 0 or more", c.Weight, c.Model.Name())
	case !isAmount(c.Gamma):
		return fmt.Errorf("gamma %v of %s: want a number, 0 or more", c.Gamma, c.Model.Name())
	}
	return nil
}

// isAmount reports whether v is finite and not below 0.
func isAmount(v float64) bool { return v >= 0 && !math.IsInf(v, 1) }
