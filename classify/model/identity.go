package model

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"path"
	"reflect"
	"strconv"
	"strings"
)

// Identity identifies a model: a prepared model serves all models of the same identity.
// It consists of the name, which includes the parameters, and of parts that the name
// omits: the components of a Stack and the Fits of a DCM.
func Identity(m EventModel) string {
	switch m := m.(type) {
	case Stack:
		return m.identity()
	case DCM:
		if m.Fits != nil {
			return m.identity()
		}
	}
	return m.Name()
}

// identity returns the name and the bytes of all Fits.
func (m DCM) identity() string {
	id := []byte(m.Name() + "\x00")
	for _, f := range m.Fits {
		one, _ := f.MarshalBinary() // never fails
		id = append(id, one...)
	}
	return string(id)
}

// identity returns the label, then each number in 8 bytes and each component's identity,
// quoted so that different lists cannot collide.
func (m Stack) identity() string {
	number := func(id []byte, v float64) []byte {
		return binary.LittleEndian.AppendUint64(id, math.Float64bits(v))
	}
	id := strconv.AppendQuote([]byte("\x00"), m.Label) // no model name begins like this
	id = number(id, m.PriorWeight)
	id = binary.LittleEndian.AppendUint32(id, uint32(len(m.Components)))
	for _, c := range m.Components {
		id = strconv.AppendQuote(id, Identity(c.Model))
		id = number(number(id, c.Gamma), c.Weight)
	}
	for _, b := range m.Bias {
		id = number(id, b)
	}
	if m.Attributes {
		id = append(id, 'a')
	}
	return string(id)
}

// Check returns an error for a caller's invalid model, which would panic in Prepare.
func Check(m EventModel) error {
	if err := checkGiven(m); err != nil {
		return err
	}
	if c, ok := m.(interface{ check() error }); ok {
		if err := c.check(); err != nil {
			return fmt.Errorf("event model %.80q: %w", m.Name(), err)
		}
	}
	return nil
}

// ours is the path prefix of this package and its neighbours, whose models are ours.
var ours = path.Dir(reflect.TypeFor[Stack]().PkgPath())

// checkGiven refuses nil, a nil pointer, and a pointer to one of our models, which has
// its methods but is not recognised by type.
func checkGiven(m EventModel) error {
	if m == nil {
		return errors.New("event model nil: want one of those that ParseModel lists")
	}
	v := reflect.ValueOf(m)
	switch {
	case v.Kind() != reflect.Pointer:
		return nil
	case v.IsNil():
		return fmt.Errorf("event model %T is nil: want a model", m)
	case strings.HasPrefix(v.Type().Elem().PkgPath(), ours):
		return fmt.Errorf("event model %T: want the model itself, not a pointer to it", m)
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
